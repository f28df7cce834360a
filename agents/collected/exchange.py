"""What a server answered, as it is kept, and a directory of such answers."""

from collections.abc import Sequence
from pathlib import Path

from attrs import frozen

from agents.order import CrawlFigures
from anet.http import ResponseHead
from anet.tls import TlsSession


@frozen
class Exchange:
    """An answer, but for its body.

    Attributes:
        url: canonical; of a request with a body, as `agents.posted` writes it.
        head: as received, whatever its status.
        address: `ip:port` of the server.
        date: when the answer began, in seconds since the epoch.
        method: of the request.
        tls: what was agreed upon over TLS.
        request: the lines of `agents.origin` that keep what was sent; or nothing.
        site: the site to which it belongs; empty for that of all captures of the agent.
        told: what else its origin says, names and values.
    """

    url: str
    head: ResponseHead
    address: str
    date: float
    method: str = "GET"
    tls: TlsSession | None = None
    request: str = ""
    site: str = ""
    told: tuple[tuple[str, str], ...] = ()


@frozen
class Dated:
    """A date at which a content was received, or a place in it was.

    Attributes:
        date: 20 digits; another than those of all other captures of the URL.
        metadata: what a line of a structure file says of it.
        told: what its origin says beside the usual, names and values.
        tls: what was agreed upon over TLS, if its origin is to say so.
        request: the lines of `agents.origin` that keep what was sent; or nothing.
    """

    date: str
    metadata: str = ""
    told: tuple[tuple[str, str], ...] = ()
    tls: TlsSession | None = None
    request: str = ""


@frozen
class Closed:
    """A content that lies in a file already, and all its captures.

    Attributes:
        url: its name in the archive.
        file: where it lies, on the file system of the crawls; never changed any more.
        content: SHA-256, hexadecimal.
        size: bytes.
        captures: at least one.
        site: the site to which it belongs.
        status: what was answered.
        head: as received.
        address: `ip:port` of the server.
    """

    url: str
    file: Path
    content: str
    size: int
    captures: Sequence[Dated]
    site: str = ""
    status: int = 200
    head: bytes = b""
    address: str = ""


@frozen
class Collected:
    """Captures in the directory of a crawl.

    Attributes:
        crawl: its name.
        directory: where it lies, whole.
        figures: what is in it.
    """

    crawl: str
    directory: str
    figures: CrawlFigures
