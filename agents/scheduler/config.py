"""The `scheduler` section of the configuration."""

from attrs import field, frozen, validators

from agents.configuration.checks import is_address, is_link_address


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
        maximum_depth: page links followed from the start of a site that is ordered by its URL.
        delay: seconds owed to a web server for each request to it.
        robots: whether robots.txt is obeyed; an operator with a legal mandate may not.
        user_agent: how crawlers name themselves to web servers.
        content_limit: bytes of one content past which it is cut off and reported.
        deposits_at_once: crawls that one connectivity agent deposits at once.
        deposit_patience: seconds that one deposit may take before it is asked for again.
        orders_at_once: URLs that one order may hold.
    """

    address: str | None = field(default=None, validator=is_link_address)
    pages: str | None = field(default=None, validator=is_address)
    maximum_crawlers: int = field(default=4, validator=validators.ge(1))
    attempts: int = field(default=3, validator=validators.ge(1))
    absence: float = field(default=10.0, validator=validators.ge(0))
    restart_absence: float = field(default=30.0, validator=validators.ge(0))
    maximum_depth: int = field(default=150, validator=validators.ge(0))
    delay: float = field(default=0.5, validator=validators.ge(0))
    robots: bool = True
    user_agent: str = field(
        default="dlweb/0.1 (+https://dlweb.invalid/crawler)", validator=validators.min_len(1)
    )
    content_limit: int = field(default=2**31, validator=validators.ge(1))
    deposits_at_once: int = field(default=2, validator=validators.ge(1))
    deposit_patience: float = field(default=86_400.0, validator=validators.gt(0.0))
    orders_at_once: int = field(default=1000, validator=validators.ge(1))
