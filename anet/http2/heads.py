"""Heads of HTTP/2 as text: the protocol has none, and an archive keeps heads as text."""

from collections.abc import Iterable, Sequence

from anet.errors import MalformedMessage
from anet.http.message import Headers, ResponseHead, field_lines


def written_out(fields: Iterable[tuple[bytes, bytes]]) -> ResponseHead:
    """Return a head as it would read in HTTP/1: what browsers and other archives show.

    A status line `HTTP/2 200` without words, each field on a line in the order it came, an empty
    line; other pseudo-fields are left out.

    Raises:
        MalformedMessage: there is no status, or a field would end its line.
    """
    status, pairs = b"", []
    for name, value in fields:
        if name == b":status":
            status = value
        elif not name.startswith(b":"):
            pairs.append((bytes(name), bytes(value).strip()))
    if len(status) != 3 or not status.isdigit() or status < b"100":
        raise MalformedMessage(f"{status[:10]!r} is not a status of HTTP/2")
    try:
        lines = [b"HTTP/2 " + status, *field_lines(pairs)]
    except ValueError as error:
        raise MalformedMessage(str(error)) from None
    raw = b"\r\n".join(lines) + b"\r\n\r\n"
    return ResponseHead(raw, "2", int(status), b"", Headers(pairs))


def asked(
    method: str, target: str, tls: bool, fields: Iterable[tuple[bytes, bytes]]
) -> list[tuple[bytes, bytes]]:
    """Return a request's head as HTTP/2 writes it: the host is a pseudo-field, names are small."""
    authority, rest = b"", []
    for name, value in fields:
        if name.lower() == b"host":
            authority = value
        else:
            rest.append((name.lower(), value))
    return [
        (b":method", method.encode("ascii")),
        (b":scheme", b"https" if tls else b"http"),
        (b":authority", authority),
        (b":path", target.encode("latin-1")),
        *rest,
    ]


def request_written_out(fields: Sequence[tuple[bytes, bytes]]) -> bytes:
    """Return the head of a request as it would read in HTTP/1, as `written_out` does of answers.

    Args:
        fields: as `asked` gives them, safe in lines of their own.
    """
    told = dict(fields)
    begin = b" ".join((told[b":method"], told[b":path"], b"HTTP/2"))
    pairs = [(b"host", told[b":authority"])]
    pairs += [(name, value) for name, value in fields if not name.startswith(b":")]
    return b"\r\n".join([begin, *field_lines(pairs)]) + b"\r\n\r\n"
