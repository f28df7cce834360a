"""The keeper's side of a zygote: begin it before the reactor runs, then fork from the reactor."""

import os
import socket
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from itertools import count
from signal import SIGKILL, SIGTERM, Signals
from threading import active_count
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IUNIXTransport
from twisted.internet.protocol import Factory, Protocol, connectionDone
from twisted.logger import Logger
from twisted.python.failure import Failure

from anet.nursery.loop import Run, live
from anet.nursery.messages import NurseryError, Reader, encode
from anet.tasks import sleep

_log = Logger()

_REAPINGS = 200  # looks, 10 ms apart, for the zygote's own end


class Zygote:
    """A clean process that forks children on command; made by `begin`.

    Attributes:
        pid: the zygote's process.
        children: the processes it has forked and not yet seen end.
    """

    def __init__(self, pid: int, channel: socket.socket) -> None:
        self.pid = pid
        self.children: set[int] = set()
        self._channel = channel
        self._protocol: _Channel | None = None
        self._reactor: Any = None
        self._numbers = count(1)
        self._forks: dict[int, Deferred[int]] = {}
        self._gone: Deferred[None] = Deferred()
        self._closing = False
        self._on_exit: Callable[[int, int], None] = lambda _pid, _status: None
        self._on_lost: Callable[[], None] = lambda: None
        self._reason = "the zygote is gone"

    @classmethod
    def begin(
        cls, run: Run, *, preload: Sequence[str] = (), title: str = "zygote", patience: float = 60.0
    ) -> "Zygote":
        """Fork a zygote and wait until its modules are loaded.

        To be called before any reactor runs and while there is one thread only. It blocks.

        Args:
            run: called in each child with the argument of its fork; the child ends with it.
            preload: modules that the zygote imports, which no child has to import again.
            title: the zygote's name in `ps`.
            patience: seconds to wait for the modules.

        Raises:
            NurseryError: there are threads, a module does not load or installs a reactor.
        """
        if active_count() > 1:
            raise NurseryError("a zygote must be begun before any thread is started")
        ours, theirs = socket.socketpair()
        pid = os.fork()
        if pid == 0:
            try:
                ours.close()
                live(theirs, run, preload, title)
            finally:
                os._exit(0)
        theirs.close()
        try:
            _wait_until_ready(ours, patience)
        except NurseryError:
            ours.close()
            os.kill(pid, SIGKILL)
            os.waitpid(pid, 0)
            raise
        return cls(pid, ours)

    def attach(
        self,
        reactor: Any,
        on_exit: Callable[[int, int], None],
        on_lost: Callable[[], None] = lambda: None,
    ) -> None:
        """Let a reactor serve the zygote's socket.

        Args:
            reactor: an `IReactorSocket` and `IReactorTime`.
            on_exit: called with pid and exit code (-N for signal N) of each child that ended.
            on_lost: called when the zygote went without being told to; its children go too.
        """
        self._on_exit, self._on_lost, self._reactor = on_exit, on_lost, reactor
        protocol = _Channel(self._received, self._lost)
        factory = Factory.forProtocol(lambda: protocol)
        reactor.adoptStreamConnection(self._channel.fileno(), socket.AF_UNIX, factory)
        self._protocol = protocol
        self._channel.close()  # the reactor has a duplicate

    def fork(self, argument: Mapping[str, Any], descriptors: Sequence[int] = ()) -> Deferred[int]:
        """Fork a child that runs with `argument`; return its pid.

        Args:
            argument: what the child is told, of values that JSON knows.
            descriptors: that the child shall have, passed to it behind the argument; the caller
                closes its own once the pid is known.

        Raises:
            NurseryError: the zygote is gone, or the system allows no more processes.
        """
        number = next(self._numbers)
        forked: Deferred[int] = Deferred()
        message = {"fork": number, "argument": dict(argument), "descriptors": len(descriptors)}
        self._send(message, descriptors)
        self._forks[number] = forked
        return forked

    def signal(self, pid: int, number: Signals = SIGTERM) -> None:
        """Send a signal to a child; without effect if it has ended."""
        self._send({"signal": pid, "number": int(number)})

    async def close(self) -> None:
        """End the children, by SIGTERM and after ten seconds by SIGKILL, and the zygote."""
        self._closing = True
        if self._protocol is None:
            self._channel.close()
        elif not self._gone.called:
            self._protocol.close()
            await self._gone
        await self._reap()

    def _send(self, message: dict[str, Any], descriptors: Sequence[int] = ()) -> None:
        if self._protocol is None or self._closing or self._gone.called:
            raise NurseryError(self._reason)
        self._protocol.send(encode(message), descriptors)

    def _received(self, message: dict[str, Any]) -> None:
        if "forked" in message:
            self.children.add(message["pid"])
            self._forks.pop(message["forked"]).callback(message["pid"])
        elif "refused" in message:
            self._forks.pop(message["refused"]).errback(NurseryError(message["reason"]))
        elif "ended" in message:
            self.children.discard(message["ended"])
            self._on_exit(message["ended"], message["status"])
        elif "broken" in message:
            self._reason = message["broken"]

    def _lost(self) -> None:
        forks, self._forks = self._forks, {}
        self.children.clear()
        self._gone.callback(None)
        for forked in forks.values():
            forked.errback(NurseryError(self._reason))
        if not self._closing:
            self._on_lost()

    async def _reap(self) -> None:
        """Take note of the zygote's end, unless it is another's child (after a daemon's fork)."""
        with suppress(ChildProcessError):
            for _ in range(_REAPINGS):
                if os.waitpid(self.pid, os.WNOHANG)[0] or self._reactor is None:
                    return
                await sleep(self._reactor, 0.01)


class _Channel(Protocol):
    transport: IUNIXTransport

    def __init__(
        self, received: Callable[[dict[str, Any]], None], lost: Callable[[], None]
    ) -> None:
        self._received, self._lost = received, lost
        self._reader = Reader()

    def send(self, data: bytes, descriptors: Sequence[int]) -> None:
        for descriptor in descriptors:
            self.transport.sendFileDescriptor(descriptor)
        self.transport.write(data)

    def close(self) -> None:
        """Close our half; the zygote closes the other when its children have ended."""
        self.transport.loseWriteConnection()  # type: ignore[attr-defined]

    def dataReceived(self, data: bytes) -> None:
        try:
            for message in self._reader.feed(data):
                self._received(message)
        except NurseryError as error:
            _log.error("the zygote does not speak our language: {error}", error=error)
            self.transport.loseConnection()

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        self._lost()


def _wait_until_ready(channel: socket.socket, patience: float) -> None:
    channel.settimeout(patience)
    reader = Reader()
    while True:
        try:
            data = channel.recv(65_536)
        except TimeoutError:
            raise NurseryError(f"the zygote is not ready after {patience:.0f} seconds") from None
        for message in reader.feed(data):
            if "broken" in message:
                raise NurseryError(message["broken"])
            channel.setblocking(False)
            return
        if not data:
            raise NurseryError("the zygote ended before it was ready")
