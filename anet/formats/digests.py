"""The digests that records declare, checked while their blocks are read."""

import hashlib
from base64 import b16decode, b32decode
from binascii import Error as NotBase
from collections.abc import Iterable, Iterator

from attrs import evolve, frozen
from zope.interface import implementer

from anet.formats.payload import Chunks, NotChunked, http_head
from anet.formats.record import Damage, DamagedRecord, IBlock, Record

_BLOCK, _PAYLOAD = "WARC-Block-Digest", "WARC-Payload-Digest"
_PIECE = 256 * 1024
_ALGORITHMS = {"sha1": 20, "sha256": 32, "sha512": 64, "md5": 16}
_OF_OTHERS = ("revisit", "continuation")  # their payload digests are of other records' payloads


@frozen
class WrongDigest(Damage):
    """A record was read to its end, and is not what its digest says; it is as in the file."""


@frozen
class Declared:
    """A digest that a record declares.

    Attributes:
        algorithm: such as "sha1".
        value: its bytes.
    """

    algorithm: str
    value: bytes


def declared(text: str) -> Declared | None:
    """Return the digest that a field says, in base32 or hexadecimal; None if it says none."""
    name, _, value = text.strip().partition(":")
    algorithm = name.lower().replace("-", "")
    size = _ALGORITHMS.get(algorithm, -1)
    for decode in (_hexadecimal, _base32):
        try:
            found = decode(value.strip())
        except (NotBase, ValueError):
            continue
        if len(found) == size:
            return Declared(algorithm, found)
    return None


def verified(records: Iterable[Record | Damage]) -> Iterator[Record | Damage]:
    """Yield records and damage, and a `WrongDigest` after a record whose digests do not hold.

    Knows WARC-Block-Digest and WARC-Payload-Digest, in SHA-1, SHA-256, SHA-512 or MD5, base32 or
    hexadecimal. The payload of HTTP may be counted with its chunks, as most tools do, or without,
    as ISO 28500 has it. A block that is not read to its end is not judged; nor is a revisit, of
    which wget writes the digest of the response that it leaves out.
    """
    for each in records:
        if isinstance(each, Damage):
            yield each
            continue
        block = _Checked(each)
        yield evolve(each, block=block)
        if block.wrong:
            yield WrongDigest(each.offset, each.offset, f"digest: {block.wrong} does not hold")


def is_proven(record: Record) -> bool:
    """Read the block of a record; return whether it declares a digest, and all of them hold."""
    block = _Checked(record)
    if not block.is_judged:
        return False
    try:
        while block.read(_PIECE):
            pass
    except DamagedRecord:
        return False
    return not block.wrong


@implementer(IBlock)
class _Checked:
    """A block that is hashed while it is read."""

    def __init__(self, record: Record) -> None:
        block: IBlock = record.block  # type: ignore[assignment]
        self._block, self._left = block, record.size
        said = {name: declared(record.get(name)) for name in (_BLOCK, _PAYLOAD)}
        self._whole = _Sum(None if record.kind == "revisit" else said[_BLOCK])
        payload = None if record.kind in _OF_OTHERS else said[_PAYLOAD]
        self._payload = _Payload(payload, _is_http(record)) if payload else None

    def read(self, size: int) -> bytes:
        """Return the next bytes; nothing at the end."""
        data = self._block.read(size)
        self._left -= len(data)
        self._whole.update(data)
        if self._payload:
            self._payload.update(data, self._left == 0)
        return data

    @property
    def is_judged(self) -> bool:
        """Return whether there is a digest that can be compared."""
        return self._whole.is_judged or self._payload is not None

    @property
    def wrong(self) -> str:
        """Return the field that does not hold; empty if all do, or not all was read."""
        if self._left:
            return ""
        if not self._whole.holds:
            return _BLOCK
        return "" if not self._payload or self._payload.holds else _PAYLOAD


class _Sum:
    """A digest in the making."""

    def __init__(self, said: Declared | None) -> None:
        self._said = said
        self._hash = hashlib.new(said.algorithm, usedforsecurity=False) if said else None

    def update(self, data: bytes) -> None:
        if self._hash:
            self._hash.update(data)

    @property
    def is_judged(self) -> bool:
        return self._hash is not None

    @property
    def holds(self) -> bool:
        return not (self._hash and self._said) or self._hash.digest() == self._said.value


class _Payload:
    """The digest of a payload: what follows the head, as it lies there and without chunks."""

    def __init__(self, said: Declared, is_http: bool) -> None:
        self._said, self._head = said, b"" if is_http else None
        self._sums = [_Sum(said)]
        self._chunks: Chunks | None = None

    def update(self, data: bytes, ended: bool) -> None:
        if self._head is not None:
            self._head += data
            head = http_head(self._head, ended)
            if head is None:
                return
            data, self._head = self._head[len(head.raw) :], None
            if head.chunked:
                self._chunks = Chunks()
                self._sums.append(_Sum(self._said))
        self._sums[0].update(data)
        if self._chunks:
            try:
                self._sums[1].update(self._chunks.feed(data))
            except NotChunked:
                self._chunks = None

    @property
    def holds(self) -> bool:
        return any(each.holds for each in self._sums)


def _is_http(record: Record) -> bool:
    return record.get("Content-Type").lower().startswith("application/http")


def _hexadecimal(value: str) -> bytes:
    return b16decode(value, casefold=True)


def _base32(value: str) -> bytes:
    return b32decode(value + "=" * (-len(value) % 8), casefold=True)
