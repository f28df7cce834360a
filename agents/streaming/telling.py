"""Telling the scheduler what became of streams, until it has it.

Of each stream only the newest is told, so that the number of streams bounds what waits. It waits
as well while there is no link: nothing is lost by that, for the agent goes on listening.
"""

from itertools import islice
from typing import Any

from agents.stream import StreamNews
from anet.backoff import Backoff
from anet.tasks import every, sleep
from hip import HipError, Link

AT_ONCE = 100  # news of one call; of the longest URLs and texts, they fit into a frame
SOON = 0.2  # seconds in which news come together
ANSWER_TIMEOUT = 60.0  # seconds for the scheduler's answer
LAST_TIMEOUT = 3.0  # seconds for its answer when the agent stops


class Teller:
    """News that the scheduler does not have yet.

    Args:
        reactor: which reactor.
        scheduler: who is told.

    Attributes:
        problem: why the scheduler does not take what it is told now, or empty.
    """

    def __init__(self, reactor: Any, scheduler: Link) -> None:
        self.problem = ""
        self._reactor, self._scheduler = reactor, scheduler
        self._waiting: dict[str, StreamNews] = {}

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, news: StreamNews) -> None:
        """Take what became of a stream, in place of what was not told of it yet."""
        self._waiting[news.stream] = news

    def forget(self, stream: str) -> None:
        """Tell nothing more of a stream."""
        self._waiting.pop(stream, None)

    async def run(self) -> None:
        """Tell, for ever."""
        await every(self._reactor, SOON, self._tell)

    async def tell_last(self) -> None:
        """Tell what waits, once, if the scheduler answers soon: the agent is stopping."""
        peer = self._scheduler.peer
        if peer is not None:
            try:
                while self._waiting:
                    batch = [self._waiting.pop(url) for url in list(self._waiting)[:AT_ONCE]]
                    await peer.call("streams_heard", timeout=LAST_TIMEOUT, news=batch)
            except HipError as error:
                self.problem = str(error)

    async def _tell(self) -> None:
        backoff = Backoff()
        while self._waiting and (peer := self._scheduler.peer) is not None:
            batch = list(islice(self._waiting.values(), AT_ONCE))
            try:
                await peer.call("streams_heard", timeout=ANSWER_TIMEOUT, news=batch)
            except HipError as error:
                self.problem = str(error)
                await sleep(self._reactor, backoff.next())
                continue
            self.problem = ""
            for news in batch:
                if self._waiting.get(news.stream) is news:  # nothing newer came meanwhile
                    del self._waiting[news.stream]
