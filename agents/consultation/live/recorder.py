"""What readers saw of the live web, on its way to the archive.

Nothing here ever holds a reader up: what cannot be kept is counted, and said.
"""

from collections import Counter
from pathlib import Path
from typing import Any

from twisted.application.service import MultiService
from twisted.logger import Logger

from agents.collected import Captures, Exchange, Offering, Recording
from anet.errors import AnetError
from anet.tasks import Tasks, every
from anet.workers import Workers
from hip import Link

SITE = "live"
"""The name under which it is deposited."""

_SYNC = 2.0  # seconds between two rounds of making durable what was kept

_log = Logger()


class Recorder(MultiService):
    """Keeps answers.

    Args:
        reactor: which reactor.
        crawls: the folder of crawls.
        agent: the name of this agent.
        scheduler: is given what was kept, and has it deposited.
        period: seconds after which a directory is finished.
        size: bytes after which it is, too.

    Attributes:
        kept: answers kept since the start.
        left_out: answers that were not, by the reason.
        problem: why the last of them could not be kept, or empty.
    """

    def __init__(
        self, reactor: Any, crawls: Path, agent: str, scheduler: Link, period: float, size: int
    ) -> None:
        super().__init__()
        self.left_out: Counter[str] = Counter()
        self.problem = ""
        self._reactor = reactor
        self._tasks = Tasks()
        workers = Workers(reactor, 1, name="live recordings")
        self._captures = Captures(reactor, workers, crawls, agent, SITE, period, size)
        self._offering = Offering(reactor, scheduler, self._captures, workers)
        for service in (self._offering, workers):  # threads last: what they do is waited for
            service.setServiceParent(self)

    @property
    def kept(self) -> int:
        """Answers kept since the start."""
        return self._captures.kept

    @property
    def waiting(self) -> int:
        """Directories that the scheduler has not taken yet."""
        return len(self._offering.waiting)

    def startService(self) -> None:
        """Begin to make durable what is kept."""
        super().startService()
        self._tasks = Tasks()
        self._tasks.start(every(self._reactor, _SYNC, self._sync), "keeping the live web")

    async def stopService(self) -> None:
        """Make durable what was kept; the next start offers it."""
        await self._tasks.stop()
        await self._sync()
        await super().stopService()

    def begin(self) -> Recording:
        """Begin to record a body; `keep` it, or `release` it."""
        return self._captures.recording()

    def keep(self, exchange: Exchange, recording: Recording) -> None:
        """Keep an answer whose body is whole; nobody waits for it."""
        self._tasks.start(self._keep(exchange, recording), "keeping an answer")

    async def _keep(self, exchange: Exchange, recording: Recording) -> None:
        try:
            await self._captures.keep(exchange, recording)
        except (OSError, AnetError) as error:
            self._fail(error)

    async def _sync(self) -> None:
        try:
            await self._captures.sync()
        except (OSError, AnetError) as error:
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        self.problem = str(error)
        self.left_out["could not be written"] += 1
        _log.error("what a reader saw is not kept: {error}", error=error)
