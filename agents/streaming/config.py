"""The `streaming` section of the configuration."""

from attrs import field, frozen, validators

from agents.configuration.checks import is_address, is_link_address
from agents.names import Who, hosts_field, servers_field
from agents.stream_offset import BYTE_LIMIT

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
        piece_seconds: seconds after which an endless stream is closed into a content; up to 3,600.
        piece_size: bytes after which it is, too.
        variants: of a channel in segments (HLS, DASH), variants and renditions followed at most.
        bitrate: bits a second; variants beyond it are not followed, if there are others; 0: all.
        best: whether only the best variant within `bitrate` is, with what goes with it.
        look_back: seconds of a channel in segments that are taken from before it was listened to.
        parts: whether parts of segments (low-latency HLS) are kept besides the segments.
        segment_requests: requests of one stream in segments that are under way at once.
        segments_waiting: segments of one stream that wait at most; then the oldest are given up.
        key_period: seconds after which keys and initialisations are fetched again.
        manifest_limit: bytes of a manifest.
        segment_limit: bytes of a segment.
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
    piece_seconds: float = field(default=600.0, validator=[_positive, validators.le(3600.0)])
    piece_size: int = field(
        default=64 * 2**20, validator=[validators.ge(2**16), validators.le(BYTE_LIMIT - 2**24)]
    )
    variants: int = field(default=4, validator=validators.ge(1))
    bitrate: int = field(default=0, validator=validators.ge(0))
    best: bool = False
    look_back: float = field(default=120.0, validator=validators.ge(0.0))
    parts: bool = False
    segment_requests: int = field(default=3, validator=validators.ge(1))
    segments_waiting: int = field(default=500, validator=validators.ge(1))
    key_period: float = field(default=600.0, validator=_positive)
    manifest_limit: int = field(default=4 * 2**20, validator=validators.ge(2**10))
    segment_limit: int = field(default=256 * 2**20, validator=validators.ge(2**16))
    capture_period: float = field(default=300.0, validator=_positive)
    capture_size: int = field(default=2**30, validator=validators.ge(1))
    names: Who = "dns"
    name_servers: list[str] = servers_field()
    hosts: list[str] = hosts_field()
