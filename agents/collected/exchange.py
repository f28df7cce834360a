"""What a server answered, as it is kept, and a directory of such answers."""

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
    """

    url: str
    head: ResponseHead
    address: str
    date: float
    method: str = "GET"
    tls: TlsSession | None = None
    request: str = ""


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
