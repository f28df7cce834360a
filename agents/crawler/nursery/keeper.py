"""Keeps site crawlers alive: forks them, and replaces those that die."""

from collections.abc import Callable, Iterable, Mapping
from itertools import count
from signal import Signals
from typing import Any, Protocol

from attrs import define
from twisted.application.service import Service
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger

from agents.crawler.nursery.config import NurseryConfig
from anet.backoff import Backoff
from anet.nursery import NurseryError
from anet.tasks import Tasks

_log = Logger()


class Forks(Protocol):
    """What is used of `anet.nursery.Zygote`."""

    def attach(
        self,
        reactor: Any,
        on_exit: Callable[[int, int], None],
        on_lost: Callable[[], None] = ...,
    ) -> None:
        """Let a reactor serve the zygote."""

    def fork(self, argument: Mapping[str, Any]) -> Deferred[int]:
        """Fork a child; return its pid."""

    def signal(self, pid: int, number: Signals = ...) -> None:
        """Send a signal to a child; without effect if it has ended."""

    async def close(self) -> None:
        """End the children and the zygote."""


class Full(Exception):
    """No more crawlers are forked."""


@define
class Kept:
    """A crawler that the nursery keeps.

    Attributes:
        name: its name, for good.
        backoff: how long its next death is waited out.
        pid: its process, or none while there is none.
        since: when it was forked, or died, by the clock in seconds.
        starts: how often it was forked.
        last_end: how its last process ended, for people.
        timer: the wait before it is forked again.
        retired: whether it shall end, and none follows.
    """

    name: str
    backoff: Backoff
    since: float
    pid: int | None = None
    starts: int = 0
    last_end: str = ""
    timer: IDelayedCall | None = None
    retired: bool = False


class Keeper(Service):
    """The crawlers of one machine.

    Attributes:
        crawlers: those that are kept, by name.
    """

    def __init__(
        self,
        clock: IReactorTime,
        zygote: Forks,
        config: NurseryConfig,
        argument_of: Callable[[str], Mapping[str, Any]],
        on_lost: Callable[[], None],
    ) -> None:
        """Fork from `zygote`.

        Args:
            clock: a reactor.
            zygote: begun and not yet attached.
            config: the nursery's section.
            argument_of: gives what the crawler of a name is forked with.
            on_lost: called when the zygote has gone, and nothing can be forked any more.
        """
        self.crawlers: dict[str, Kept] = {}
        self._clock, self._zygote, self._config = clock, zygote, config
        self._argument_of, self._on_lost = argument_of, on_lost
        self._tasks = Tasks()

    def startService(self) -> None:
        """Fork the first crawlers."""
        super().startService()
        self._zygote.attach(self._clock, self._ended, self._lost)
        self.fork(self._config.crawlers)

    async def stopService(self) -> None:
        """End all crawlers, and the zygote."""
        super().stopService()
        for kept in self.crawlers.values():
            if kept.timer is not None:
                kept.timer.cancel()
                kept.timer = None
        await self._tasks.stop()
        await self._zygote.close()

    def fork(self, number: int) -> list[str]:
        """Fork so many more crawlers; return their names.

        Raises:
            Full: that would be more than the configured maximum.
        """
        if len(self.crawlers) + number > self.maximum:
            raise Full(f"{len(self.crawlers)} crawlers are kept here, and at most {self.maximum}")
        return [self._add() for _ in range(number)]

    @property
    def maximum(self) -> int:
        """How many crawlers are kept at most."""
        return max(self._config.maximum, self._config.crawlers)

    def retire(self, names: Iterable[str]) -> None:
        """End crawlers, and fork none in their place; those that are not kept are left out."""
        for name in names:
            kept = self.crawlers.get(name)
            if kept is None:
                continue
            kept.retired = True
            if kept.pid is not None:
                self._zygote.signal(kept.pid)
            elif kept.timer is not None:
                kept.timer.cancel()
                del self.crawlers[name]

    def _add(self) -> str:
        numbers = count(self._config.first_number)
        name = next(name for one in numbers if (name := f"crawler-{one}") not in self.crawlers)
        backoff = Backoff(self._config.restart_first, self._config.restart_longest)
        kept = self.crawlers[name] = Kept(name, backoff, self._clock.seconds())
        self._start(kept)
        return name

    def _start(self, kept: Kept) -> None:
        kept.timer = None
        self._tasks.start(self._fork(kept), f"forking {kept.name}")

    async def _fork(self, kept: Kept) -> None:
        try:
            kept.pid = await self._zygote.fork(self._argument_of(kept.name))
        except NurseryError as error:
            self._again(kept, str(error))
            return
        kept.starts += 1
        kept.since = self._clock.seconds()
        _log.info("{name} is process {pid}", name=kept.name, pid=kept.pid)
        if kept.retired:
            self._zygote.signal(kept.pid)

    def _ended(self, pid: int, status: int) -> None:
        for kept in list(self.crawlers.values()):
            if kept.pid == pid:
                kept.pid = None
                if self._clock.seconds() - kept.since >= self._config.steady_after:
                    kept.backoff.reset()
                self._again(kept, describe_end(status))

    def _again(self, kept: Kept, reason: str) -> None:
        """Fork a crawler again after a while."""
        kept.last_end, kept.since = reason, self._clock.seconds()
        if kept.retired:
            del self.crawlers[kept.name]
        if kept.retired or not self.running:
            return
        wait = kept.backoff.next()
        _log.warn(
            "{name} ended: {reason}; another follows in {wait:.1f} seconds",
            name=kept.name,
            reason=reason,
            wait=wait,
        )
        kept.timer = self._clock.callLater(wait, self._start, kept)

    def _lost(self) -> None:
        _log.error("the process that crawlers are forked from is gone, and they with it")
        self._on_lost()


def describe_end(status: int) -> str:
    """Return in words how a process ended, from its exit code or minus its signal."""
    if status >= 0:
        return f"exit status {status}"
    try:
        return f"killed by {Signals(-status).name}"
    except ValueError:
        return f"killed by signal {-status}"
