"""Agents in other languages, run as processes, and masters for them to meet."""

from contextlib import suppress
from pathlib import Path
from struct import unpack
from typing import Any

from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.endpoints import TCP4ServerEndpoint
from twisted.internet.error import ProcessExitedAlready
from twisted.internet.protocol import Factory, ProcessProtocol, Protocol, connectionDone

from anet.tasks import sleep
from hip import Agent, Limits, exposed
from hip.codecs import YAML
from hip.peer import Peer
from hip.wire import frame

HERE = Path(__file__).parent
COMMANDS = {"perl": ["perl", f"{HERE}/agent.pl"], "node": ["node", f"{HERE}/agent.mjs"]}


async def until(condition: Any) -> None:
    """Wait until something holds."""
    while not condition():
        await sleep(reactor, 0.005)


class Foreign(ProcessProtocol):
    """An agent in another language.

    Attributes:
        log: what it wrote on its standard error.
        exit: its exit status, once it has ended.
    """

    def __init__(self, language: str, master: str, **options: object) -> None:
        self.language = language
        self.log = ""
        self.exit: int | None = None
        words = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
        command = [*COMMANDS[language], *words, master]
        self._process = reactor.spawnProcess(self, command[0], command, env=None)

    def errReceived(self, data: bytes) -> None:
        """Keep what it says."""
        self.log += data.decode(errors="replace")

    def processEnded(self, reason: Any) -> None:
        """Keep how it went."""
        self.exit = reason.value.exitCode or -(reason.value.signal or 0)

    def signal(self, name: str) -> None:
        """Send it a signal; one that has ended does not mind."""
        with suppress(ProcessExitedAlready):
            self._process.signalProcess(name)

    async def end(self) -> None:
        """Kill it, and wait until it is gone."""
        self.signal("KILL")
        await until(lambda: self.exit is not None)


class Methods:
    """What the master answers."""

    def __init__(self) -> None:
        self.received: list[object] = []
        self.working = 0

    @exposed
    def echo(self, value: Any) -> Any:
        """Answer with the value."""
        self.received.append(value)
        return value

    @exposed
    async def later(self, seconds: float) -> float:
        """Answer after some time."""
        await sleep(reactor, seconds)
        self.received.append(seconds)
        return seconds

    @exposed
    async def never(self) -> None:
        """Work until it is stopped."""
        self.working += 1
        try:
            await Deferred()
        finally:
            self.working -= 1


class Master:
    """A real master, on a free port of loopback."""

    def __init__(self, name: str = "master", port: int = 0, **limits: Any) -> None:
        self.methods = Methods()
        self.agent = Agent(reactor, "scheduler", name, [self.methods], limits=Limits(**limits))
        self.left: list[str] = []
        self.agent.on_leave = lambda peer, reason: self.left.append(reason)
        self._listener = self.agent.listen(f"127.0.0.1:{port}")
        self.agent.startService()

    @property
    def port(self) -> int:
        """Where it listens."""
        return self._listener.port

    @property
    def address(self) -> str:
        """Where it listens, as slaves are told."""
        return f"127.0.0.1:{self.port}"

    async def slave(self) -> Peer:
        """Return its one slave, once there is one."""
        await until(lambda: self.agent.slaves)
        (peer,) = self.agent.slaves.values()
        return peer

    async def end(self) -> None:
        """Stop it."""
        await self.agent.stopService()


class Script(Protocol):
    """A master that says what it is told, byte for byte, and keeps what it hears.

    Attributes:
        heard: the frames that came, as values; the first is the greeting.
        is_closed: whether the connection is gone.
    """

    GREETING: dict[str, Any] = {"hip": 2, "kind": "scheduler", "name": "script"}

    def __init__(self) -> None:
        self.heard: list[Any] = []
        self.is_closed = False
        self._buffer = b""

    def dataReceived(self, data: bytes) -> None:
        """Cut frames."""
        self._buffer += data
        while len(self._buffer) >= 4:
            (length,) = unpack(">I", self._buffer[:4])
            if len(self._buffer) < 4 + length:
                return
            self.heard.append(YAML.decode(self._buffer[4 : 4 + length]))
            self._buffer = self._buffer[4 + length :]

    def connectionLost(self, reason: object = connectionDone) -> None:
        """Keep that it is over."""
        self.is_closed = True

    def messages(self, kind: str) -> list[Any]:
        """Return the messages of a kind that came."""
        frames = [frame for frame in self.heard[1:] if frame[0] == kind]
        return [message for frame in frames for message in frame[1]]

    def greet(self, **changes: object) -> None:
        """Send a greeting."""
        self.transport.write(frame(YAML.encode(self.GREETING | changes)))

    def say(self, *said: object) -> None:
        """Send a frame."""
        self.transport.write(frame(YAML.encode(list(said))))


class Stage:
    """Where agents connect to masters that follow a script.

    Attributes:
        scripts: one for each connection that came.
    """

    def __init__(self) -> None:
        self.scripts: list[Script] = []
        self._port: Any = None

    async def open(self) -> str:
        """Listen, and return where."""
        factory = Factory.forProtocol(Script)
        factory.buildProtocol = self._build  # type: ignore[method-assign]
        self._port = await TCP4ServerEndpoint(reactor, 0, interface="127.0.0.1").listen(factory)
        return f"127.0.0.1:{self._port.getHost().port}"

    def _build(self, _: object) -> Script:
        script = Script()
        self.scripts.append(script)
        return script

    async def next(self) -> Script:
        """Return the script of the next connection, once its greeting has come."""
        await until(lambda: self.scripts and self.scripts[0].heard)
        return self.scripts.pop(0)

    async def end(self) -> None:
        """Listen no more."""
        if self._port is not None:
            await self._port.stopListening()
