"""What the two sides of HTTP share: header fields and response heads, kept as received."""

from collections.abc import Iterable, Iterator
from http import HTTPStatus

from attrs import frozen

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

    __slots__ = ("_pairs",)

    def __init__(self, pairs: Iterable[tuple[bytes, bytes]] = ()) -> None:
        self._pairs = tuple(pairs)

    def get_all(self, name: bytes) -> list[bytes]:
        """Return the values of every field of that name."""
        wanted = name.lower()
        return [value for key, value in self._pairs if key.lower() == wanted]

    def get(self, name: bytes) -> bytes | None:
        """Return the values of that name joined by commas, or None when there is none."""
        values = self.get_all(name)
        return b", ".join(values) if values else None

    def text(self, name: bytes) -> str:
        """Return the first value of that name as text, or nothing; for fields of one value."""
        values = self.get_all(name)
        return values[0].decode("latin-1").strip() if values else ""

    def __contains__(self, name: bytes) -> bool:
        return bool(self.get_all(name))

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
        version: `1.1`, `1.0`.
        status: 100 to 999.
        reason: the words after the status, maybe none.
        headers: its fields.
    """

    raw: bytes
    version: str
    status: int
    reason: bytes
    headers: Headers


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
    if not version.upper().startswith(b"HTTP/") or not status[:3].isdigit():
        raise ValueError(f"not a status line: {lines[0][:60]!r}")
    pairs: list[tuple[bytes, bytes]] = []
    for line in lines[1:]:
        if line[:1] in (b" ", b"\t") and pairs:  # a folded field goes on (RFC 9112 §5.2)
            name, value = pairs[-1]
            pairs[-1] = (name, value + b" " + line.strip())
            continue
        name, colon, value = line.partition(b":")
        if colon:
            pairs.append((name.strip(), value.strip()))
    return ResponseHead(raw, version[5:].decode("latin-1"), int(status[:3]), reason, Headers(pairs))
