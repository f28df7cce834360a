"""What a URL asks of whom."""

from urllib.parse import urlsplit

from attrs import frozen

from anet.errors import ConnectFailed
from anet.names import ascii_name


@frozen
class Place:
    """Where a web server is.

    Attributes:
        host: its name or IP address, without brackets.
        port: its port.
        tls: whether it speaks TLS.
        authority: its Host field.
    """

    host: str
    port: int
    tls: bool
    authority: bytes


def read_url(url: str) -> tuple[Place, str]:
    """Return where a URL leads, and the target to ask for there.

    Raises:
        ConnectFailed: it is not the URL of a web server.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise ConnectFailed(f"{url[:80]!r} is not a URL: {error}") from None
    if parts.scheme not in ("http", "https") or not parts.hostname or not url.isascii():
        raise ConnectFailed(f"{url[:80]!r} is not an http URL in ASCII")
    tls = parts.scheme == "https"
    host = parts.hostname if ":" in parts.hostname else ascii_name(parts.hostname)
    authority = parts.netloc.rpartition("@")[2].encode()
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Place(host, port or (443 if tls else 80), tls, authority), target
