"""The robots.txt of each server a crawl meets, fetched when first needed and kept as captures."""

from collections import OrderedDict
from collections.abc import Iterable
from typing import TYPE_CHECKING

from attrs import define

from agents import urls
from agents.crawler.errors import FetchFailed
from agents.crawler.strategy.frontier import Task
from agents.crawler.strategy.traps import TRUNCATED
from agents.parsers import COMPONENT
from agents.robots import ALLOW_ALL, REDIRECTS, SIZE_LIMIT, Rules, rules
from anet.workers import Workers

if TYPE_CHECKING:
    from agents.crawler.collector import Collector, ReaderChoice

KEPT_LIMIT = 5 * 2**20  # bytes kept of a robots.txt, ten times what is read of it

_SERVERS = 2000  # whose rules are remembered
_SHORT = 16 * 1024  # bytes of rules that are read at once


class _Keeper:
    """Keeps the first bytes of a body (see `agents.crawler.reading.reader.Reader`)."""

    def __init__(self) -> None:
        self.text = bytearray()

    def feed(self, chunk: bytes) -> Iterable[None]:
        """Take the next bytes."""
        self.text += chunk[: SIZE_LIMIT - len(self.text)]
        return ()

    def close(self) -> Iterable[None]:
        """Take the end."""
        return ()


@define
class _Asked:
    rules: Rules
    attempt: int


class RobotsFiles:
    """The rules of servers, by scheme, host and port.

    Args:
        user_agent: how the crawler names itself.
        workers: read them, for the longest may take a third of a second.
    """

    def __init__(self, user_agent: str, workers: Workers) -> None:
        self._user_agent = user_agent
        self._workers = workers
        self._asked: OrderedDict[str, _Asked] = OrderedDict()

    def known(self, url: str, attempt: int) -> Rules | None:
        """Return the rules for a canonical URL, or None when its server is to be asked.

        A server whose rules could not be read is asked again at the next attempt.
        """
        asked = self._asked.get(_server(url))
        if asked is None or (asked.rules.unknown and asked.attempt < attempt):
            return None
        return asked.rules

    async def ask(self, collector: "Collector", task: Task) -> Rules:
        """Fetch the rules for the server of a task, and return them."""
        server = _server(task.url)
        try:
            found = await self._fetch(collector, task, server + "/robots.txt")
        except FetchFailed as error:
            found = Rules(unknown=str(error))
        self._asked[server] = _Asked(found, task.attempt)
        if len(self._asked) > _SERVERS:
            self._asked.popitem(last=False)
        return found

    async def _fetch(self, collector: "Collector", task: Task, url: str) -> Rules:
        for _ in range(REDIRECTS + 1):
            keeper = _Keeper()
            file = Task(url, COMPONENT, True, task.depth, attempt=task.attempt)
            received = await collector.receive(file, _always(keeper), beginning=KEPT_LIMIT)
            head = received.answer.head
            if received.answer.truncated == "length":
                collector.findings.trap(url, TRUNCATED)
            if head.status < 500:
                collector.frontier.take(url)
                collector.keep(file, received)
            else:
                received.reception.discard()
            location = head.headers.text(b"location") if 300 <= head.status < 400 else ""
            target = urls.canonical(location, url) if location else None
            if target is None:
                text = bytes(keeper.text)
                if len(text) < _SHORT:
                    return rules(head.status, text, self._user_agent)
                return await self._workers.run(rules, head.status, text, self._user_agent)
            url = target
        return ALLOW_ALL


def _always(reader: _Keeper) -> "ReaderChoice":
    return lambda _: reader


def _server(url: str) -> str:
    return url[: url.index("/", 8)]
