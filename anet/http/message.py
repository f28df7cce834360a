"""What the two sides of HTTP share: header fields and response heads, kept as received."""

import re
from collections.abc import Iterable, Iterator, Mapping
from http import HTTPStatus

from attrs import frozen

from anet.errors import UnsafeMessage

_METHOD = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_TARGET = re.compile(r"[!-~\x80-\xff]+")  # no space, no control character

HOP_BY_HOP = frozenset(
    (
        b"connection",
        b"keep-alive",
        b"proxy-authenticate",
        b"proxy-authorization",
        b"proxy-connection",
        b"te",
        b"trailer",
        b"transfer-encoding",
        b"upgrade",
    )
)  # RFC 9110 §7.6.1: they speak of one connection, not of the message


class Headers:
    """Header fields in the order they came, found whatever the case of the name."""

    __slots__ = ("_by_name", "_pairs")

    def __init__(self, pairs: Iterable[tuple[bytes, bytes]] = ()) -> None:
        self._pairs = tuple(pairs)
        self._by_name: dict[bytes, list[bytes]] | None = None  # made when first asked

    @property
    def by_name(self) -> Mapping[bytes, list[bytes]]:
        """The values of each name, in small letters."""
        found = self._by_name
        if found is None:
            self._by_name = found = {}
            for key, value in self._pairs:
                found.setdefault(key.lower(), []).append(value)
        return found

    def get_all(self, name: bytes) -> list[bytes]:
        """Return the values of every field of that name."""
        return [*self.by_name.get(name.lower(), ())]

    def get(self, name: bytes) -> bytes | None:
        """Return the values of that name joined by commas, or None when there is none."""
        values = self.by_name.get(name.lower())
        return b", ".join(values) if values else None

    def text(self, name: bytes) -> str:
        """Return the first value of that name as text, or nothing; for fields of one value."""
        values = self.by_name.get(name.lower())
        return values[0].decode("latin-1").strip() if values else ""

    def __contains__(self, name: bytes) -> bool:
        return name.lower() in self.by_name

    def __iter__(self) -> Iterator[tuple[bytes, bytes]]:
        return iter(self._pairs)

    def __len__(self) -> int:
        return len(self._pairs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Headers) and self._pairs == other._pairs

    def __hash__(self) -> int:
        return hash(self._pairs)

    def __repr__(self) -> str:
        return f"Headers({self._pairs!r})"


@frozen
class ResponseHead:
    """A response up to its empty line.

    Attributes:
        raw: the bytes as received, from the status line to the empty line and with it.
        version: `1.1`, `1.0`, `2`; empty if the server did not call it HTTP.
        status: 100 to 999.
        reason: the words after the status, maybe none.
        headers: its fields.
    """

    raw: bytes
    version: str
    status: int
    reason: bytes
    headers: Headers


def field_lines(pairs: Iterable[tuple[bytes, bytes]]) -> list[bytes]:
    """Return header fields as the lines of a head.

    Raises:
        ValueError: one holds the end of a line; what follows would pass for another field.
    """
    lines = [name + b": " + value for name, value in pairs]
    if _breaks(b"".join(lines)):
        broken = next(filter(_breaks, lines))
        raise ValueError(f"a header field of more than one line: {broken[:80]!r}")
    return lines


def _breaks(text: bytes) -> bool:
    return b"\n" in text or b"\r" in text or b"\0" in text


def request_head(
    method: str, target: str, headers: Iterable[tuple[bytes, bytes]], length: int | None
) -> bytes:
    """Return the head of a request.

    Raises:
        UnsafeMessage: a part of it would end its line, and pass for another field or request.
    """
    if not _METHOD.fullmatch(method) or not _TARGET.fullmatch(target):
        raise UnsafeMessage(f"{method[:20]!r} {target[:80]!r} is not the beginning of a request")
    try:
        lines = [f"{method} {target} HTTP/1.1".encode("latin-1"), *field_lines(headers)]
    except ValueError as error:
        raise UnsafeMessage(str(error)) from None
    if length is not None:
        lines.append(b"Content-Length: %d" % length)
    return b"\r\n".join(lines) + b"\r\n\r\n"


def end_of_head(buffer: bytes) -> int | None:
    """Return where a head ends; some servers write bare line feeds."""
    usual = buffer.find(b"\n\r\n")
    # Bare line feeds after the usual end are of the body, which is not looked through for them.
    bare = buffer.find(b"\n\n") if usual < 0 else buffer.find(b"\n\n", 0, usual + 1)
    if bare >= 0:
        return bare + 2
    return usual + 3 if usual >= 0 else None


def reason_of(status: int) -> str:
    """Return the usual words for a status."""
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Unknown"


def parse_head(raw: bytes) -> ResponseHead:
    """Read a response head that the archive holds; lenient, since it came from the web.

    Raises:
        ValueError: there is no status line.
    """
    lines = raw.replace(b"\r\n", b"\n").rstrip(b"\n").split(b"\n")
    version, _, rest = lines[0].partition(b" ")
    status, _, reason = rest.strip().partition(b" ")
    digits = status[:3]
    known = version.upper().startswith((b"HTTP/", b"RTSP/")) or version == b"ICY"  # of old radios
    if not (known and digits.isdigit() and int(digits) >= 100):
        raise ValueError(f"not a status line: {lines[0][:60]!r}")
    pairs: list[tuple[bytes, bytes]] = []
    for line in lines[1:]:
        if line.startswith((b" ", b"\t")) and pairs:  # a folded field goes on (RFC 9112 §5.2)
            name, value = pairs[-1]
            pairs[-1] = (name, value + b" " + line.strip())
            continue
        name, colon, value = line.partition(b":")
        if colon:
            pairs.append((name.strip(), value.strip()))
    return ResponseHead(raw, version[5:].decode("latin-1"), int(digits), reason, Headers(pairs))
