"""The `consultation` section: how the archive is given back to browsers."""

from typing import Any

from attrs import field, frozen, validators

from agents.configuration.checks import is_address, is_link_address
from anet.multicast import Groups

LOOKUPS = ("auto", "multicast", "index")
_positive = validators.gt(0.0)
_is_port = validators.optional([validators.ge(1), validators.le(65535)])


def _is_base(_instance: object, _attribute: Any, value: str) -> None:
    Groups(port=1, base=value)


@frozen
class ConsultationConfig:
    """How captures are looked up and given to browsers.

    Attributes:
        proxy: where browsers reach the proxy; null means base port + 6.
        pages: where its pages and the harbor are for people without the proxy; null means
            base port + 7.
        page_hosts: names, beside IP addresses and localhost, under which the pages may be
            asked for; any other is refused, so that no web site can pass itself off as them.
        scheduler: the scheduler's HIP address; null means base port + 0.
        storage_master: the storage master's HIP address; null means base port + 2.
        lookup: `multicast` (the network carries it), `index` (ask an index node), or `auto`
            (whichever answers).
        lookup_timeout: seconds after which a lookup by multicast without an answer counts as
            missing.
        index_timeout: seconds that an index node may take to answer.
        multicast_port: UDP port of the storage nodes' groups; null means the base port.
        multicast_base: the first of their 256 multicast addresses.
        multicast_interface: IP address of the network card that carries them.
        multicast_ttl: routers that a question may pass, plus one; 0 stays on this machine.
        node_timeout: seconds of silence after which a storage node is given up for the next.
        readers: readers whose date is remembered.
        faults: missing URLs kept in the log of what is missing.
        connections: browsers' connections at once.
        silence: seconds a browser may take to say or read something.
        no_store: whether answers to browsers also carry `Cache-Control: no-store`; without it
            a browser mixes pages of different dates from its cache.
        secure_as_plain: whether http:// requests get the https:// capture when the archive
            holds no other, or only a redirect to it.
    """

    proxy: str | None = field(default=None, validator=is_address)
    pages: str | None = field(default=None, validator=is_address)
    page_hosts: list[str] = field(factory=list)
    scheduler: str | None = field(default=None, validator=is_link_address)
    storage_master: str | None = field(default=None, validator=is_link_address)
    lookup: str = field(default="auto", validator=validators.in_(LOOKUPS))
    lookup_timeout: float = field(default=1.0, validator=_positive)
    index_timeout: float = field(default=5.0, validator=_positive)
    multicast_port: int | None = field(default=None, validator=_is_port)
    multicast_base: str = field(default="239.192.77.0", validator=_is_base)
    multicast_interface: str = "127.0.0.1"
    multicast_ttl: int = field(default=0, validator=[validators.ge(0), validators.le(255)])
    node_timeout: float = field(default=15.0, validator=_positive)
    readers: int = field(default=10_000, validator=validators.ge(1))
    faults: int = field(default=1000, validator=validators.ge(1))
    connections: int = field(default=1000, validator=validators.ge(1))
    silence: float = field(default=60.0, validator=_positive)
    no_store: bool = True
    secure_as_plain: bool = True

    def groups(self, base_port: int, secret: str) -> Groups:
        """Return the multicast groups where the storage nodes of the archive listen.

        Nobody who lacks the archive's secret is heard there.
        """
        return Groups(
            port=self.multicast_port or base_port,
            base=self.multicast_base,
            interface=self.multicast_interface,
            ttl=self.multicast_ttl,
            secret=secret,
        )
