"""Telling titles and media apart."""

import itertools
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st
from timing import processor_seconds

from anet.errors import MalformedMessage
from anet.http import parse_head
from anet.media.icy import SMALLEST, IcyDemux, interval_of, said_in
from anet.media.interface import Heard, Media, Said

INTERVALS = st.integers(SMALLEST, 300)
BLOCKS = st.lists(st.binary(max_size=60), max_size=8)


def block(text: bytes) -> bytes:
    """Return a block as servers send it."""
    units = -(-len(text) // 16)
    return bytes([units]) + text.ljust(units * 16, b"\0")


def radio(interval: int, texts: list[bytes], rest: bytes = b"") -> bytes:
    """Return bytes as a radio sends them, with these texts between."""
    media = itertools.cycle(range(256))
    parts = [bytes(itertools.islice(media, interval)) + block(text) for text in texts]
    return b"".join([*parts, rest])


def together(pieces: list[Heard]) -> list[Heard]:
    """Join media that follow on each other."""
    heard: list[Heard] = []
    for piece in pieces:
        if isinstance(piece, Media) and heard and isinstance(heard[-1], Media):
            heard[-1] = Media(heard[-1].data + piece.data)
        else:
            heard.append(piece)
    return heard


def again(heard: list[Heard], interval: int) -> bytes:
    """Return the bytes as they came: media, and blocks where they were."""
    received, since = b"", 0
    for piece in heard:
        if isinstance(piece, Said):
            received += piece.raw
            since = 0
            continue
        for byte in piece.data:
            if since == interval:
                received += b"\0"
                since = 0
            received += bytes([byte])
            since += 1
    return received


@given(INTERVALS, BLOCKS, st.binary(min_size=1, max_size=63), st.data())
def test_cuts_do_not_matter(
    interval: int, texts: list[bytes], rest: bytes, data: st.DataObject
) -> None:
    """However what comes is cut, the same is heard; and what came can be made again of it."""
    sent = radio(interval, texts, rest)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(sent)), max_size=20)))
    whole = together([*IcyDemux(interval).feed(sent)])
    demux = IcyDemux(interval)
    ends = itertools.pairwise([0, *cuts, len(sent)])
    cut = together([each for a, b in ends for each in demux.feed(sent[a:b])])
    assert cut == whole
    assert again(cut, interval) == sent
    assert [each.raw for each in cut if isinstance(each, Said)] == [
        block(text) for text in texts if text
    ]


@given(INTERVALS, st.binary(max_size=9000))
def test_anything_may_come(interval: int, sent: bytes) -> None:
    """Whatever comes, byte by byte too; at most one block waits."""
    heard = [*IcyDemux(interval).feed(sent)]
    demux = IcyDemux(interval)
    assert together([e for byte in sent for e in demux.feed(bytes([byte]))]) == together(heard)
    received = again(heard, interval)
    assert sent.startswith(received.rstrip(b"\0"))
    assert len(sent) - len(received) <= 1 + 16 * 255


def test_media_without_titles() -> None:
    """A server that inserts nothing is taken as it is."""
    assert IcyDemux(0).feed(bytes(1000)) == [Media(bytes(1000))]


TITLES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=60)


@given(TITLES, TITLES.filter(str.isprintable))
def test_titles_with_anything_in_them(title: str, url: str) -> None:
    """Quotes and semicolons within a title are of the title."""
    if "='" in title + url:
        return
    said = said_in(block(f"StreamTitle='{title}';StreamUrl='{url}';".encode()))
    assert said.fields == {"StreamTitle": title, "StreamUrl": url}
    assert said.title == unescape(title).strip()


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (b"StreamTitle='It's 5 o'clock'; again';", "It's 5 o'clock'; again"),
        (b"StreamTitle='Caf\xc3\xa9';", "Café"),
        (b"StreamTitle='Caf\xe9 \x80';", "Café €"),
        (b"StreamTitle='Rock &amp; roll &#8212; live'", "Rock & roll — live"),
        (b"StreamTitle='';StreamUrl='';", ""),
        (b"StreamTitle=''", ""),
        (b"StreamTitle='cut o", "cut o"),
        (b"StreamUrl='x';StreamTitle='second';\0\0 ", "second"),
        (b"StreamTitle='first';StreamTitle='second';", "first"),
        (b"nothing of the kind", ""),
        (b"'" * 4000, ""),
        (b"a='" * 1300, ""),
    ],
)
def test_titles_of_the_world(text: bytes, title: str) -> None:
    """What servers really send, and what nobody should."""
    said = said_in(block(text))
    assert said.title == title
    assert said.raw == block(text)


def test_intervals() -> None:
    """An interval is a number that leaves media between the titles."""
    for said, interval in [("16000", 16000), ("0", 0), ("", 0)]:
        assert interval_of(_head(said)) == interval
    assert interval_of(parse_head(b"ICY 200 OK\r\n\r\n")) == 0
    for said in ["1", "-5", "9" * 30, "x", "16000, 8192"]:
        with pytest.raises(MalformedMessage):
            interval_of(_head(said))


def _head(interval: str):  # type: ignore[no-untyped-def]
    return parse_head(f"ICY 200 OK\r\nicy-metaint: {interval}\r\n\r\n".encode())


def test_no_block_takes_long() -> None:
    """A server that fills its blocks with blanks holds up nothing else: 200 take no half second."""
    hostile = b"\xff" + b"StreamTitle='" + b"\t" * 4066 + b"x"
    assert processor_seconds(lambda: [said_in(hostile) for _ in range(200)]) < 0.5
