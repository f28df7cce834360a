"""The `streaming` section of the configuration."""

from attrs import field, frozen, validators

from agents.configuration.checks import is_address, is_link_address
from agents.names import Who, hosts_field, servers_field
from agents.stream_offset import BYTE_LIMIT, MILLISECONDS_LIMIT

_positive = validators.gt(0.0)


@frozen
class StreamingConfig:
    """How live streams are listened to; which ones, the scheduler says.

    Attributes:
        scheduler: the scheduler's HIP address, "host:port"; null means the base port.
        pages: where the monitoring page is; null means base port + 95.
        streams: streams that one agent listens to at most.
        user_agent: how the agent names itself.
        connect_timeout: seconds for the look-up of a name, and for a connection.
        silence: seconds without a byte after which a stream has broken off.
        retry_first: seconds after which a stream that broke off is tried again; doubles each time.
        retry_longest: seconds that this wait grows to.
        log_interval: seconds between two entries of real time and signal time (INA §1.6).
        piece_seconds: seconds after which an endless stream is closed into a content.
        piece_size: bytes after which it is, too.
        capture_period: seconds after which closed contents are given to the archive.
        capture_size: bytes of them after which they are, too.
        names: who looks names up: "dns", our own client, or "system", the C library in threads.
        name_servers: IP addresses of the DNS servers to ask; empty means /etc/resolv.conf.
        hosts: lines as of /etc/hosts, "ADDRESS NAME…", that win over everything else.
    """

    scheduler: str | None = field(default=None, validator=is_link_address)
    pages: str | None = field(default=None, validator=is_address)
    streams: int = field(default=500, validator=validators.ge(1))
    user_agent: str = "dlweb/0.1 (+https://dlweb.invalid/crawler)"
    connect_timeout: float = field(default=10.0, validator=_positive)
    silence: float = field(default=30.0, validator=_positive)
    retry_first: float = field(default=1.0, validator=_positive)
    retry_longest: float = field(default=600.0, validator=_positive)
    log_interval: float = field(default=30.0, validator=_positive)
    piece_seconds: float = field(
        default=600.0, validator=[_positive, validators.le(MILLISECONDS_LIMIT / 1000 - 60)]
    )
    piece_size: int = field(
        default=64 * 2**20, validator=[validators.ge(2**16), validators.le(BYTE_LIMIT - 2**24)]
    )
    capture_period: float = field(default=300.0, validator=_positive)
    capture_size: int = field(default=2**30, validator=validators.ge(1))
    names: Who = "dns"
    name_servers: list[str] = servers_field()
    hosts: list[str] = hosts_field()
