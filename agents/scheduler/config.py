"""The `scheduler` section of the configuration."""

from typing import Any

from attrs import field, frozen, validators

from agents.configuration.checks import is_address, is_link_address
from agents.filters import Filters
from agents.order import HIDDEN, Access, Analysis, Strategy
from agents.scheduler.streams.settings import StreamsConfig
from agents.scheduler.temporal.settings import TemporalConfig

MISSED = ("no", "note", "collect")


def _is_database(_instance: object, _attribute: Any, value: str | None) -> None:
    if value is not None and not value.startswith(("postgresql://", "postgres://")):
        raise ValueError("postgresql://user:password@host/database")


@frozen
class ExpansionConfig:
    """How sites are found to which others lead (*INA §1.5.1*).

    Attributes:
        enabled: whether links out of members are followed to other sites; if not, there are the
            sites that a person orders.
        filters: what a site has to pass to be, and to stay, a member.
        candidates_per_day: sites that are let in to be judged in a day (UTC), the first by
            priority; with 0 they are only noted.
        candidates_waiting: candidates at most that wait to be collected and judged.
        first_depth: page links followed from the start of a candidate, to judge it.
        patience: how often a candidate is tried that cannot be collected.
        maximum_depth: page links followed from the start of a site that was found.
        keep_failed: whether what was collected of a site that fails is kept in the archive.
        private_networks: whether a site that is found may lie on a private network or loopback.
        ranks_every: seconds after which the ranks of all sites are worked out anew at the latest.
        ranks_after: new links after which they are worked out anew at once.
    """

    enabled: bool = False
    filters: Filters = field(factory=Filters)
    candidates_per_day: int = field(default=1000, validator=validators.ge(0))
    candidates_waiting: int = field(default=1000, validator=validators.ge(1))
    first_depth: int = field(default=3, validator=validators.ge(0))
    patience: int = field(default=3, validator=validators.ge(1))
    maximum_depth: int = field(default=150, validator=validators.ge(0))
    keep_failed: bool = False
    private_networks: bool = False
    ranks_every: float = field(default=86_400.0, validator=validators.ge(60.0))
    ranks_after: int = field(default=100_000, validator=validators.ge(1))


@frozen
class SchedulerConfig:
    """How sites are given to crawlers.

    Attributes:
        address: where slaves connect, "host:port"; null means the base port.
        pages: where the monitoring page is; null means base port + 1.
        maximum_crawlers: site crawlers that may work at once; a nursery is asked for more up
            to that number when there is work for them.
        attempts: how often a crawl is given to a crawler before it is given up.
        absence: seconds that a crawler whose link closed may stay away before its crawl is
            given to another.
        restart_absence: the same after the scheduler itself was away.
        addresses: whether hosts of sites are looked up before they are collected, as crawlers do
            it, so that no two sites of one address are collected at once; without that, sites of
            one host take turns.
        maximum_depth: page links followed from the start of a site that is ordered by its URL.
        delay: seconds owed to a web server for each request to it.
        slow_down: seconds owed besides for each second by which a web server answers later than
            it usually does; 0 turns this off.
        requests_per_period: requests to one web server in a period; 0 means any number.
        bytes_per_period: bytes of bodies from one web server in a period; 0 means any number.
        period: seconds of a period.
        robots: whether robots.txt is obeyed; an operator with a legal mandate may not.
        user_agent: how crawlers name themselves to web servers.
        content_limit: bytes of one content past which it is cut off and reported.
        strategy: what crawlers follow, and where that stops.
        access: how crawlers speak to web servers.
        analysis: what crawlers work out of the text of new contents.
        deposits_at_once: crawls that one connectivity agent deposits at once.
        deposit_patience: seconds that one deposit may take before it is asked for again.
        orders_at_once: URLs that one order may hold.
        expansion: how sites are found to which others lead.
        temporal: how often sites are collected anew by themselves.
        streams: which live streams are listened to.
        missed_links: what becomes of links that led readers of the archive nowhere: "no": nothing;
            "note": they are shown with their site; "collect": a quick crawl of the site brings
            them, and those of no site lead to candidates, if there is expansion.
        database: where sites and crawls are kept, `postgresql://user:password@host/database`
            (with the extra `postgresql`); null means SQLite, in the archive's folder.
    """

    address: str | None = field(default=None, validator=is_link_address)
    pages: str | None = field(default=None, validator=is_address)
    maximum_crawlers: int = field(default=4, validator=validators.ge(1))
    attempts: int = field(default=3, validator=validators.ge(1))
    absence: float = field(default=10.0, validator=validators.ge(0))
    restart_absence: float = field(default=30.0, validator=validators.ge(0))
    addresses: bool = True
    maximum_depth: int = field(default=150, validator=validators.ge(0))
    delay: float = field(default=0.5, validator=validators.ge(0))
    slow_down: float = field(default=5.0, validator=validators.ge(0))
    requests_per_period: int = field(default=0, validator=validators.ge(0))
    bytes_per_period: int = field(default=0, validator=validators.ge(0))
    period: float = field(default=3600.0, validator=validators.gt(0))
    robots: bool = True
    user_agent: str = field(
        default="dlweb/0.1 (+https://dlweb.invalid/crawler)", validator=validators.min_len(1)
    )
    content_limit: int = field(default=2**31, validator=validators.ge(1))
    strategy: Strategy = field(factory=Strategy)
    access: Access = field(factory=Access)
    analysis: Analysis = field(factory=Analysis)
    deposits_at_once: int = field(default=2, validator=validators.ge(1))
    deposit_patience: float = field(default=86_400.0, validator=validators.gt(0.0))
    orders_at_once: int = field(default=1000, validator=validators.ge(1))
    missed_links: str = field(default="note", validator=validators.in_(MISSED))
    database: str | None = field(default=None, validator=_is_database, repr=False, metadata=HIDDEN)
    expansion: ExpansionConfig = field(factory=ExpansionConfig)
    temporal: TemporalConfig = field(factory=TemporalConfig)
    streams: StreamsConfig = field(factory=StreamsConfig)
