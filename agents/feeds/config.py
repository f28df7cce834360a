"""The `feed-aggregator` section of the configuration."""

from typing import Any
from urllib.parse import urlsplit

from attrs import field, frozen, validators

from agents.configuration.checks import is_address, is_link_address
from agents.names import Who, hosts_field, servers_field

_positive = validators.gt(0.0)


def _is_url(_instance: object, _attribute: Any, value: str | None) -> None:
    if value is None:
        return
    parts = urlsplit(value)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query:
        raise ValueError("a URL as https://archive.example/feeds, without a query")


@frozen
class FeedAggregatorConfig:
    """How feeds are followed; which ones, the scheduler says.

    Attributes:
        scheduler: the scheduler's HIP address, "host:port"; null means the base port.
        pages: where the monitoring page is; null means base port + 97.
        feeds: feeds that one aggregator follows at most; each takes about 4 KB of memory.
        shortest_interval: seconds between two looks at a feed, whatever comes.
        longest_interval: seconds after which a feed is looked at in any case.
        looks_per_entry: looks for each new entry that is expected.
        pause: seconds between the end of a request to an address and the next to it.
        requests_at_once: requests under way to all servers together.
        robots: whether robots.txt (RFC 9309) is obeyed.
        user_agent: how the aggregator names itself.
        connect_timeout: seconds for the look-up of a name, and for a connection.
        silence: seconds without a byte after which an answer is given up.
        longest_exchange: seconds that one answer may take in all.
        body_limit: bytes of a feed, as sent and decoded.
        gather: seconds in which looks that found no change are gathered for one message.
        names: who looks names up: "dns", our own client, or "system", the C library in threads.
        name_servers: IP addresses of the DNS servers to ask; empty means /etc/resolv.conf.
        hosts: lines as of /etc/hosts, "ADDRESS NAME…", that win over everything else.
        captures: whether the bodies of feeds that changed are archived.
        capture_period: seconds after which what was captured is given to the archive.
        capture_size: bytes of captures after which it is, too.
        hub_address: where WebSub hubs are listened to, "host:port"; null means nowhere, and no
            hub is asked.
        hub_callback: the URL by which hubs reach that address, through whatever stands before it;
            needed with `hub_address`.
        hub_interval: seconds between looks at a feed while its hub tells of it.
    """

    scheduler: str | None = field(default=None, validator=is_link_address)
    pages: str | None = field(default=None, validator=is_address)
    feeds: int = field(default=100_000, validator=validators.ge(1))
    shortest_interval: float = field(default=300.0, validator=_positive)
    longest_interval: float = field(default=86400.0, validator=_positive)
    looks_per_entry: float = field(default=2.0, validator=_positive)
    pause: float = field(default=1.0, validator=validators.ge(0.0))
    requests_at_once: int = field(default=100, validator=validators.ge(1))
    robots: bool = True
    user_agent: str = "dlweb/0.1 (+https://dlweb.invalid/crawler)"
    connect_timeout: float = field(default=10.0, validator=_positive)
    silence: float = field(default=30.0, validator=_positive)
    longest_exchange: float = field(default=120.0, validator=_positive)
    body_limit: int = field(default=8 * 2**20, validator=validators.ge(1024))
    gather: float = field(default=30.0, validator=_positive)
    names: Who = "dns"
    name_servers: list[str] = servers_field()
    hosts: list[str] = hosts_field()
    captures: bool = True
    capture_period: float = field(default=3600.0, validator=_positive)
    capture_size: int = field(default=256 * 2**20, validator=validators.ge(1))
    hub_address: str | None = field(default=None, validator=is_address)
    hub_callback: str | None = field(default=None, validator=_is_url)
    hub_interval: float = field(default=43200.0, validator=_positive)

    def __attrs_post_init__(self) -> None:
        if (self.hub_address is None) != (self.hub_callback is None):
            raise ValueError("hub_address and hub_callback go together: give both, or none")
