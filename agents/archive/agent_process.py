"""One agent as a child process: started, watched, started again when it dies, and stopped."""

import signal
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Protocol

from attrs import frozen
from twisted.internet.defer import Deferred
from twisted.internet.error import ProcessExitedAlready
from twisted.internet.interfaces import IDelayedCall, IProcessTransport, IReactorTime
from twisted.internet.protocol import ProcessProtocol
from twisted.logger import Logger
from twisted.python.failure import Failure

from agents.archive.config import ArchiveConfig
from agents.archive.life import life
from agents.configuration import EXIT_STATUS
from anet.backoff import Backoff

_LAST_LINES = 20  # of what an agent wrote, kept to say why it died
_LINE_LIMIT = 500  # bytes of such a line

Spawn = Callable[[ProcessProtocol], IProcessTransport]


class Log(Protocol):
    """Where the output of an agent goes."""

    def write(self, data: bytes) -> Any:
        """Write as it comes."""

    def close(self) -> None:
        """Write no more."""


@frozen
class AgentState:
    """How an agent's process is doing.

    Attributes:
        state: starting, running, waiting (to be started again), refused, stopping or stopped.
        pid: its process number, or None when it has none.
        since: when this state began, seconds of the reactor's clock.
        starts: how often it was started.
        last_end: how its process last ended and what it said last, or empty.
    """

    state: str
    pid: int | None
    since: float
    starts: int
    last_end: str


class AgentProcess:
    """Keeps one agent running.

    Args:
        name: the agent's name, for the log.
        spawn: starts the process with the given protocol.
        clock: tells and waits.
        config: how patient to be.
        log: where its output goes.
        on_refused: called with the agent's last words when it refuses its configuration.
    """

    def __init__(
        self,
        name: str,
        spawn: Spawn,
        clock: IReactorTime,
        config: ArchiveConfig,
        log: Log,
        on_refused: Callable[[str], None],
    ) -> None:
        self.name = name
        self._spawn = spawn
        self._clock = clock
        self._config = config
        self._log = log
        self._on_refused = on_refused
        self._logger = Logger(f"archive.{name}")
        self._backoff = Backoff(config.restart_first, config.restart_longest)
        self._state, self._since = "idle", clock.seconds()
        self._starts = 0
        self._last_end = ""
        self._last_lines: deque[str] = deque(maxlen=_LAST_LINES)
        self._transport: IProcessTransport | None = None
        self._timer: IDelayedCall | None = None
        self._stopped: Deferred[None] = Deferred()
        self._life = life(self)

    @property
    def status(self) -> AgentState:
        """How the process is doing now."""
        return AgentState(self._state, self.pid, self._since, self._starts, self._last_end)

    @property
    def pid(self) -> int | None:
        """Its process number, or None when it has none."""
        return self._transport.pid if self._transport else None

    @property
    def last_words(self) -> str:
        """The last line that the agent wrote."""
        return self._last_lines[-1] if self._last_lines else ""

    def start(self) -> None:
        """Start the agent for the first time."""
        self._life.start()

    def answered(self) -> None:
        """Take note that the agent answers on its address."""
        self._life.answered()

    def stop(self) -> Deferred[None]:
        """End the agent; fires when nothing of it runs any more."""
        self._life.stop()
        return self._stopped

    # What the process tells.

    def output(self, data: bytes) -> None:
        """Keep what the agent wrote."""
        self._log.write(data)
        for line in data[-_LAST_LINES * _LINE_LIMIT :].splitlines():
            if line.strip():
                self._last_lines.append(line[:_LINE_LIMIT].decode("utf-8", "replace"))

    def process_ended(self, reason: Failure) -> None:
        """Take note that the process is gone, and how."""
        status, signalled = reason.value.exitCode, reason.value.signal  # type: ignore[union-attr]
        self._cancel_timer()
        self._transport = None
        how = f"killed by {signal.Signals(signalled).name}" if signalled else f"status {status}"
        self._last_end = f"{how}: {self.last_words}" if self.last_words else how
        if status == EXIT_STATUS:
            self._life.refused()
        else:
            self._life.ended()

    # What the machine asks for.

    def enter(self, state: str) -> None:
        """Note the state."""
        if state == "waiting" and self._clock.seconds() - self._since >= self._config.steady_after:
            self._backoff.reset()
        self._state, self._since = state, self._clock.seconds()

    def spawn(self) -> None:
        """Start the process."""
        self._starts += 1
        self._last_lines.clear()
        self._transport = self._spawn(_Output(self))

    def wait(self) -> None:
        """Start the process again after a while, which grows with each death."""
        seconds = self._backoff.next()
        self._logger.warn(
            "{name} ended ({end}); starting it again in {seconds:.1f} s",
            name=self.name,
            end=self._last_end,
            seconds=seconds,
        )
        self._timer = self._clock.callLater(seconds, self._due)

    def give_up(self) -> None:
        """Tell the supervisor what the agent refuses."""
        self._on_refused(self.last_words)

    def terminate(self) -> None:
        """Ask the process to end, and kill it if it takes too long."""
        self._signal(signal.SIGTERM)
        self._timer = self._clock.callLater(self._config.stop_timeout, self._kill)

    def gone(self) -> None:
        """Tell whoever waits that nothing runs any more."""
        self._cancel_timer()
        self._log.close()
        self._stopped.callback(None)

    def _due(self) -> None:
        self._timer = None
        self._life.due()

    def _kill(self) -> None:
        self._timer = None
        self._logger.warn(
            "{name} does not end; killing process {pid}", name=self.name, pid=self.pid
        )
        self._signal(signal.SIGKILL)

    def _signal(self, number: signal.Signals) -> None:
        if self._transport is not None:
            with suppress(ProcessExitedAlready):  # its end is about to be told
                self._transport.signalProcess(number.name.removeprefix("SIG"))

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class _Output(ProcessProtocol):
    """Hands what a process says and how it ends to its `AgentProcess`."""

    def __init__(self, agent: AgentProcess) -> None:
        self._agent = agent

    def outReceived(self, data: bytes) -> None:
        self._agent.output(data)

    errReceived = outReceived

    def processEnded(self, reason: Failure) -> None:
        self._agent.process_ended(reason)
