"""The sections of this room: `site-crawler`, and `nursery` from beside the nursery."""

from attrs import field, frozen, validators

from agents.configuration.checks import is_address, is_link_address
from agents.crawler.nursery.config import NurseryConfig
from agents.machines import machine_field
from agents.names import Who, hosts_field, servers_field

__all__ = ["NurseryConfig", "SiteCrawlerConfig"]

_positive = validators.gt(0.0)


@frozen
class SiteCrawlerConfig:
    """How site crawlers collect; what is collected comes with each order.

    Attributes:
        scheduler: the scheduler's HIP address; null means base port + 0.
        pages: where its pages are; null means base port + 20 + N for crawler-N.
        machine: name of its machine, by which the scheduler knows who can deposit its crawls; null
            means the nursery's, or the host name.
        connect_timeout: seconds for the look-up of a name, and for a connection.
        silence: seconds without a byte after which an answer is given up.
        longest_exchange: seconds that one answer may take in all.
        longest_rest: seconds for which a server that suffers (429, 503) may ask to be left
            alone; it is asked again after these at the latest.
        names: who looks names up: "dns", our own client, which keeps answers as long as they are
            good; or "system", the C library in threads, for machines that find names by more than
            DNS and /etc/hosts (mDNS, LDAP).
        name_servers: IP addresses, with or without ":port", of the DNS servers to ask; empty
            means those of /etc/resolv.conf. Of no use with "system", nor is `hosts`.
        hosts: lines as of /etc/hosts, "ADDRESS NAME…", that win over everything else.
        urls: URLs of one crawl; links to more are counted and not followed. Each takes about
            50 bytes of memory.
    """

    scheduler: str | None = field(default=None, validator=is_link_address)
    pages: str | None = field(default=None, validator=is_address)
    machine: str | None = machine_field()
    connect_timeout: float = field(default=10.0, validator=_positive)
    silence: float = field(default=60.0, validator=_positive)
    longest_exchange: float = field(default=3600.0, validator=_positive)
    longest_rest: float = field(default=120.0, validator=validators.ge(0.0))
    names: Who = "dns"
    name_servers: list[str] = servers_field()
    hosts: list[str] = hosts_field()
    urls: int = field(default=10_000_000, validator=validators.ge(1))
