"""What is fuzzed: each harness takes any bytes, and may raise nothing.

A harness feeds one decoder of bytes from outside, lets its documented error pass, and checks what
must hold of whatever it reads. `fuzz.py` runs one under Atheris, `test_fuzz.py` all of them under
Hypothesis. They begin with `SEEDS`: examples of what the decoder is for.
"""

import gzip
from collections.abc import Callable, Iterator
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryDirectory
from zipfile import ZipFile

from backports import zstd
from documents import DOCUMENTS
from live_media import MEDIA

from agents.delimitation import Delimitation, InvalidExpression
from agents.parsers import Embedded, Link, Source, registry
from agents.parsers.html import HtmlParser
from agents.urls import canonical
from anet.errors import HttpError, InvalidAddress
from anet.formats import arc_writing, dat, tianwang_writing
from anet.formats.arc import ArcReader
from anet.formats.batch_index import FIRST_LEVEL, BatchesError
from anet.formats.batches import Batches
from anet.formats.compressing import PLAIN
from anet.formats.page import Page
from anet.formats.payload import Chunks, NotChunked, http_head, in_chunks
from anet.formats.reading import UnknownFormat, open_records
from anet.formats.record import Damage, DamagedRecord
from anet.formats.signing import BadSignature
from anet.formats.tianwang import TianwangReader, page_in
from anet.formats.wacz import Wacz
from anet.formats.zip_members import BadMember, NotZip
from anet.http.body import decoder_for
from anet.http.message import end_of_head, parse_head
from anet.http.request_parser import BadRequest, RequestParser
from anet.media.timing.walk import Walk
from anet.multicast.datagrams import Answer, MalformedDatagram, Question
from hip.address import parse
from hip.codecs import CODECS, MESSAGEPACK, YAML, Codec
from hip.errors import CannotCarry, ProtocolError
from hip.greeting import Greeting
from hip.limits import Limits
from hip.session import Session
from hip.wire import frame

Harness = Callable[[bytes], None]
HARNESSES: dict[str, Harness] = {}
SEEDS: dict[str, list[bytes]] = {}
LIMITS = Limits(frame=4096)
GREETING = Greeting.of("crawler", "crawler-1", LIMITS)
REQUEST = ["request", [[1, "collect", {"order": {"crawl": "7", "bytes": b"\0"}}, 60.0]]]
VALUES = [None, True, -1, 2**64, 1.5, "é", b"hip", [1, {"a": 2}]]


def fuzzed(*seeds: bytes) -> Callable[[Harness], Harness]:
    """Add a harness, by its name, with examples to begin with."""

    def add(harness: Harness) -> Harness:
        HARNESSES[harness.__name__] = harness
        SEEDS[harness.__name__] = list(seeds)
        return harness

    return add


def cut(data: bytes) -> Iterator[bytes]:
    """Yield data in pieces of growing size."""
    start, size = 0, 1
    while start < len(data):
        yield data[start : start + size]
        start, size = start + size, size * 2


def hear(data: bytes, serializer: str) -> None:
    """Let a session that has greeted hear some bytes."""
    session = Session(GREETING, LIMITS, is_master=True)
    session.feed(frame(Greeting.of("crawler", "a", LIMITS, [serializer]).encode()))
    assert session.next() is not None
    with suppress(ProtocolError):
        for piece in cut(data):
            session.feed(piece)
            while session.next() is not None:
                pass
    assert session.held <= LIMITS.frame + 4 + len(data) // 2


@fuzzed(*(frame(MESSAGEPACK.encode(value)) for value in (REQUEST, ["heartbeat"], ["goodbye", ""])))
def session_of_messagepack(data: bytes) -> None:
    """Frames of messages in MessagePack."""
    hear(data, "msgpack")


@fuzzed(*(frame(YAML.encode(value)) for value in (REQUEST, ["heartbeat"], ["goodbye", ""])))
def session_of_yaml(data: bytes) -> None:
    """Frames of messages in YAML."""
    hear(data, "yaml")


