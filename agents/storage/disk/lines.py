"""The fixed-size line of a structure file: pure encoding and decoding (*INA §2.2.2*).

date(20) SP sha256(64) SP size(15) SP status(3) SP offset(12) SP origin length(6)
SP head length(7) SP metadata(16, padded with spaces) SP checksum(8) LF

The checksum is the CRC-32 of the line up to the space before it, and of the origin and the head
that it points at, in hexadecimal: so a line proves itself and what it stands for.
"""

import re
import zlib
from hashlib import sha256

from attrs import frozen

from agents.capture import HEAD_LIMIT, METADATA_LIMIT, ORIGIN_LIMIT, Capture, is_key
from agents.dates import InvalidDate, to_datetime
from agents.storage.errors import DamagedStructure, InvalidCapture

SIZE = 160  # bytes of a line
COVERED = 150  # bytes of a line that its checksum covers
PREFIX = 85  # bytes of date, space and key: by these lines are sorted, and are the same
_SIZE_LIMIT = 10**15 - 1
_OFFSET_LIMIT = 10**12 - 1
_URL_LIMIT = 1 << 16  # bytes
_UNPRINTABLE = re.compile(r"[\x00-\x20\x7f]")
_METADATA = re.compile(rf"[ -~]{{0,{METADATA_LIMIT}}}(?<! )")
_FORMAT = re.compile(
    rb"(\d{20}) ([0-9a-f]{64}) (\d{15}) (\d{3}) (\d{12}) (\d{6}) (\d{7}) ([ -~]{16})"
    rb" ([0-9a-f]{8})\n"
)


@frozen
class Line:
    """One line of a `.captures` file.

    Attributes:
        date: when the URL answered, 20 digits.
        content: SHA-256 of the body, hexadecimal.
        size: bytes of the body.
        status: HTTP status of the answer.
        offset: where in the `.heads` file origin and head begin.
        origin_length: bytes of the origin there.
        head_length: bytes of the head that follows it.
        metadata: for streamed contents, the time offset inside the content; else empty.
        checksum: CRC-32, see above.
    """

    date: str
    content: str
    size: int
    status: int
    offset: int
    origin_length: int
    head_length: int
    metadata: str = ""
    checksum: int = 0

    @property
    def prefix(self) -> bytes:
        """Return what lines are sorted by."""
        return prefix(self.date, self.content)

    @property
    def covered(self) -> bytes:
        """Return the bytes of the line that its checksum covers."""
        return _covered(self, self.offset, self.origin_length, self.head_length)

    def encode(self) -> bytes:
        """Return the line's 160 bytes; the capture must have passed `check`."""
        return _whole(self.covered, self.checksum)

    @property
    def length(self) -> int:
        """Bytes of origin and head together."""
        return self.origin_length + self.head_length

    @classmethod
    def decode(cls, line: bytes) -> "Line":
        """Read a line.

        Raises:
            DamagedStructure: it is not one.
        """
        match = _FORMAT.fullmatch(line)
        if match is None:
            raise DamagedStructure(f"not a structure line: {line[:PREFIX]!r}…")
        date, content, size, status, offset, origin, head, metadata, checksum = match.groups()
        return cls(
            date=date.decode("ascii"),
            content=content.decode("ascii"),
            size=int(size),
            status=int(status),
            offset=int(offset),
            origin_length=int(origin),
            head_length=int(head),
            metadata=metadata.decode("ascii").rstrip(" "),
            checksum=int(checksum, 16),
        )


def prefix(date: str, content: str = "") -> bytes:
    """Return what a line of this date and content begins with."""
    return f"{date} {content}".encode("ascii")


def line_of(capture: Capture, origin: bytes, offset: int) -> bytes:
    """Return the encoded line of a capture that passed `check`.

    Args:
        capture: the capture.
        origin: its origin, encoded.
        offset: where origin and head lie.

    Raises:
        InvalidCapture: the offset has no place in a line.
    """
    if offset > _OFFSET_LIMIT:
        raise InvalidCapture(f"the heads of {capture.url[:200]} take more than {_OFFSET_LIMIT} B")
    covered = _covered(capture, offset, len(origin), len(capture.head))
    return _whole(covered, checksum_of(covered, origin + capture.head))


def _covered(capture: Capture | Line, offset: int, origin: int, head: int) -> bytes:
    """Return a line up to its checksum; `origin` and `head` are in bytes."""
    return (
        f"{capture.date} {capture.content} {capture.size:015} {capture.status:03} {offset:012}"
        f" {origin:06} {head:07} {capture.metadata:<16}"
    ).encode("ascii")


def _whole(covered: bytes, checksum: int) -> bytes:
    return b"%s %08x\n" % (covered, checksum)


def checksum_of(line: bytes, data: bytes) -> int:
    """Return the checksum of an encoded line, whatever it says of itself, with its data."""
    return zlib.crc32(data, zlib.crc32(line[:COVERED]))


def check(capture: Capture) -> None:
    """Make sure that a capture fits a line.

    Raises:
        InvalidCapture: a value has no place in it; the message says which.
    """
    if problem := _problem(capture):
        raise InvalidCapture(f"capture of {capture.url[:200]!r}: {problem}")


def _problem(capture: Capture) -> str:
    """Return what is wrong with a capture, or an empty text."""
    if not capture.url or _UNPRINTABLE.search(capture.url):
        return "a URL has no spaces or control characters"
    if len(encode_text(capture.url)) > _URL_LIMIT:
        return f"a URL has at most {_URL_LIMIT} bytes"
    if not _is_date(capture.date):
        return f"{capture.date[:40]!r} is not a date of 20 digits"
    if not is_key(capture.content):
        return f"{capture.content[:80]!r} is not a SHA-256 in lower-case hexadecimal"
    if not 0 <= capture.size <= _SIZE_LIMIT:
        return f"the size {capture.size} does not fit 15 digits"
    if not 0 <= capture.status <= 999:
        return f"the status {capture.status} does not fit 3 digits"
    if len(capture.head) > HEAD_LIMIT:
        return f"the head has {len(capture.head)} bytes; {HEAD_LIMIT} fit"
    if len(encode_text(capture.origin)) > ORIGIN_LIMIT:
        return f"the origin has more than {ORIGIN_LIMIT} bytes"
    if capture.metadata and not _METADATA.fullmatch(capture.metadata):
        return f"metadata is at most {METADATA_LIMIT} ASCII characters, no space at the end"
    return ""


def encode_text(text: str) -> bytes:
    """Return text as it is written: UTF-8, lone surrogates kept as `agents.capture` hashes them."""
    return text.encode("utf-8", "surrogatepass")


def decode_text(data: bytes) -> str:
    """Return what `encode_text` was given; bytes that it never wrote are replaced, not refused."""
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace")


def mark(prefixes: list[bytes]) -> int:
    """Return a 64-bit mark of a set of captures, whatever their order.

    Two copies of a structure file have the same captures when they have the same mark; the mark
    of a larger set is that of the smaller one XOR those of the captures added.
    """
    result = 0
    for each in prefixes:
        result ^= int.from_bytes(sha256(each).digest()[:8], "big")
    return result


def _is_date(text: str) -> bool:
    try:
        to_datetime(text)
    except InvalidDate:
        return False
    return True
