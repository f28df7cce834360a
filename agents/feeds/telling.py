"""Telling the scheduler what came, at once or many together, until it has it.

What is told is durable before: the bodies in the crawl's files, and then the rest at the scheduler.
"""

from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from agents.feed import FeedNews
from agents.feeds.followed import Followed
from anet.backoff import Backoff
from anet.tasks import every, sleep
from hip import HipError, Link

AT_ONCE = 200  # news of one call
CHARACTERS = 512 * 1024  # of one call, as far as it may be long, lest it fit in no frame
SOON = 0.2  # seconds in which changes come together
ANSWER_TIMEOUT = 60.0  # seconds for the scheduler's answer


class Teller:
    """A queue of news; nothing in it is lost while the link to the scheduler holds.

    There is at most one of each feed in it, so that the number of feeds bounds it.

    Args:
        reactor: which reactor.
        scheduler: who is told.
        patience: seconds that news wait for others when nothing has changed.
        keep: makes what the news rest on durable.
        told: called with the feeds whose news the scheduler has.

    Attributes:
        problem: why the scheduler does not take what it is told now, or empty.
    """

    def __init__(
        self,
        reactor: Any,
        scheduler: Link,
        patience: float,
        keep: Callable[[], Awaitable[None]],
        told: Callable[[Sequence[Followed]], None],
    ) -> None:
        self.problem = ""
        self._reactor = reactor
        self._scheduler = scheduler
        self._patience = patience
        self._keep = keep
        self._told = told
        self._queue: deque[tuple[Followed, FeedNews]] = deque()
        self._tell_at = 0.0

    def __len__(self) -> int:
        return len(self._queue)

    def add(self, followed: Followed, news: FeedNews) -> None:
        """Take a piece of news of a feed."""
        now = self._reactor.seconds()
        if not self._queue:
            self._tell_at = now + self._patience
        if news.outcome != "unchanged" or len(self._queue) >= AT_ONCE:
            self._tell_at = now
        self._queue.append((followed, news))

    def hurry(self) -> None:
        """Wait for no more news to come together."""
        self._tell_at = 0.0

    def clear(self) -> None:
        """Forget everything: a new link to the scheduler begins with what that has."""
        self._queue.clear()

    async def run(self) -> None:
        """Tell, for ever."""
        await every(self._reactor, SOON, self._tell_all)

    async def _tell_all(self) -> None:
        while self._queue and self._tell_at <= self._reactor.seconds():
            await self._tell(self._batch())

    def _batch(self) -> list[tuple[Followed, FeedNews]]:
        """Take what goes in one call."""
        batch: list[tuple[Followed, FeedNews]] = []
        characters = 0
        while self._queue and len(batch) < AT_ONCE and characters < CHARACTERS:
            _, news = pair = self._queue.popleft()
            characters += sum(map(len, (*news.new, *news.changed, news.state.seen)))
            batch.append(pair)
        return batch

    async def _tell(self, batch: list[tuple[Followed, FeedNews]]) -> None:
        """Tell until it is taken; a new link ends that, for it begins with what was taken."""
        peer, backoff = self._scheduler.peer, Backoff()
        news = [each for _, each in batch]
        while peer is not None and peer is self._scheduler.peer:
            try:
                await self._keep()
                await peer.call("feeds_heard", timeout=ANSWER_TIMEOUT, news=news)
            except (HipError, OSError) as error:
                self.problem = str(error)
                await sleep(self._reactor, backoff.next())
                continue
            self.problem = ""
            if peer is self._scheduler.peer:
                self._told([followed for followed, _ in batch])
            return
