"""The resolver: all that is known of names, asked for in one place."""

from pathlib import Path
from typing import Any

from attrs import frozen
from twisted.application.service import Service
from twisted.internet.defer import Deferred, TimeoutError
from zope.interface import implementer

from anet.dns.cache import Cache
from anet.dns.families import look_up_both, routed
from anet.dns.hostnames import Resolution, tell
from anet.dns.policy import Keeping, Verdict, judge, outlive, usable
from anet.dns.servers import Servers
from anet.dns.system import Server, Settings, parse_resolv
from anet.dns.tables import Tables
from anet.dns.watched import Watched
from anet.errors import ConnectFailed, Overloaded, Stopped
from anet.names import INames, ascii_name, literal
from anet.shared import Shared
from anet.tasks import Tasks

HURRY = 2.0  # seconds that servers have when there are old addresses to go on with
AT_ONCE = 256  # names looked up at once; each has two sockets open


@frozen
class Sources:
    """Where a resolver learns of names.

    Attributes:
        table: lines as of hosts(5) that win over everything else.
        servers: asked instead of those of resolv.conf, unless empty.
        hosts: the machine's hosts(5).
        resolv: the machine's resolv.conf(5).
    """

    table: str = ""
    servers: tuple[Server, ...] = ()
    hosts: Path = Path("/etc/hosts")
    resolv: Path = Path("/etc/resolv.conf")


@frozen
class Figures:
    """What a resolver did so far, for pages.

    Attributes:
        hits: names answered from the cache.
        misses: names that servers had to be asked about, those another waited for included.
        queries: questions sent to servers.
        failures: look-ups to which no server had an answer.
        size: names in the cache.
    """

    hits: int
    misses: int
    queries: int
    failures: int
    size: int


