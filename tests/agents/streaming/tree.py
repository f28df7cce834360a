"""A streaming agent between a scheduler of the tests and a radio of theirs."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from attrs import define, field
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.protocol import Factory, Protocol, connectionDone
from twisted.internet.task import LoopingCall

from agents.collected import Collected
from agents.configuration import load
from agents.stream import OrderedStream, StreamNews
from agents.streaming.service import StreamingService, make_service
from hip import Agent, Peer, exposed

LONG = 20.0  # seconds that a test waits for what must come
HEAD = b"ICY 200 OK\r\nContent-Type: audio/mpeg\r\nicy-name: Radio 404\r\n\r\n"


class Radio(Factory):
    """A radio on loopback that sends each listener what tests give it, ten times a second."""

    def __init__(self) -> None:
        self.listeners: list[Protocol] = []
        self.playing = b"x" * 1000
        self._port: Any = None
        self._timer = LoopingCall(self._play)

    def buildProtocol(self, addr: Any) -> Protocol:
        """Return what speaks with a listener."""
        return _Listener(self)

    def start(self) -> str:
        """Begin; return its URL."""
        self._port = reactor.listenTCP(0, self, interface="127.0.0.1")
        self._timer.start(0.1)
        return f"http://127.0.0.1:{self._port.getHost().port}"

    async def stop(self) -> None:
        """Send everybody away."""
        if self._timer.running:
            self._timer.stop()
        self.hang_up()
        await self._port.stopListening()

    def hang_up(self) -> None:
        """Send all listeners away; they may come again."""
        for listener in list(self.listeners):
            listener.transport.abortConnection()  # type: ignore[union-attr]

    def _play(self) -> None:
        for listener in self.listeners:
            listener.transport.write(self.playing)  # type: ignore[union-attr]


class _Listener(Protocol):
    def __init__(self, radio: Radio) -> None:
        self._radio = radio

    def dataReceived(self, data: bytes) -> None:
        if self not in self._radio.listeners:
            self.transport.write(HEAD)  # type: ignore[union-attr]
            self._radio.listeners.append(self)

    def connectionLost(self, reason: Any = connectionDone) -> None:
        if self in self._radio.listeners:
            self._radio.listeners.remove(self)


@define
class Scheduler:
    """Hears of streams, and keeps what it is told of each."""

    news: list[StreamNews] = field(factory=list)
    directories: list[Collected] = field(factory=list)
    refusals: int = 0
    waiting: list[tuple[Callable[[], bool], Deferred[None]]] = field(factory=list)

    @exposed
    def streams_heard(self, news: list[StreamNews]) -> None:
        "Hear what became of streams."
        if self.refusals:
            self.refusals -= 1
            raise RuntimeError("not now")
        self.news += news
        self.ring()

    @exposed
    def collected(self, collected: Collected) -> bool:
        "Hear of what is to be deposited."
        self.directories.append(collected)
        self.ring()
        return True

    def ring(self) -> None:
        """Look whether what is waited for has come."""
        for condition, deferred in list(self.waiting):
            if condition():
                self.waiting.remove((condition, deferred))
                deferred.callback(None)

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until something holds of what was heard."""
        if not condition():
            deferred: Deferred[None] = Deferred()
            self.waiting.append((condition, deferred))
            await deferred.addTimeout(LONG, reactor)

    async def heard(self, outcome: str, url: str = "") -> StreamNews:
        """Return the first news of an outcome, and forget it and what was before."""

        def found() -> list[int]:
            return [
                number
                for number, each in enumerate(self.news)
                if each.outcome == outcome and each.stream.startswith(url)
            ]

        await self.until(lambda: bool(found()))
        number = found()[0]
        news = self.news[number]
        del self.news[: number + 1]
        return news


@define
class Tree:
    """A scheduler, and the streaming agent that is its slave.

    Attributes:
        scheduler: what the agent tells goes there.
        service: the agent.
        peer: the agent as the scheduler sees it.
    """

    directory: Path
    scheduler: Scheduler = field(factory=Scheduler)
    service: Any = None
    peer: Any = None
    _agent: Any = None
    _listener: Any = None
    _joined: Deferred[Peer] = field(factory=Deferred)

    async def start(self, **settings: Any) -> None:
        """Start both, with settings of the agent."""
        self.start_scheduler("127.0.0.1:0")
        await self.start_agent(**settings)

    def start_scheduler(self, address: str) -> None:
        """Start the scheduler."""
        self._agent = Agent(reactor, kind="scheduler", name="scheduler")
        self._agent.methods.add(self.scheduler)
        self._agent.on_join = self._note
        self._listener = self._agent.listen(address)
        self._agent.startService()

    async def restart_scheduler(self) -> None:
        """Stop the scheduler, and start it where it was."""
        port = self._listener.port
        self._joined = Deferred()
        await self._agent.stopService()
        self.start_scheduler(f"127.0.0.1:{port}")
        self.peer = await self._joined.addTimeout(LONG, reactor)

    async def start_agent(self, **settings: Any) -> None:
        """Start the agent, again if it was stopped."""
        values = {
            "scheduler": f"127.0.0.1:{self._listener.port}",
            "pages": "127.0.0.1:0",
            "names": "system",
            "retry_first": 0.1,
            **settings,
        }
        file = self.directory / "dlweb.yaml"
        file.write_text("streaming:\n" + "".join(f"  {k}: {v}\n" for k, v in values.items()))
        self._joined = Deferred()
        configuration = load(file, directory=self.directory / "archive")
        self.service: StreamingService = make_service(reactor, configuration, "streaming")
        self.service.startService()
        self.peer = await self._joined.addTimeout(LONG, reactor)

    def _note(self, peer: Peer) -> None:
        if not self._joined.called:
            self._joined.callback(peer)

    async def listen(self, *urls: str, private: bool = True) -> int:
        """Have streams listened to."""
        orders = [OrderedStream(url, "radio.example", private_networks=private) for url in urls]
        return int(await self.peer.call("listen", streams=orders))

    async def stop(self) -> None:
        """Stop both."""
        await self.service.stopService()
        await self._agent.stopService()
