"""What a scheduler asks of a site crawler, and what the crawler says of its progress."""

from attrs import field, frozen


@frozen
class Politeness:
    """How gently a site is collected (*INA §1.4.4*).

    Attributes:
        delay: seconds owed to a server for each request to it.
        group: seconds of delay that may add up before the connection is closed to pay them.
        robots: whether robots.txt (RFC 9309) is obeyed; an operator with a legal mandate may not.
        user_agent: how the crawler names itself.
    """

    delay: float = 0.5
    group: float = 15.0
    robots: bool = True
    user_agent: str = "dlweb/0.1 (+https://dlweb.invalid/crawler)"


@frozen
class Order:
    """A collect order: one site, once (*INA §1.4.1, §1.5*).

    Attributes:
        crawl: the name of the crawl; also of its directory.
        site: the name of the site.
        start_url: where the crawl begins.
        accept: expression of what is internal (see `agents.delimitation`).
        reject: expression of what is not, although accepted.
        maximum_depth: page links followed from the start.
        politeness: how gently.
        private_networks: whether addresses of private networks and loopback may be fetched.
        former: directory that holds `signatures` and `structure` of the former crawl, or none.
        content_limit: bytes of one content past which it is cut off and reported.
    """

    crawl: str
    site: str
    start_url: str
    accept: str
    reject: str = ""
    maximum_depth: int = 150
    politeness: Politeness = field(factory=Politeness)
    private_networks: bool = False
    former: str | None = None
    content_limit: int = 2**31


@frozen
class CrawlFigures:
    """Where a crawl stands; all counts since its start.

    Attributes:
        captures: answers recorded.
        pages: of these, the ones reached by page links.
        contents_new: contents that no former crawl of the site had.
        contents_known: answers whose content was known.
        bytes_received: bytes of bodies.
        failures: URLs that gave no answer.
        queued: URLs waiting.
        depth: the level being collected.
        seconds: time since the start.
        urls_new: URLs that the former crawl did not have.
        urls_changed: URLs whose content differs from the former crawl's.
        urls_unchanged: URLs whose content is the former crawl's.
        waiting_for: why nothing is being fetched now, or empty.
    """

    captures: int = 0
    pages: int = 0
    contents_new: int = 0
    contents_known: int = 0
    bytes_received: int = 0
    failures: int = 0
    queued: int = 0
    depth: int = 0
    seconds: float = 0.0
    urls_new: int = 0
    urls_changed: int = 0
    urls_unchanged: int = 0
    waiting_for: str = ""