@implementer(INames)
class Resolver(Service):
    """A caching DNS client with hosts tables; while it runs, the reactor resolves names by it.

    A name is looked for in the configured table, among the reserved names, in the machine's hosts
    file, in the cache, and then asked of the name servers, for IPv4 and IPv6 at once. Those who
    ask for a name that is being looked up wait for that look-up; one who gives up does not end it.

    The machine's files are read again when they change; a change of servers empties the cache.

    Names that the C library finds by other ways (mDNS, LDAP, what else nsswitch.conf names) are
    unknown here: there is no silent second attempt by `getaddrinfo`, which would hold a thread and
    double the wait for every name of the web that is gone. Machines that need them run no
    resolver; the reactor then asks the C library in threads, as it does by default.
    """

    def __init__(
        self,
        reactor: Any,
        sources: Sources | None = None,
        *,
        keeping: Keeping | None = None,
        size: int = 10_000,
        patience: float = 20.0,
    ) -> None:
        """Make a resolver.

        Args:
            reactor: which reactor.
            sources: where it learns of names.
            keeping: for how long it keeps what it learned.
            size: names it keeps, of about half a kilobyte each; the one longest unasked for
                gives way.
            patience: seconds for one look-up, however many servers and attempts.
        """
        sources = sources or Sources()
        self._reactor = reactor
        self._tables = Tables(reactor, sources.table, sources.hosts)
        self._resolv = Watched(reactor, sources.resolv, parse_resolv)
        self._chosen = Settings(sources.servers) if sources.servers else None
        self._settings: Settings | None = None
        self._servers = Servers(reactor, patience)
        self._keeping = keeping or Keeping()
        self._cache: Cache[Verdict] = Cache(size)
        self._looking: dict[str, Shared[Verdict]] = {}
        self._tasks = Tasks()
        self._hits = self._misses = self._failures = 0
        self._before: Any = None
        self._stopped = False

    def startService(self) -> None:
        """Become what the reactor resolves names by."""
        super().startService()
        self._before = self._reactor.installNameResolver(self)

    async def stopService(self) -> None:
        """Give the reactor back what it had; look-ups under way are cancelled and waited for."""
        super().stopService()
        self._stopped = True
        if self._reactor.nameResolver is self:
            self._reactor.installNameResolver(self._last_running())
        await self._tasks.stop()

    @property
    def figures(self) -> Figures:
        """What it did so far."""
        return Figures(
            self._hits, self._misses, self._servers.queries, self._failures, len(self._cache)
        )

    async def resolve(self, host: str) -> tuple[str, ...]:
        """Return the addresses of a host, the best first; an address leads to itself.

        Raises:
            ConnectFailed: the name is unknown, or is none, or no server could tell.
            TimedOut: the servers were silent.
            Overloaded: 256 other names are being looked up.
            Stopped: the resolver was stopped.
        """
        if address := literal(host):
            return (address,)
        name = ascii_name(host).rstrip(".").lower()
        given = self._tables.given(name)
        if given is None:
            return (await self._known(name)).told_of(name)
        if not given:
            raise ConnectFailed(f"the name {name} is unknown")
        return given

    def resolveHostName(
        self,
        resolutionReceiver: Any,
        hostName: str,
        portNumber: int = 0,
        addressTypes: Any = None,
        transportSemantics: str = "TCP",
    ) -> Resolution:
        """Resolve a name for the reactor's endpoints (`IHostnameResolver`)."""
        addresses = self.resolve(hostName)
        return tell(
            resolutionReceiver, addresses, hostName, portNumber, addressTypes, transportSemantics
        )

    def _last_running(self) -> Any:
        """Return what resolved names before this; resolvers may end in any order."""
        before = self._before
        while isinstance(before, Resolver) and before._stopped:
            before = before._before
        return before

    async def _known(self, name: str) -> Verdict:
        """Return what the cache says of a name while that is good, else what the servers say."""
        settings = self._chosen or self._resolv.value()
        if settings is not self._settings:
            self._settings = settings
            self._cache.clear()
        old, until = self._cache.get(name) or (None, 0.0)
        past = self._reactor.seconds() - until
        if old is not None and past < 0:
            self._hits += 1
            return old
        asked = self._asked(name)
        if old is None or not usable(old, past, self._keeping):
            return await asked
        try:
            return await asked.addTimeout(HURRY, self._reactor)
        except TimeoutError:
            return old  # the look-up goes on

    def _asked(self, name: str) -> Deferred[Verdict]:
        """Return what fires with what the servers say of a name."""
        if self._stopped:
            raise Stopped("this resolver was stopped")
        looking = self._looking.get(name)
        if looking is None:
            if len(self._looking) >= AT_ONCE:
                raise Overloaded(f"{AT_ONCE} names are being looked up; {name} must wait")
            looking = Shared(self._tasks, self._look_up(name), f"look-up of {name}")
            if not looking.ended:
                self._looking[name] = looking
        self._misses += 1
        return looking.wait()

    async def _look_up(self, name: str) -> Verdict:
        """Ask the servers about a name, and keep what they say."""
        settings = self._settings or Settings()
        try:
            verdict = await self._first_known(name, settings)
        finally:
            self._looking.pop(name, None)
        now = self._reactor.seconds()
        old, until = self._cache.get(name) or (None, now)
        self._failures += bool(verdict.failure)
        verdict = outlive(verdict, old, now - until, self._keeping)
        if settings is self._settings:
            self._cache.put(name, verdict, now + verdict.seconds)
        return verdict

    async def _first_known(self, name: str, settings: Settings) -> Verdict:
        """Return the verdict on the first full name that leads somewhere, else on the last.

        Servers that were silent about one are not asked for the others, or a look-up would take
        several times its patience.
        """
        for candidate in settings.candidates(name):
            four, six = await look_up_both(self._reactor, self._servers, candidate, settings)
            verdict = judge(four, six, routed(), self._keeping)
            if verdict.addresses or verdict.late:
                break
        return verdict
