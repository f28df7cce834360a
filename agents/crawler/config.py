"""The sections of this room: `site-crawler`, and `nursery` from beside the nursery."""

from attrs import field, frozen, validators

from agents.configuration.checks import is_address, is_link_address
from agents.crawler.nursery.config import NurseryConfig

__all__ = ["NurseryConfig", "SiteCrawlerConfig"]

_positive = validators.gt(0.0)


@frozen
class SiteCrawlerConfig:
    """How site crawlers collect; what is collected comes with each order.

    Attributes:
        scheduler: the scheduler's HIP address; null means base port + 0.
        pages: where its pages are; null means base port + 20 + N for crawler-N.
        connect_timeout: seconds for the look-up of a name, and for a connection.
        silence: seconds without a byte after which an answer is given up.
        longest_exchange: seconds that one answer may take in all.
        longest_rest: seconds for which a server that suffers (429, 503) may ask to be left
            alone; it is asked again after these at the latest.
        urls: URLs of one crawl; links to more are counted and not followed. Each takes about
            16 bytes of memory.
    """

    scheduler: str | None = field(default=None, validator=is_link_address)
    pages: str | None = field(default=None, validator=is_address)
    connect_timeout: float = field(default=10.0, validator=_positive)
    silence: float = field(default=60.0, validator=_positive)
    longest_exchange: float = field(default=3600.0, validator=_positive)
    longest_rest: float = field(default=120.0, validator=validators.ge(0.0))
    urls: int = field(default=10_000_000, validator=validators.ge(1))
