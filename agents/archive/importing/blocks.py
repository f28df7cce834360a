"""The blocks of records: their contents into the spool, the rest beside the record."""

from collections.abc import Iterator
from typing import Any

import msgspec

from agents.archive.importing.captures import OWN
from agents.archive.importing.members import Member
from agents.archive.importing.spool import PIECE, SMALL, SliceFolder
from agents.archive.importing.sums import Sums, block_problem
from agents.archive.kept_records import Inline, Stored
from agents.posted import BODY_LIMIT
from anet.formats.payload import MOST_HEAD, Chunks, NotChunked, http_head
from anet.formats.record import DamagedRecord, Record

_INLINE = 1024  # bytes of a block that lies beside its record
_SIZES = 100_000  # of chunks that are remembered; a body with more stays as it lies
_HTTP = frozenset(("response", "revisit", "request"))
_EMPTY_CHUNK = b"0\r\n\r\n"


class Block(msgspec.Struct):
    """A block that was read.

    Attributes:
        parts: of it, in order.
        known: what its content is found by in an index of digests.
        problem: what the record says of it that is not true; empty if there is no such thing.
    """

    parts: list[Inline | Stored]
    known: list[bytes]
    problem: str = ""


class Blocks:
    """Reads blocks.

    Args:
        spool: where contents go.
    """

    def __init__(self, spool: SliceFolder) -> None:
        self._spool = spool

    def read(self, record: Record, member: Member) -> Block:
        """Read the block of a record, and say in `member` what its content is.

        Raises:
            DamagedRecord: it cannot be read to its end.
            SpoolFailed: a content cannot be written.
        """
        if record.size > SMALL:
            return self._large(record, member)
        data = _whole(record)
        if member.kind in _HTTP and _is_http(member):
            return self._message(member, data)
        if member.kind == "resource":
            return self._body(member, data, [], [])
        return self._other(member, data)

    def _message(self, member: Member, data: bytes) -> Block:
        """Take a block of HTTP apart."""
        if data.startswith(b"GET ") and member.kind == "request":
            member.head = data  # of which nobody needs more than the method
            return self._other(member, data)
        head = http_head(data, True)
        member.head = head.raw if head is not None else b""
        if not member.head or member.kind == "request":
            member.body = data[len(member.head) :][:BODY_LIMIT]
            return self._other(member, data)
        body: bytes | memoryview = memoryview(data)[len(member.head) :]
        before: list[Inline | Stored] = [Inline(member.head)]
        if member.kind == "revisit" and not body:
            return Block(before, [])
        if head is not None and head.chunked:
            if body == _EMPTY_CHUNK:  # sizes cannot say of an empty content that it was in chunks
                return self._body(member, b"", [Inline(data)], [], body)
            chunks = Chunks()
            try:
                body = chunks.feed(bytes(body))
                chunks.close()
            except NotChunked:
                body = memoryview(data)[len(member.head) :]
            else:
                framed = memoryview(data)[len(member.head) :]
                return self._body(member, body, before, chunks.sizes, framed)
        return self._body(member, body, before, [])

    def _body(
        self,
        member: Member,
        body: bytes | memoryview,
        before: list[Inline | Stored],
        chunks: list[tuple[int, int]],
        framed: bytes | memoryview | None = None,
    ) -> Block:
        """Make a content of a body; `framed` is how it lay in its chunks, if it did."""
        member.content, member.size = self._spool.add(body), len(body)
        if body:
            before.append(Stored(member.content, member.size, chunks))
        sums = Sums(member).of(body)
        lying = None if framed is None or sums.hold else Sums(member).of(framed)
        return Block(before, *sums.judged(lying))

    def _other(self, member: Member, data: bytes) -> Block:
        """Keep a block whole."""
        if len(data) <= _INLINE:
            return Block([Inline(data)] if data else [], [], block_problem(member, data))
        key = self._spool.add(data)
        return Block([Stored(key, len(data))], [], block_problem(member, data))

    def _large(self, record: Record, member: Member) -> Block:
        """Read a block that is too large for memory, through a file."""
        beginning = _some(record, min(record.size, MOST_HEAD + 1))
        is_http = member.kind in _HTTP and _is_http(member)
        head = http_head(beginning, len(beginning) == record.size) if is_http else None
        raw = head.raw if head is not None else b""
        member.head = raw
        is_content = member.kind == "resource" or (raw and member.kind != "request")
        if not is_content:
            member.body = beginning[len(raw) :][:BODY_LIMIT]
            key, size = self._spool.write(_pieces(record, beginning, record.size))
            return Block([Stored(key, size)], [])
        rest = _pieces(record, beginning[len(raw) :], record.size - len(raw))
        before: list[Inline | Stored] = [Inline(raw)] if raw else []
        lying = sums = Sums(member)
        key, size = self._spool.write(rest, *sums.updates)
        chunks: list[tuple[int, int]] = []
        if head is not None and head.chunked:
            key, size, chunks, sums = self._without_chunks(key, size, member, sums)
        member.content, member.size = key, size
        return Block([*before, Stored(key, size, chunks)], *sums.judged(lying))

    def _without_chunks(
        self, key: str, size: int, member: Member, sums: "Sums"
    ) -> tuple[str, int, list[tuple[int, int]], "Sums"]:
        """Write a large body again without its chunks; leave it as it is if they are not sound."""
        chunks, plain = Chunks(), Sums(member)

        def pieces() -> Iterator[bytes]:
            for piece in self._spool.pieces(key):
                yield chunks.feed(piece)
                if len(chunks.sizes) > _SIZES:
                    raise NotChunked(f"its chunks have more than {_SIZES} sizes")
            chunks.close()

        try:
            found, length = self._spool.write(pieces(), *plain.updates)
        except NotChunked:
            return key, size, [], sums
        self._spool.discard(key)
        return found, length, chunks.sizes, plain


def _is_http(member: Member) -> bool:
    media = member.get("content-type").lower()
    if member.kind == "request":
        return media.startswith("application/http") or not media
    target = member.target[:8].lower()
    is_answer = target.startswith(("http://", "https://")) or OWN in member.fields
    return is_answer and (media.startswith("application/http") or not media)


def _whole(record: Record) -> bytes:
    """Return a small block.

    Raises:
        DamagedRecord: it is not as long as the file says.
    """
    data = _some(record, record.size)
    if len(data) != record.size:
        raise DamagedRecord(f"its block has {len(data)} bytes of {record.size}")
    return data


def _some(record: Record, size: int) -> bytes:
    block: Any = record.block
    data: bytes = block.read(size)
    if len(data) == size or not data:
        return data
    pieces = [data]
    left = size - len(data)
    while left and (data := block.read(left)):
        pieces.append(data)
        left -= len(data)
    return b"".join(pieces)


def _pieces(record: Record, beginning: bytes, size: int) -> Iterator[bytes]:
    """Yield a block from what was read of it already to its end.

    Raises:
        DamagedRecord: it is not as long as the file says.
    """
    block: Any = record.block
    if beginning:
        yield beginning
    left = size - len(beginning)
    while left and (piece := block.read(min(left, PIECE))):
        left -= len(piece)
        yield piece
    if left:
        raise DamagedRecord(f"its block lacks {left} bytes")