@fuzzed(GREETING.encode(), b"hip: 2\nkind: camel\nname: perl-1\n")
def greeting(data: bytes) -> None:
    """The first frame of a peer; what is taken can be said again."""
    with suppress(ProtocolError):
        found = Greeting.decode(data)
        assert Greeting.decode(found.encode()) == found


def value_of(data: bytes, codec: Codec) -> None:
    """Decode a value; what can be written again is read as the same, in both serializers."""
    with suppress(ProtocolError, CannotCarry):
        value = codec.decode(data)
        for other in CODECS.values():
            written = other.encode(value)
            assert repr(other.decode(written)) == repr(value), (other.name, written)


@fuzzed(MESSAGEPACK.encode(VALUES), b"\xc7\x02\x01\x00\xff", b"\xd6\xff\0\0\0\1")
def messagepack(data: bytes) -> None:
    """A value in MessagePack."""
    value_of(data, MESSAGEPACK)


@fuzzed(
    YAML.encode(VALUES), b"a: 1\nb:\n- >\n  2\n- ~\n", b"--- !!binary aGlw\n...\n", b"{? a : 1}"
)
def yaml(data: bytes) -> None:
    """A value in YAML."""
    value_of(data, YAML)


@fuzzed(b"127.0.0.1:7100", b"[::1]:7100", b"unix:/run/hip", b"host.example:1")
def hip_address(data: bytes) -> None:
    """Where to connect; what is taken is written as it is read."""
    with suppress(InvalidAddress):
        address = parse(data.decode("utf-8", "surrogateescape"))
        assert parse(str(address)) == address


@fuzzed(
    b"GET /a?b HTTP/1.1\r\nHost: a\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2;x\r\nab\r\n0\r\n\r\n",
)
def http_request(data: bytes) -> None:
    """Requests of a client; cut anywhere they are the same."""

    def read(pieces: Iterator[bytes]) -> list[object]:
        said: list[object] = []
        parser = RequestParser(4096, said.append, lambda _: None, lambda: said.append(None))
        with suppress(BadRequest):
            for piece in pieces:
                if parser.feed(piece):
                    break
        return said

    whole, pieces = read(iter([data])), read(cut(data))
    assert len(data) > 2048 or repr(whole) == repr(pieces)


@fuzzed(
    b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab",
    b"HTTP/1.0 200\nA: b\n c\n\nall of it",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n",
)
def http_response(data: bytes) -> None:
    """The head of a response and its body, however long."""
    end = end_of_head(data)
    with suppress(ValueError, HttpError):
        head = parse_head(data[:end])
        decoder = decoder_for("GET", head)
        for piece in cut(data[end:] if end else b""):
            decoder.feed(piece)
        decoder.end()


@fuzzed(Question(b"12345678", "digest", b"key").encode())
def multicast_question(data: bytes) -> None:
    """A datagram that asks; what is taken is written as it came."""
    with suppress(MalformedDatagram):
        assert Question.decode(data).encode() == data


@fuzzed(Answer(b"12345678", "http://a/", 1).encode())
def multicast_answer(data: bytes) -> None:
    """A datagram that answers; what is taken is written as it came."""
    with suppress(MalformedDatagram):
        assert Answer.decode(data).encode() == data


@fuzzed(b"https://example.org/** OR *.example.org/a?b", b"example.org")
def delimitation(data: bytes) -> None:
    """What belongs to a website; an expression that is taken can be asked."""
    with suppress(InvalidExpression):
        expression = Delimitation.parse(data.decode("utf-8", "surrogateescape"))
        expression.internal("https://example.org/a/b?c")


@fuzzed(b"https://example.org/a?b#c", b"../b", b"//user@h:80/\xc3\xa9?\xc3\xa9", b"http://[::1]/")
def url(data: bytes) -> None:
    """A URL as a page wrote it; its canonical form is its own."""
    text = data.decode("utf-8", "surrogateescape")
    for base in (None, "https://example.org/a/b"):
        found = canonical(text, base)
        assert found is None or (found.isascii() and canonical(found) == found)


