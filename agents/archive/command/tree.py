"""The archive that a command works with: the one running in the folder, or one of its own."""

import os
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from signal import SIGINT, SIGTERM
from typing import Any

from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.error import ProcessExitedAlready
from twisted.internet.interfaces import IProcessTransport
from twisted.internet.protocol import ProcessProtocol
from twisted.python.failure import Failure
from twisted.python.logfile import LogFile

from agents.archive import child
from agents.archive.config import ArchiveConfig
from agents.archive.errors import ArchiveError
from agents.archive.lock import running_archive
from agents.configuration import Configuration, private_folder
from anet.tasks import sleep

_READY_PATIENCE = 90.0  # seconds for every agent to answer
_LAST_LINES = 20  # of its standard error, kept to say why it ended
_GRACE = 10.0  # seconds beyond what the archive itself gives its agents to stop


class ArchiveEnded(ArchiveError):
    """The archive ended while the command needed it; the command ends with its status."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status or 1


class OwnArchive(ProcessProtocol):
    """An archive started for a command, as its child: it ends with the command, however.

    Args:
        reactor: spawns and waits.
        configuration: the tree's.
        config: the `archive` section.

    Attributes:
        ended: fires with None once its process is gone.
        pid: its process.
    """

    def __init__(self, reactor: Any, configuration: Configuration, config: ArchiveConfig) -> None:
        self._reactor = reactor
        self._config = config
        self._said: deque[str] = deque(maxlen=_LAST_LINES)
        self._status: int | None = None
        self._abandoned = False
        self._gone = False
        self._was_stopped = False
        self._waiting: list[Deferred[None]] = []
        try:
            folder = private_folder(configuration.directory / "log")
            self._log = LogFile(
                "archive.log",
                str(folder),
                rotateLength=config.log_size,
                maxRotatedFiles=config.log_files,
                defaultMode=0o600,
            )
        except OSError as error:
            raise ArchiveError(
                f"the folder {configuration.directory} cannot be used: {error.strerror}; "
                "make it writable for this user, or name another with --archive"
            ) from None
        self._process = self._spawn(configuration)
        self.pid = self._process.pid

    def _spawn(self, configuration: Configuration) -> IProcessTransport:
        arguments = ["archive", "--archive", str(configuration.directory)]
        arguments += ["--base-port", str(configuration.base_port)]
        if configuration.path is not None:
            arguments += ["--config", str(configuration.path)]
        command = child.command(arguments)
        spawned: IProcessTransport = self._reactor.spawnProcess(
            self, command[0], command, env=os.environ
        )
        return spawned

    def outReceived(self, data: bytes) -> None:
        """Keep its log."""
        self._log.write(data)

    def errReceived(self, data: bytes) -> None:
        """Keep its log, and what may have to be shown to a person."""
        self._log.write(data)
        self._said.extend(data[-10_000:].decode("utf-8", "replace").splitlines())

    def processEnded(self, reason: Failure) -> None:
        """Note how it ended."""
        self._status = reason.value.exitCode  # type: ignore[union-attr]
        # twistd stops in good order at SIGTERM, and then ends by that signal.
        self._was_stopped = reason.value.signal in (SIGTERM, SIGINT)  # type: ignore[union-attr]
        self._log.close()
        self._gone = True
        waiting, self._waiting = self._waiting, []
        for deferred in waiting:
            deferred.callback(None)

    def ended(self) -> Deferred[None]:
        """Return what fires once its process is gone; cancelling that ends the wait only."""
        waiting: Deferred[None] = Deferred()
        if self._gone:
            waiting.callback(None)
        else:
            self._waiting.append(waiting)
        return waiting

    @property
    def was_stopped(self) -> bool:
        """Whether it ended in good order, because somebody stopped it."""
        return self._was_stopped

    def abandon(self) -> None:
        """Have no more use for it: from now on `check` cancels whoever asks."""
        self._abandoned = True

    def check(self) -> None:
        """Make sure that it has not ended.

        Raises:
            ArchiveEnded: it has; the message is what it said last.
            CancelledError: it was abandoned.
        """
        if self._abandoned:
            raise CancelledError
        if self._gone:
            said = "\n".join(line for line in self._said if line.strip())
            raise ArchiveEnded(
                said or "the archive ended; log/archive.log in its folder says why", self._status
            )

    async def stop(self) -> None:
        """End it, and wait until it has gone with all of its agents."""
        if self._gone:
            return
        self._signal("TERM")
        killing = self._reactor.callLater(self._config.stop_timeout + _GRACE, self._signal, "KILL")
        await self.ended()
        if killing.active():
            killing.cancel()

    def _signal(self, name: str) -> None:
        with suppress(ProcessExitedAlready):  # its end is about to be told
            self._process.signalProcess(name)


class JoinedArchive:
    """An archive that somebody else runs in the folder; a command leaves it as it is.

    Args:
        configuration: the tree's.
        pid: the process that runs it.
    """

    def __init__(self, configuration: Configuration, pid: int) -> None:
        self.pid = pid
        self._directory = configuration.directory
        self._abandoned = False

    def abandon(self) -> None:
        """Have no more use for it: from now on `check` cancels whoever asks."""
        self._abandoned = True

    def check(self) -> None:
        """Make sure that it is still running.

        Raises:
            ArchiveEnded: it is not.
            CancelledError: it was abandoned.
        """
        if self._abandoned:
            raise CancelledError
        if running_archive(self._directory) is None:
            raise ArchiveEnded(f"the archive in {self._directory} has ended")

    async def stop(self) -> None:
        """Leave it running."""


async def wait_until_ready(
    reactor: Any,
    archive: OwnArchive | JoinedArchive,
    ask: Callable[[], Awaitable[dict[str, Any] | None]],
    show: Callable[[str], None],
) -> None:
    """Wait until every agent answers.

    Args:
        reactor: waits.
        archive: must not end meanwhile.
        ask: asks the supervisor; None while it does not answer.
        show: called with how far it is.

    Raises:
        ArchiveEnded: the archive ended instead.
        ArchiveError: it takes too long.
    """
    deadline = reactor.seconds() + _READY_PATIENCE
    while True:
        archive.check()
        status = await ask()
        # Where the ports are taken, whoever took them answers: another archive, maybe.
        if status is not None and status["pid"] == archive.pid:
            if status["ready"]:
                return
            states = [agent["state"] for agent in status["agents"]]
            show(f"starting: {states.count('running')} of {len(states)} agents are ready")
        if reactor.seconds() > deadline:
            raise ArchiveError(_late(status))
        await sleep(reactor, 0.1)


def _late(status: dict[str, Any] | None) -> str:
    if status is None:
        return "the archive does not answer; log/archive.log in its folder may say why"
    missing = [agent for agent in status["agents"] if agent["state"] != "running"]
    lines = [f"{agent['name']} is {agent['state']} ({agent['last_end']})" for agent in missing]
    return "\n".join(
        [f"not all agents are ready after {_READY_PATIENCE:.0f} s; log/ in the folder says more:"]
        + lines
    )
