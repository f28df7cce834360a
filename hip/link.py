"""A slave's link to its master: made again whenever it ends, and redirected where told.

WAITING --connected and greeted--> LINKED --lost--> WAITING (after a back-off)
LINKED --redirection--> WAITING (for the new master, at once)
WAITING for a redirected master, refused--> WAITING for the configured one
"""

from collections.abc import Callable
from inspect import isawaitable
from typing import Any

from twisted.application.service import Service
from twisted.internet.defer import CancelledError, Deferred, TimeoutError
from twisted.internet.error import ConnectError
from twisted.logger import Logger

from anet.backoff import Backoff
from anet.errors import AnetError
from anet.tasks import Tasks, sleep
from hip.address import parse, parse_redirection
from hip.errors import CallTimedOut, ConnectionLost, HipError, NotConnected
from hip.peer import DEFAULT_TIMEOUT, Peer
from hip.security import Guard, connect_to_master, in_words

_log = Logger()
REDIRECTIONS = 5  # in a row; more is a loop
STEADY = 10.0  # seconds; a link that ends sooner was refused, and waits grow as without one


class Link(Service):
    """A link to one master, for as long as the service runs.

    Attributes:
        peer: the master, while linked.
        on_connect: called with the master after each greeting, before calls that wait.
        state: in a few words, for pages: who the master is or why there is none.
    """

    def __init__(
        self, reactor: Any, new_peer: Callable[[], Peer], address: str, guard: Guard
    ) -> None:
        self.peer: Peer | None = None
        self.on_connect: Callable[[Peer], Any] = lambda _: None
        self.state = "not started"
        self._reactor = reactor
        self._new_peer = new_peer
        self._guard = guard
        self._stopped = False
        self._home = parse(address)
        self._target = self._home
        self._redirections = 0
        self._waiting: list[Deferred[Peer]] = []
        self._tasks = Tasks()

    def startService(self) -> None:
        """Begin to connect."""
        super().startService()
        self._stopped = False
        self._tasks.start(self._run(), "the link to a master")

    async def stopService(self) -> None:
        """Say goodbye, and connect no more."""
        super().stopService()
        self._stopped = True
        await self._tasks.stop()
        if self.peer is not None:
            closed = self.peer.closed
            self.peer.close("stopping")
            await closed
        while self._waiting:
            self._waiting.pop().errback(NotConnected("the agent is stopping"))

    async def _run(self) -> None:
        backoff = Backoff()
        while True:
            try:
                peer = await self._connect()
            except (AnetError, HipError, ConnectError, OSError) as error:
                self.state = f"no link to {self._target}: {error}"
                _log.info("{state}", state=self.state)
                self._target = self._home
                await sleep(self._reactor, backoff.next())
                continue
            begun = self._reactor.seconds()
            address = self._target
            _log.info("linked to {name} at {address}", name=peer.name, address=address)
            reason = in_words(await self._serve(peer))
            if self._reactor.seconds() - begun >= STEADY:
                backoff.reset()
            _log.info("link to {address} ended: {reason}", address=address, reason=reason)
            if not self._redirected:
                self._target, self._redirections = self._home, 0
                await sleep(self._reactor, backoff.next())

    async def _connect(self) -> Peer:
        greeted: Deferred[Peer] = Deferred()
        self._redirected = False

        def build() -> Peer:
            peer = self._new_peer()
            peer.on_greeted = greeted.callback
            peer.on_redirected = lambda address: self._redirect(peer, address)
            peer.on_closed = lambda _, reason: self._lost(greeted, in_words(reason))
            return peer

        peer = await connect_to_master(self._reactor, self._target, build, self._guard)
        try:
            return await greeted
        except CancelledError:
            peer.close("stopping")
            raise

    def _lost(self, greeted: Deferred[Peer], reason: str) -> None:
        self.peer = None
        self.state = f"link to {self._target} ended: {reason}"
        if not greeted.called:
            greeted.errback(ConnectionLost(reason))

    async def _serve(self, peer: Peer) -> str:
        closed = peer.closed
        self.peer = peer
        self.state = f"linked to {peer.name} at {self._target}"
        try:
            pending = self.on_connect(peer)
            if isawaitable(pending):
                await pending
        except CancelledError:
            raise
        except Exception:
            _log.failure("the first words to {name} failed", name=peer.name)
            peer.close("the first words failed")
        while self._waiting and peer.is_open:  # one that goes on may cancel another
            self._waiting.pop(0).callback(peer)
        return await closed

    def _redirect(self, peer: Peer, address: str) -> None:
        """Go to another master next.

        Raises:
            InvalidAddress: there is no going there; the peer ends its link.
        """
        self._redirections += 1
        if self._redirections > REDIRECTIONS:
            peer.close(f"{REDIRECTIONS} redirections in a row")
            return
        self._target = parse_redirection(address, self._target)
        self._redirected = True
        peer.close(f"redirected to {address}")

    # Calling

    def connected(self) -> Deferred[Peer]:
        """Return what fires with the master, now or once linked."""
        waiting: Deferred[Peer] = Deferred(lambda it: self._waiting.remove(it))
        if self._stopped:
            waiting.errback(NotConnected("the agent has stopped"))
        elif self.peer is not None and self.peer.is_open:
            waiting.callback(self.peer)
        else:
            self._waiting.append(waiting)
        return waiting

    async def call(
        self, method: str, /, *, timeout: float = DEFAULT_TIMEOUT, **arguments: Any
    ) -> Any:
        """Call a method of the master, once there is one.

        Raises:
            CallTimedOut: no link, or no answer, within `timeout` seconds.
            ConnectionLost: the link ended before the answer; it may or may not have run.
            hip.errors.HipError: as `Peer.call`.
        """
        begun = self._reactor.seconds()
        try:
            peer = await self.connected().addTimeout(timeout, self._reactor)
        except TimeoutError:
            raise CallTimedOut(f"{method}: {self.state}") from None
        left = max(0.1, timeout - (self._reactor.seconds() - begun))
        return await peer.call(method, timeout=left, **arguments)

    async def insist(
        self, method: str, /, *, timeout: float = DEFAULT_TIMEOUT, **arguments: Any
    ) -> Any:
        """Call a method that may be repeated without harm, until the master answers.

        Raises:
            hip.errors.RemoteError: the answer is an error.
            hip.errors.TooLarge: the arguments do not fit in a frame.
            NotConnected: the agent has stopped.
        """
        backoff = Backoff()
        while True:
            try:
                return await self.call(method, timeout=timeout, **arguments)
            except (CallTimedOut, ConnectionLost, NotConnected) as error:
                if self._stopped:
                    raise
                _log.info("{method} will be repeated: {error}", method=method, error=error)
                await sleep(self._reactor, backoff.next())

    def notify(self, method: str, /, **arguments: Any) -> None:
        """Tell the master something, if there is one now."""
        if self.peer is not None:
            self.peer.notify(method, **arguments)
