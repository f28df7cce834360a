"""Whether servers let feeds be asked for (RFC 9309): an archive's agent is a robot too."""

from collections import OrderedDict

from twisted.internet.defer import Deferred

from agents import urls
from agents.feeds.errors import LookFailed
from agents.feeds.fetching import Fetcher
from agents.robots import ALLOW_ALL, REDIRECTS, SIZE_LIMIT, Rules, rules
from anet.shared import Shared
from anet.tasks import Tasks

SERVERS = 200  # whose rules are remembered; feeds of one server are often due together
GOOD_FOR = 86400.0  # seconds (RFC 9309 §2.4)


class Robots:
    """The rules of the servers met lately.

    Args:
        fetcher: asks for them.
        user_agent: how the agent names itself.
    """

    def __init__(self, fetcher: Fetcher, user_agent: str) -> None:
        self._fetcher = fetcher
        self._user_agent = user_agent
        self._rules: OrderedDict[str, Rules] = OrderedDict()
        self._asking: dict[str, Shared[Rules]] = {}
        self._tasks = Tasks()

    async def allow(self, url: str, private: bool) -> bool:
        """Tell whether a canonical URL may be asked for.

        Raises:
            Crowded: the server's turn does not come soon.
            LookFailed: the server does not say.
        """
        server = url[: url.index("/", 8)]
        found = self._rules.get(server)
        if found is None:
            found = await self._join(server, private)
        return found.allow(url)

    def forget(self) -> None:
        """Ask again from now on; to be called once a day."""
        self._rules.clear()

    async def stop(self) -> None:
        """Ask no more."""
        await self._tasks.stop()

    def _join(self, server: str, private: bool) -> Deferred[Rules]:
        """Ask a server, or wait with those for whom it is being asked already."""
        asking = self._asking.get(server)
        if asking is None or asking.ended:
            words = f"the robots.txt of {server}"
            asking = Shared(self._tasks, self._learn(server, private), words)
            if not asking.ended:
                self._asking[server] = asking
        return asking.wait()

    async def _learn(self, server: str, private: bool) -> Rules:
        try:
            found = await self._ask(server + "/robots.txt", private)
        finally:
            self._asking.pop(server, None)
        self._rules[server] = found
        if len(self._rules) > SERVERS:
            self._rules.popitem(last=False)
        return found

    async def _ask(self, url: str, private: bool) -> Rules:
        for _ in range(REDIRECTS + 1):
            answer = await self._fetcher.fetch(url, private=private, patient=True, more=True)
            status = answer.head.status
            if status >= 500 or status == 429:
                raise LookFailed(f"robots.txt: the server answers {status}")
            location = answer.head.headers.text(b"location") if 300 <= status < 400 else ""
            target = urls.canonical(location, url) if location else None
            if target is None:
                text = answer.content(SIZE_LIMIT * 16)[:SIZE_LIMIT]
                return rules(status, text, self._user_agent)
            url = target
        return ALLOW_ALL
