"""The `consultation` section: how the archive is given back to browsers."""

from pathlib import Path
from typing import Any, Literal

from attrs import field, frozen, validators

from agents.configuration.checks import is_address, is_link_address
from agents.consultation.harbor.words import LANGUAGES
from agents.urls import canonical
from anet.multicast import Groups

Asking = Literal["beyond-loopback", "always", "none"]
LiveWeb = Literal["no", "read", "record"]
LOOKUPS = ("auto", "multicast", "index")
_positive = validators.gt(0.0)
_is_port = validators.optional([validators.ge(1), validators.le(65535)])


def _is_base(_instance: object, _attribute: Any, value: str) -> None:
    Groups(port=1, base=value)


def _are_languages(_instance: object, attribute: Any, value: list[str]) -> None:
    if not value or not set(value) <= set(LANGUAGES):
        raise ValueError(f"{attribute.name}: one or more of {', '.join(LANGUAGES)}")


def _is_origin(_instance: object, attribute: Any, value: str) -> None:
    if canonical(value) != f"{value}/":
        raise ValueError(f"{attribute.name}: {value!r} is not of the form http://host:port")


@frozen
class ConsultationConfig:
    """How captures are looked up and given to browsers.

    Attributes:
        proxy: where browsers reach the proxy; null means base port + 6.
        pages: where its pages and the harbor are for people without the proxy; null means
            base port + 7.
        page_hosts: names, beside IP addresses and localhost, under which the pages may be
            asked for; any other is refused, so that no web site can pass itself off as them.
        replay: where browsers without the proxy reach archived pages, at `/web/DATE/URL`: an
            origin of its own, since archived scripts run there; null means base port + 96.
        replay_engine: the file of the replay engine, `sw.js` of wabac.js; null means the one of
            that name in the archive's folder, if there is one.
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
        date_by: by what readers without a credential are told apart: `address` of their browser,
            or a `cookie`, where several people read behind one address.
        access_rules: the file of what is kept back, in the archive's folder if it is no absolute
            path; null means `access-rules.yaml`.
        audit_log: whether it is written down who asked for what; null means where the proxy
            listens beyond loopback.
        audit_size: bytes of one file of that log; there are ten of them at most.
        faults: missing URLs kept in the log of what is missing.
        connections: browsers' connections at once.
        silence: seconds a browser may take to say or read something.
        no_store: whether answers to browsers also carry `Cache-Control: no-store`; without it
            a browser mixes pages of different dates from its cache.
        tls: whether browsers may ask for https:// URLs, for which the archive makes certificates
            of an authority of its own; without it they are refused.
        credentials: who must show a name and a password (`dlweb reader`): `beyond-loopback`
            (all but who asks from this machine), `always`, or `none` (nobody, where everyone on
            the network may read).
        proxy_tls: whether the proxy itself is reached over TLS; null means where it listens
            beyond loopback.
        pages_tls: whether the pages are reached over TLS; null means where they are beyond
            loopback.
        secure_as_plain: whether http:// requests get the https:// capture when the archive
            holds no other, or only a redirect to it; for programs that cannot ask for https://.
        memento: origin, as `http://archive.example:7196`, under which clients without the proxy
            reach each memento by a URL of its own (`/web/<date>/<url>`); TimeGates lead there.
            Null means where `replay` listens.
        languages: of the harbor, of `en` and `fr`; the first is for who prefers none of them.
        mining: whether the archive is followed in the background to learn who links to whom and
            which documents have text in common, for `/api/1/backlinks` and `/api/1/similar`.
        mining_rate: documents read for that in a second at most.
        url_index: folder of the index of URLs; null means a folder of the agent's name under the
            archive's directory. It can be taken away, and is made again from the storage nodes.
        url_index_period: seconds between two looks at what storage nodes have come to have.
        url_rules: a file of the rules by which URLs are held equal, instead of those that come
            with the package; null means those.
        missing_log: whether the log of what is missing is kept over restarts.
        live: the live web, for readers who ask for it: `no`; `read`; or `record`: what they see
            goes into the archive (docs/how-to/record-the-live-web.md).
        live_private_networks: whether addresses of private networks and loopback may be asked;
            then every reader reaches what listens there, agents of the archive too, as if they
            sat at this machine.
        live_connections: answers of the live web under way at once, of all readers.
        live_timeout: seconds for which a server of the live web may say nothing.
        live_size: bytes of one answer that are passed on.
        live_record_private: whether answers are kept, too, to requests with cookies, credentials
            or a form, and those that call themselves private.
        live_period: seconds after which what was recorded is given to the archive.
        live_directory_size: bytes of recordings after which it is, too.
        listeners: readers who listen to archived streams at once; one more is asked to come back.
        listen_burst: seconds of an archived stream that are sent at once, so that players begin.
        listen_patience: seconds of a gap in an archived stream that its listeners wait out; at a
            longer one it ends. At most half of `silence`.
    """

    proxy: str | None = field(default=None, validator=is_address)
    pages: str | None = field(default=None, validator=is_address)
    page_hosts: list[str] = field(factory=list)
    replay: str | None = field(default=None, validator=is_address)
    replay_engine: str | None = None
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
    date_by: Literal["address", "cookie"] = "address"
    access_rules: str | None = None
    audit_log: bool | None = None
    audit_size: int = field(default=100_000_000, validator=validators.ge(1000))
    faults: int = field(default=1000, validator=validators.ge(1))
    connections: int = field(default=1000, validator=validators.ge(1))
    silence: float = field(default=60.0, validator=_positive)
    no_store: bool = True
    tls: bool = True
    credentials: Asking = "beyond-loopback"
    proxy_tls: bool | None = None
    pages_tls: bool | None = None
    secure_as_plain: bool = False
    memento: str | None = field(default=None, validator=validators.optional(_is_origin))
    languages: list[str] = field(factory=lambda: [*LANGUAGES], validator=_are_languages)
    mining: bool = False
    mining_rate: float = field(default=5.0, validator=_positive)
    url_index: Path | None = None
    url_index_period: float = field(default=5.0, validator=_positive)
    url_rules: Path | None = None
    missing_log: bool = True
    live: LiveWeb = "no"
    live_private_networks: bool = False
    live_connections: int = field(default=64, validator=validators.ge(1))
    live_timeout: float = field(default=60.0, validator=_positive)
    live_size: int = field(default=2**31, validator=validators.ge(1))
    live_record_private: bool = False
    live_period: float = field(default=600.0, validator=_positive)
    live_directory_size: int = field(default=256 * 2**20, validator=validators.ge(1))
    listeners: int = field(default=200, validator=validators.ge(1))
    listen_burst: float = field(default=10.0, validator=validators.ge(0.0))
    listen_patience: float = field(default=30.0, validator=validators.ge(0.0))

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