@fuzzed(
    b'<!doctype html><base href="/b/"><a href=c>d</a><img srcset="e 1x, f 2x">',
    b'<script>"</a>"</script><meta charset=utf-16><iframe srcdoc="&lt;a href=x&gt;">',
    b"<style>@import 'a'; b { background: url(c) }</style><!-- d --><svg><use href='#e'/></svg>",
)
def html(data: bytes) -> None:
    """A page, in pieces."""
    parser = HtmlParser(Source(text=data[:1] < b"P"))
    for piece in cut(data):
        list(parser.feed(piece))
    list(parser.close())


def a_wacz() -> bytes:
    """Return the smallest file that has everything a WACZ file may have."""
    file = BytesIO()
    with ZipFile(file, "w") as archive:
        archive.writestr("archive/a.warc", b"")
        archive.writestr("pages/pages.jsonl", '{"url": "http://a/", "ts": "2026-11-22"}')
        archive.writestr("datapackage.json", '{"resources": [{"path": "a", "hash": "md5:0"}]}')
        archive.writestr("datapackage-digest.json", '{"hash": "", "signedData": {"hash": ""}}')
    return file.getvalue()


@fuzzed(a_wacz())
def wacz(data: bytes) -> None:
    """A WACZ file: its members, its pages, what it proves."""
    with NamedTemporaryFile() as file, suppress(NotZip):
        file.write(data)
        file.flush()
        with Wacz(Path(file.name)) as found:
            assert all(problem.cause for problem in found.verified())
            with suppress(BadMember):
                assert all(page.url for page in found.pages())
            with suppress(BadSignature):
                found.signed()


PAGE = Page("http://a/", "20040501120000", b"HTTP/1.0 200 OK\r\n\r\n", b"a page", "1.2.3.4")


def walk(data: bytes, reader: Callable[[Path], "ArcReader | TianwangReader"]) -> None:
    """Read all records of a file; they and damage lie in it, in order, and blocks are as said."""
    with NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        with reader(Path(file.name)) as records:
            last = 0
            for each in records:
                assert last <= each.offset < len(data) or not records.seekable
                last = each.offset
                if isinstance(each, Damage):
                    assert each.offset < each.end <= len(data)
                    continue
                size = 0
                with suppress(DamagedRecord):
                    while piece := each.block.read(100):
                        size += len(piece)
                    assert size == each.size


@fuzzed(
    b"".join(b"".join(arc_writing.record(PAGE, PLAIN, version)) for version in (1, 2, 1, 1)),
    b"".join(arc_writing.version_block("a.arc.gz", PAGE.date))
    + b"".join(b"".join(arc_writing.record(PAGE)) for _ in range(3)),
    b"http://a/ 20040501120000 alexa/dat 12\nt a\nv 5\nl b/\n\n",
)
def arc(data: bytes) -> None:
    """An ARC or a DAT file, plain or compressed."""
    walk(data, ArcReader)


@fuzzed(
    b"".join(tianwang_writing.record(PAGE)) * 3,
    b"".join(tianwang_writing.record(PAGE, compress=False)) * 4,
)
def tianwang(data: bytes) -> None:
    """A Tianwang file; a record that is in memory."""
    walk(data, TianwangReader)
    with suppress(DamagedRecord):
        page_in(data, 1 << 20)


@fuzzed(b"t a title\nv 296101\nl www.a.org/\n")
def dat_block(data: bytes) -> None:
    """What the block of a DAT record says."""
    assert all(line.letter for line in dat.lines(data))
    dat.arc_offset(data)


@fuzzed(
    b'{"format":"dlweb batches 1","suffix":".tianwang","files":1,"note":"","batches":'
    b'[{"batch":"200405","first_file":0,"count":1,"first_date":"2004","last_date":"2005"}]}'
)
def batches(data: bytes) -> None:
    """The first level of the index of batches."""
    with TemporaryDirectory() as folder, suppress(BatchesError):
        (Path(folder) / FIRST_LEVEL).write_bytes(data)
        with Batches(Path(folder)) as found:
            for each in found.batches:
                found.read(each.batch, 0)


