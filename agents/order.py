"""What a scheduler asks of a site crawler, and what the crawler says of its progress."""

from enum import StrEnum
from typing import Any, Final
from urllib.parse import urlsplit

from attrs import field, frozen, validators

HIDDEN: Final = {"hidden": True}  # metadata of fields whose values no message shows
CODINGS: Final = ("gzip", "br", "zstd")  # content codings that crawlers read


def _are_codings(_instance: object, _attribute: Any, value: tuple[str, ...]) -> None:
    if not set(value) <= set(CODINGS):
        raise ValueError(f"some of {', '.join(CODINGS)}")


def _is_proxy(_instance: object, _attribute: Any, value: str | None) -> None:
    if value is None:
        return
    try:
        found = urlsplit(value)
        good = found.scheme in ("http", "socks5") and found.hostname and found.port
    except ValueError:
        good = False
    if not good:
        raise ValueError("http://host:port or socks5://host:port")


@frozen
class Politeness:
    """How gently a site is collected (*INA §1.4.4*).

    Attributes:
        delay: seconds owed to a server for each request to it.
        group: seconds of delay that may add up before the connection is closed to pay them.
        slow_down: seconds owed besides for each second by which a server answers later than it
            usually does; 0 leaves a server that slows down at the same pace.
        requests_per_period: requests to one server in a period; 0 means any number.
        bytes_per_period: bytes of bodies from one server in a period; 0 means any number.
        period: seconds of a period.
        robots: whether robots.txt (RFC 9309) is obeyed; an operator with a legal mandate may not.
        user_agent: how the crawler names itself.
    """

    delay: float = 0.5
    group: float = 15.0
    slow_down: float = 5.0
    requests_per_period: int = 0
    bytes_per_period: int = 0
    period: float = 3600.0
    robots: bool = True
    user_agent: str = "dlweb/0.1 (+https://dlweb.invalid/crawler)"


@frozen
class Strategy:
    """What is followed beyond the delimitation, and where following stops (*INA §1.4.1*).

    Attributes:
        dynamic_depth: page links followed from the start when they look dynamic.
        directory_limit: URLs followed of one directory of a server.
        script_limit: sets of parameters followed of one dynamic script.
        sessions: whether identifiers of sessions are removed from URLs.
        sitemaps: whether the pages that sitemaps name are followed.
        feeds: whether the pages that feeds name are followed.
        scripts: whether JavaScript is run to find what it links to.
        partial: whether HTML is read by the fast parser that finds most links, not all.
    """

    dynamic_depth: int = field(default=50, validator=validators.ge(0))
    directory_limit: int = field(default=100_000, validator=validators.ge(1))
    script_limit: int = field(default=20_000, validator=validators.ge(1))
    sessions: bool = True
    sitemaps: bool = True
    feeds: bool = True
    scripts: bool = True
    partial: bool = False


@frozen
class Cookie:
    """A cookie that is sent from the first request on, such as a reader's consent.

    Attributes:
        domain: host it is sent to; with a leading dot, to its subdomains too.
        name: its name.
        value: its value.
        path: beginning of the paths that it is sent to.
    """

    domain: str
    name: str
    value: str = field(repr=False, metadata=HIDDEN)
    path: str = "/"


@frozen
class Credential:
    """A name and password for HTTP authentication (RFC 7617, RFC 7616).

    Attributes:
        host: host that asks for it, with `:port` if it is not the usual one.
        user: name.
        password: password.
        realm: realm that asks for it; empty for any.
    """

    host: str
    user: str
    password: str = field(repr=False, metadata=HIDDEN)
    realm: str = ""


@frozen
class Access:
    """How servers are spoken to (*INA §1.4.4*).

    Attributes:
        codings: content codings asked for, in order of preference: gzip, br, zstd; none, as in
            the paper, when empty.
        cookies: whether cookies that servers set are kept for the crawl and sent back.
        given_cookies: sent from the first request on; each has a domain, a name, a value and,
            if not all, a path.
        credentials: for servers that ask who is there; each has a host, a user, a password and,
            if not any, a realm.
        proxy: through which everything is fetched, `http://host:port` or `socks5://host:port`,
            with `user:password@` where it asks for them; null means none.
        http2: whether HTTP/2 is spoken with servers that offer nothing else.
        conditional: whether URLs of the former crawl are asked for only if they changed, and
            what has not changed is neither fetched nor read again (*INA §1.5.2*).
    """

    codings: tuple[str, ...] = field(default=(), validator=_are_codings)
    cookies: bool = True
    given_cookies: tuple[Cookie, ...] = ()
    credentials: tuple[Credential, ...] = ()
    proxy: str | None = field(default=None, validator=_is_proxy, repr=False, metadata=HIDDEN)
    http2: bool = True
    conditional: bool = False


@frozen
class Analysis:
    """What is worked out of the text of new contents (*INA §1.4.5*).

    Attributes:
        enabled: whether text is analysed at all.
        keywords: words and sentences looked for, which tell whether a site is of a topic.
    """

    enabled: bool = True
    keywords: tuple[str, ...] = ()


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
        strategy: what is followed, and where that stops.
        access: how servers are spoken to.
        analysis: what is worked out of text.
        private_networks: whether addresses of private networks and loopback may be fetched.
        former: directory that holds `signatures` and `structure` of the former crawl, or none.
        content_limit: bytes of one content past which it is cut off and reported.
        urls: canonical URLs of the site that are collected besides, as if it began there, too.
        archive_date: date, 20 digits, at which an archive is collected instead of the living web;
            it is the proxy, is asked for https URLs as for all others, and need not be spared.
            Empty for the living web.
    """

    crawl: str
    site: str
    start_url: str
    accept: str
    reject: str = ""
    maximum_depth: int = 150
    politeness: Politeness = field(factory=Politeness)
    strategy: Strategy = field(factory=Strategy)
    access: Access = field(factory=Access)
    analysis: Analysis = field(factory=Analysis)
    private_networks: bool = False
    former: str | None = None
    content_limit: int = 2**31
    urls: tuple[str, ...] = ()
    archive_date: str = ""


class Fault(StrEnum):
    """Whose fault it is that a crawl is not whole; it tells whether another crawler may try."""

    SITE = "site"  # or its order: nobody would do better
    CRAWLER = "crawler"  # or its machine: another may do better
    DISK = "disk"  # it is full: the same crawler may do better later


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
        waiting_until: when that ends, in seconds since the epoch; 0 when nobody can tell.
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
    waiting_until: float = 0.0
