"""An agent: a node of the tree, master of many slaves and slave of its masters."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, TypeVar

from twisted.application.service import MultiService, Service
from twisted.internet.defer import DeferredList, maybeDeferred
from twisted.logger import Logger

from anet.address import Address
from anet.gathering import Turn
from hip.address import SocketPath, parse
from hip.builtin import Builtin
from hip.codecs import CODECS
from hip.greeting import Greeting
from hip.household import Household
from hip.limits import Limits
from hip.link import REPLACED, Link
from hip.liveness import Liveness
from hip.methods import MethodTable
from hip.peer import Peer
from hip.running import run
from hip.security import Guard, Security, listen_for_slaves

_log = Logger()
_Value = TypeVar("_Value")
_DEFAULT_SECURITY = Security()


class Agent(MultiService):
    """A node of the tree (*INA §1.3.2*).

    Attributes:
        kind: what it is, `site-crawler`.
        slaves: the agents linked to this one, by name.
        on_join: called with a slave once it has greeted.
        on_leave: called with a slave and the reason when its link is gone.
        limits: what its links accept.
        security: how its links are guarded.
        started: when the service started, by the reactor's clock.
    """

    def __init__(
        self,
        reactor: Any,
        kind: str,
        name: str,
        methods: Iterable[object] = (),
        *,
        limits: Limits | None = None,
        security: Security = _DEFAULT_SECURITY,
        serializers: Sequence[str] = tuple(CODECS),
    ) -> None:
        super().__init__()
        self.kind = kind
        self.agent_name = name
        self.slaves: dict[str, Peer] = {}
        self.on_join: Callable[[Peer], None] = lambda _: None
        self.on_leave: Callable[[Peer, str], None] = lambda *_: None
        self.security = security
        self.started = 0.0
        self.links: list[Link] = []
        self._asked = 0  # by slaves that have left
        self.methods = MethodTable(methods, reactor)
        self.methods.add(Builtin(self, reactor), prefix="hip.")
        self._reactor = reactor
        self.limits = limits or Limits()
        self._household = Household(
            clock=reactor,
            greeting=Greeting.of(kind, name, self.limits, serializers),
            methods=self.methods,
            limits=self.limits,
            turn=Turn(reactor),
            liveness=Liveness(reactor, self.limits),
        )
        self._guard = Guard(reactor, security)
        self._guard.setServiceParent(self)

    @classmethod
    def of(
        cls, name: str, methods: Iterable[object] = (), *, kind: str = "", **others: Any
    ) -> "Agent":
        """Return an agent for a program of its own, on Twisted's reactor.

        Args:
            name: which one; unique among its master's slaves.
            methods: what it answers: functions, closures and bound methods that are marked with
                `exposed`, or objects that have such methods.
            kind: what it is; its name, if not given.
            others: as for the class itself.
        """
        from twisted.internet import reactor  # chosen by now, if it is another than the usual

        return cls(reactor, kind or name, name, methods, **others)

    def run(self, main: Callable[[], Awaitable[_Value]] | None = None) -> _Value | None:
        """Start, and stop when `main` has ended, or on Ctrl-C or SIGTERM; as `hip.running.run`."""
        return run(self._reactor, self, main)

    def startService(self) -> None:
        """Listen and connect."""
        self.started = self._reactor.seconds()
        super().startService()

    @property
    def peers(self) -> list[Peer]:
        """Its slaves and its masters, as far as they are linked."""
        masters = [link.peer for link in self.links if link.peer is not None]
        return [*self.slaves.values(), *masters]

    @property
    def calls(self) -> int:
        """How many requests it has had since it was made."""
        before = self._asked + sum(link.asked for link in self.links)
        return before + sum(peer.asked for peer in self.peers)

    def new_peer(self, is_master: bool) -> Peer:
        """Return a new end of a link of this agent."""
        return Peer(self._household, is_master)

    def connect(self, address: str) -> Link:
        """Be the slave of the master at `host:port` or `unix:/path`.

        Raises:
            anet.errors.InvalidAddress: the text is no address.
        """
        link = Link(self._reactor, lambda: self.new_peer(is_master=False), address, self._guard)
        self.links.append(link)
        link.setServiceParent(self)
        return link

    def listen(self, address: str) -> "Listener":
        """Be the master of whoever connects to `host:port` or `unix:/path`.

        Raises:
            anet.errors.InvalidAddress: the text is no address.
        """
        listener = Listener(self._reactor, self, parse(address), self._guard)
        listener.setServiceParent(self)
        return listener

    def join(self, peer: Peer) -> None:
        """Take a slave that has greeted; one of the same name that was linked before goes.

        A slave comes back before its old link is known to be dead when a network failed.
        """
        former = self.slaves.get(peer.name)
        self.slaves[peer.name] = peer
        if former is not None:
            _log.warn("another {name} has come, and takes the place of the former", name=peer.name)
            former.close(REPLACED)
        peer.on_closed = self.leave
        _log.info("{name} joined", name=peer.name)
        try:
            self.on_join(peer)
        except Exception:
            _log.failure("what was to happen when {name} joined failed", name=peer.name)
            peer.close("the master made a mistake; see its log")

    def leave(self, peer: Peer, reason: str) -> None:
        """Let a slave go whose link has ended."""
        self._asked += peer.asked
        if self.slaves.get(peer.name) is peer:
            del self.slaves[peer.name]
        _log.info("{name} left: {reason}", name=peer.name, reason=reason)
        self.on_leave(peer, reason)


class Listener(Service):
    """Where an agent waits for slaves.

    Attributes:
        port: where it listens, once started; the real one when 0 was asked for, and 0 for a
            UNIX socket.
    """

    def __init__(
        self, reactor: Any, agent: Agent, address: Address | SocketPath, guard: Guard
    ) -> None:
        self.port = address.port if isinstance(address, Address) else 0
        self._guard = guard
        self._reactor = reactor
        self._agent = agent
        self._address = address
        self._listening: Any = None
        self._peers: set[Peer] = set()
        # Once for all peers: a bound method each would be felt with thousands of them.
        self._on_connected, self._on_greeted = self._take, self._join
        self._on_refused, self._on_left = self._forget, self._leave

    @property
    def address(self) -> str:
        """`host:port` or `unix:/path` where it listens."""
        if isinstance(self._address, SocketPath):
            return str(self._address)
        return str(Address(self._address.host, self.port))

    def startService(self) -> None:
        """Listen.

        Raises:
            anet.errors.AddressInUse: another process listens there.
            hip.errors.PlaintextRefused: the address is beyond loopback, without a certificate.
            hip.errors.CredentialsRefused: the agent's certificate cannot be used.
        """
        super().startService()
        self._listening = listen_for_slaves(
            self._reactor, self._address, self._accept, self._agent.agent_name, self._guard
        )
        if isinstance(self._address, Address):
            self.port = self._listening.getHost().port

    def _accept(self) -> Peer:
        peer = self._agent.new_peer(is_master=True)
        peer.on_connected = self._on_connected
        peer.on_greeted = self._on_greeted
        peer.on_closed = self._on_refused
        return peer

    def _take(self, peer: Peer) -> None:
        if len(self._peers) >= self._agent.limits.links:
            peer.close("too many links")
            return
        self._peers.add(peer)

    def _join(self, peer: Peer) -> None:
        self._agent.join(peer)
        peer.on_closed = self._on_left  # only now: who greeted with another's name never joined

    def _forget(self, peer: Peer, _reason: str) -> None:
        self._peers.discard(peer)

    def _leave(self, peer: Peer, reason: str) -> None:
        self._peers.discard(peer)
        self._agent.leave(peer, reason)

    async def stopService(self) -> None:
        """Stop listening and say goodbye to the slaves."""
        super().stopService()
        listening, self._listening = self._listening, None
        if listening is not None:
            await maybeDeferred(listening.stopListening)
        closing = [peer.closed for peer in self._peers]
        for peer in list(self._peers):
            peer.close("stopping")
        await DeferredList(closing)
