"""A slave's link to its master: made again whenever it ends, and redirected where told.

WAITING --its time is over--> CONNECTING --both have greeted--> LINKED
CONNECTING --refused, lost--> WAITING (for the configured master)
LINKED --lost, a redirection that is refused--> WAITING (for the configured master)
LINKED --redirection--> CONNECTING (to another master, at once)

Calls that wait for an answer when a link ends fail with `ConnectionLost`, also when it ends by a
redirection: the other master knows nothing of them. Calls made between two links wait for the
next; `Link.insist` repeats them there.
"""

from collections.abc import Callable
from inspect import isawaitable
from typing import Any

from twisted.application.service import Service
from twisted.internet.defer import CancelledError, Deferred, TimeoutError, ensureDeferred
from twisted.internet.error import ConnectError
from twisted.logger import Logger

from anet.backoff import Backoff
from anet.errors import AnetError
from anet.tasks import Tasks, sleep
from hip.address import parse
from hip.errors import CallTimedOut, ConnectionLost, HipError, NotConnected, Overloaded
from hip.journey import Journey
from hip.peer import DEFAULT_TIMEOUT, Peer
from hip.security import Guard, connect_to_master, in_words

_log = Logger()
STEADY = 10.0  # seconds; a link that ends sooner was refused, and waits grow as without one
REPLACED = "another agent of this name has come"  # a master's goodbye to the former one
_LINE = 10_000  # calls, and others, that may wait for a master
_NO_LINK = (AnetError, HipError, ConnectError, OSError)


