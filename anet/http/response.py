"""What a server's handler answers, and the head that goes before it."""

from collections.abc import AsyncIterator, Sequence
from email.utils import formatdate
from functools import lru_cache
from html import escape
from time import time
from urllib.parse import quote

import msgspec
from attrs import frozen

from anet.http.file_body import FileBody
from anet.http.message import HOP_BY_HOP, field_lines, reason_of
from anet.http.tunnel import Tunnel

_URL_SIGNS = "%/:?#[]@!$&'()*+,;=~|"  # and what `quote` lets stand itself

Body = bytes | FileBody | AsyncIterator[bytes]


@frozen
class Response:
    """An answer.

    Attributes:
        status: HTTP status.
        headers: its fields, without framing (Content-Length, Transfer-Encoding, Connection).
        body: bytes, part of a file, or pieces as they come.
        raw_head: a head as the web gave it. It is sent byte for byte but for the version and
            for the fields that speak of one connection; `headers` follow it.
        length: bytes of a body that comes in pieces, if known.
        tunnel: what the client of a CONNECT enters once it has this answer.
    """

    status: int
    headers: Sequence[tuple[bytes, bytes]] = ()
    body: Body = b""
    raw_head: bytes | None = None
    length: int | None = None
    tunnel: Tunnel | None = None

    @classmethod
    def text(cls, status: int, text: str) -> "Response":
        """Return a plain text."""
        return cls(status, [(b"Content-Type", b"text/plain; charset=utf-8")], text.encode())

    @classmethod
    def html(
        cls, status: int, page: str | bytes, headers: Sequence[tuple[bytes, bytes]] = ()
    ) -> "Response":
        """Return a page."""
        body = page.encode() if isinstance(page, str) else page
        return cls(status, [(b"Content-Type", b"text/html; charset=utf-8"), *headers], body)

    @classmethod
    def json(cls, status: int, value: object) -> "Response":
        """Return a value as JSON."""
        return cls(status, [(b"Content-Type", b"application/json")], msgspec.json.encode(value))

    @classmethod
    def redirect(cls, location: str, status: int = 302) -> "Response":
        """Send the client elsewhere."""
        location = quote(location, safe=_URL_SIGNS)  # what is no URL cannot end the line either
        page = f'<!doctype html><a href="{escape(location, quote=True)}">Continue</a>'
        fields = [
            (b"Content-Type", b"text/html; charset=utf-8"),
            (b"Location", location.encode("ascii")),
        ]
        return cls(status, fields, page.encode())

    @classmethod
    def to_tunnel(cls, tunnel: Tunnel) -> "Response":
        """Let the client of a CONNECT enter a tunnel."""
        return cls(200, raw_head=b"HTTP/1.1 200 Connection established\r\n\r\n", tunnel=tunnel)

    def body_length(self) -> int | None:
        """Return the bytes of the body, or None when they are known only at its end."""
        if isinstance(self.body, bytes):
            return len(self.body)
        return self.body.length if isinstance(self.body, FileBody) else self.length

    def bodiless(self) -> bool:
        """Tell whether such a response never has a body (RFC 9110 §6.4.1)."""
        return self.status < 200 or self.status in (204, 304) or self.tunnel is not None

    def head(self, keep_alive: bool, chunked: bool) -> bytes:
        """Return the head as it goes out.

        Raises:
            ValueError: a field of `headers` holds the end of a line, and would begin another.
        """
        length = self.body_length()
        said = b"%d" % length if length is not None and not self.bodiless() else None
        if self.raw_head is None:
            lines = [b"HTTP/1.1 %d %s" % (self.status, reason_of(self.status).encode())]
            lines.append(b"Date: " + date_now())
        else:
            lines, kept_length = kept_lines(self.raw_head, said)
            said = None if kept_length else said
        lines += field_lines(self.headers)
        if said is not None:
            lines.append(b"Content-Length: " + said)
        elif chunked and not self.bodiless():
            lines.append(b"Transfer-Encoding: chunked")
        if self.tunnel is None:
            lines.append(b"Connection: " + (b"keep-alive" if keep_alive else b"close"))
        return b"\r\n".join(lines) + b"\r\n\r\n"


def kept_lines(raw_head: bytes, length: bytes | None) -> tuple[list[bytes], bool]:
    """Return the lines of a received head that may be sent on.

    The version becomes 1.1 and the fields of one connection go; so does a Content-Length that
    is not `length`. Everything else stays as it was, byte for byte.

    Returns:
        The lines, and whether a Content-Length is among them.
    """
    received = raw_head.replace(b"\r\n", b"\n").rstrip(b"\n").split(b"\n")
    lines = [b"HTTP/1.1" + received[0][received[0].find(b" ") :]]
    kept = True
    has_length = False
    for line in received[1:]:
        if line[:1] not in (b" ", b"\t"):  # a folded line goes where its field goes
            name, colon, value = line.partition(b":")
            name = name.strip().lower()
            kept = bool(colon) and name not in HOP_BY_HOP
            if name == b"content-length":
                kept = not has_length and value.strip() == length
                has_length = has_length or kept
        if kept:
            lines.append(line)
    return lines, has_length


@lru_cache(maxsize=1)
def _date_of(second: int) -> bytes:
    return formatdate(second, usegmt=True).encode()


def date_now() -> bytes:
    """Return what a `Date` field says now."""
    return _date_of(int(time()))