WARC = (
    b"WARC/1.0\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:a>\r\n"
    b"WARC-Date: 2024-01-01T00:00:00Z\r\nContent-Length: 3\r\n\r\nabc\r\n\r\n"
)


@fuzzed(
    WARC * 2,
    gzip.compress(WARC, mtime=0) * 2,
    zstd.compress(WARC) * 2,
    WARC.replace(b"\r\n", b"\n"),
)
def warc(data: bytes) -> None:
    """A file of any format: records as long as they say, and damage, in the order of the file."""
    with NamedTemporaryFile() as file, suppress(UnknownFormat):
        file.write(data)
        file.flush()
        last = 0
        with open_records(Path(file.name)) as reader:
            for each in reader:
                assert not reader.seekable or last <= each.offset <= len(data)
                last = each.offset
                if isinstance(each, Damage):
                    continue
                with suppress(DamagedRecord):
                    pieces = list(iter(lambda block=each.block: block.read(1000), b""))
                    assert sum(map(len, pieces)) == each.size


@fuzzed(
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n",
    b"GET / HTTP/1.1\n\n",
    b"<html>",
)
def http_block(data: bytes) -> None:
    """A block of HTTP: its head and body are the block, and so are its chunks, made again."""
    head = http_head(data, True)
    assert head is not None
    assert data.startswith(head.raw)
    body, chunks = data[len(head.raw) :], Chunks()
    with suppress(NotChunked):
        whole = b"".join([chunks.feed(piece) for piece in cut(body)])
        chunks.close()
        assert in_chunks(whole, chunks.sizes) == body


def findings(name: str, pieces: Iterator[bytes]) -> tuple[set[Link], list[str], bool]:
    """Return what a parser finds in a document: links, pieces for others, whether it gave up."""
    parser = registry().by_name[name](Source("https://example.org/a", None, None, True))
    found = [one for piece in pieces for one in parser.feed(piece)] + [*parser.close()]
    links = {one for one in found if isinstance(one, Link)}
    return links, [one.text for one in found if isinstance(one, Embedded)], parser.truncated


def parser_harness(name: str) -> Harness:
    """Return the harness of a parser, which reads documents whole and in pieces."""

    def harness(data: bytes) -> None:
        whole = findings(name, iter([data]))
        if registry().by_name[name].format.chunked and len(data) <= 4096:
            singly = (data[place : place + 1] for place in range(len(data)))
            assert findings(name, cut(data)) == whole
            assert findings(name, singly) == whole

    harness.__doc__ = f"A document in the format {name}: the same links however it is cut."
    return harness


for _name, _parser in registry().by_name.items():
    if not _parser.format.heavy:
        HARNESSES[f"parser_{_name}"] = parser_harness(_name)
        SEEDS[f"parser_{_name}"] = DOCUMENTS.get(_name, [b""])


def heard(clock: Walk, pieces: Iterator[bytes]) -> tuple[object, ...]:
    """Return what a clock tells of media."""
    said, boundary, seconds = [], 0, 0.0
    for piece in pieces:
        said += clock.feed(piece)
        assert boundary <= clock.boundary <= clock.position
        assert seconds <= clock.seconds
        boundary, seconds = clock.boundary, clock.seconds
    return clock.position, boundary, seconds, clock.preamble, said


def clock_harness(clock: type[Walk]) -> Harness:
    """Return the harness of a signal clock, which hears media whole and in pieces."""

    def harness(data: bytes) -> None:
        assert heard(clock(), cut(data)) == heard(clock(), iter([data]))

    harness.__doc__ = f"Live media to {clock.__name__}: the same time however they are cut."
    return harness


for _clock, _media in MEDIA.items():
    HARNESSES[_clock.__name__] = clock_harness(_clock)
    SEEDS[_clock.__name__] = _media