class Link(Service):
    """A link to one master, for as long as the service runs.

    Attributes:
        peer: the master, while linked.
        on_connect: called with the master after each greeting, before calls that wait.
        state: in a few words, for pages: who the master is or why there is none.
        asked: requests that came over links that have ended.
    """

    def __init__(
        self, reactor: Any, new_peer: Callable[[], Peer], address: str, guard: Guard
    ) -> None:
        self.peer: Peer | None = None
        self.on_connect: Callable[[Peer], Any] = lambda _: None
        self.state = "not started"
        self.asked = 0
        self._reactor = reactor
        self._new_peer = new_peer
        self._guard = guard
        self._stopped = False
        self._journey = Journey(parse(address))
        self._redirected = False  # whether the present link ends by a redirection
        self._waiting: list[Deferred[Peer]] = []
        self._tasks = Tasks()

    def startService(self) -> None:
        """Begin to connect."""
        super().startService()
        self._stopped = False
        self._tasks = Tasks()  # those that have stopped start nothing more
        self._tasks.start(self._run(), "the link to a master")

    async def stopService(self) -> None:
        """Say goodbye, and connect no more."""
        super().stopService()
        self._stopped = True
        if self.peer is not None:  # first, for the task cannot be cancelled when it has called us
            closed = self.peer.closed
            self.peer.close("stopping")
            await closed
        await self._tasks.stop()
        while self._waiting:
            self._waiting.pop().errback(NotConnected("the agent is stopping"))

    async def _run(self) -> None:
        backoff = Backoff()
        while not self._stopped:
            self._redirected = False
            try:
                peer = await self._connect()
            except CancelledError:
                raise
            except Exception as error:
                self._note_failure(error)
            else:
                reason = in_words(await self._serve(peer))
                self._note_end(peer, reason)
                # Two slaves of one name would displace each other for ever in quick turns.
                if self._has_held(peer) and REPLACED not in reason:
                    backoff.reset()
                if self._redirected:
                    continue
            self._journey.go_home()
            await sleep(self._reactor, backoff.next())

    def _has_held(self, peer: Peer) -> bool:
        lived: float = self._reactor.seconds() - peer.begun
        return lived >= STEADY

    def _note_failure(self, error: Exception) -> None:
        self.state = f"no link to {self._journey.target}: {error}"
        if isinstance(error, _NO_LINK):
            _log.info("{state}", state=self.state)
        else:  # a mistake of ours, which is no reason to be without a master for ever
            _log.failure("{state}", state=self.state)

    def _note_end(self, peer: Peer, reason: str) -> None:
        _log.info("link to {name} ended: {reason}", name=peer.name, reason=reason)
        if REPLACED in reason:
            _log.warn(
                "another agent has come to {name} under our name: give each agent its own",
                name=peer.name,
            )

    async def _connect(self) -> Peer:
        greeted: Deferred[Peer] = Deferred()

        def build() -> Peer:
            peer = self._new_peer()
            peer.on_greeted = greeted.callback
            peer.on_redirected = lambda address: self._redirect(peer, address)
            peer.on_closed = lambda peer, reason: self._lost(peer, greeted, in_words(reason))
            return peer

        peer = await connect_to_master(self._reactor, self._journey.target, build, self._guard)
        try:
            return await greeted
        except CancelledError:
            peer.close("stopping")
            raise

    def _lost(self, peer: Peer, greeted: Deferred[Peer], reason: str) -> None:
        self.peer = None
        self.asked += peer.asked
        self.state = f"link to {self._journey.target} ended: {reason}"
        if not greeted.called:
            is_bare = peer.roles is None and not peer.is_greeted
            clue = " No greeting came: is HIP spoken there, and without TLS?" if is_bare else ""
            greeted.errback(ConnectionLost(f"{reason}{clue}"))

    async def _serve(self, peer: Peer) -> str:
        """Be the master's slave until the link ends; return why it did."""
        closed = peer.closed
        self.peer = peer
        self.state = f"linked to {peer.name} at {self._journey.target}"
        _log.info("{state}", state=self.state)
        await self._say_first_words(peer)
        while self._waiting and peer.is_open:  # one that goes on may cancel another
            self._waiting.pop(0).callback(peer)
        return await closed

    async def _say_first_words(self, peer: Peer) -> None:
        try:
            pending = self.on_connect(peer)
            if isawaitable(pending):
                words: Deferred[Any] = ensureDeferred(pending)  # type: ignore[arg-type]
                peer.closed.addCallback(lambda _: words.cancel())  # they are for this link only
                await words
        except CancelledError:
            if self._stopped:
                raise
        except (ConnectionLost, NotConnected) as error:
            _log.info("the first words to {name}: {error}", name=peer.name, error=error)
        except Exception:
            _log.failure("the first words to {name} failed", name=peer.name)
            peer.close("the first words failed")

    def _redirect(self, peer: Peer, address: str) -> None:
        """Go to another master next.

        Raises:
            ProtocolError: it leads round and round; the peer ends its link.
            anet.errors.InvalidAddress: there is no going there; neither.
        """
        if self._has_held(peer):
            self._journey.settle()
        before = self._journey.target
        self._journey.go_on(address)
        self._redirected = True
        _log.info("redirected from {before} to {after}", before=before, after=self._journey.target)
        peer.close(f"redirected to {address}")

    # Calling

    def connected(self) -> Deferred[Peer]:
        """Return what fires with the master, now or once linked.

        Raises:
            NotConnected: the agent has stopped.
            Overloaded: too many wait already.
        """
        waiting: Deferred[Peer] = Deferred(lambda it: self._waiting.remove(it))
        if self._stopped:
            waiting.errback(NotConnected("the agent has stopped"))
        elif self.peer is not None and self.peer.is_open:
            waiting.callback(self.peer)
        elif len(self._waiting) >= _LINE:
            waiting.errback(Overloaded(f"{_LINE} wait for a master already: {self.state}"))
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
        if not timeout > 0:
            raise CallTimedOut(f"no time is left to call {method}")
        peer = self.peer
        if self._stopped or peer is None or not peer.is_open:
            begun = self._reactor.seconds()
            try:
                peer = await self.connected().addTimeout(timeout, self._reactor)
            except TimeoutError:
                raise CallTimedOut(f"{method}: {self.state}") from None
            timeout = max(0.1, timeout - (self._reactor.seconds() - begun))
        return await peer.call(method, timeout=timeout, **arguments)

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
            except (CallTimedOut, ConnectionLost, NotConnected, Overloaded) as error:
                if self._stopped:
                    raise
                _log.info("{method} will be repeated: {error}", method=method, error=error)
                await sleep(self._reactor, backoff.next())

    def notify(self, method: str, /, **arguments: Any) -> None:
        """Tell the master something, if there is one now."""
        if self.peer is not None:
            self.peer.notify(method, **arguments)
