"""Learns of archived URLs from the storage nodes: first all that they list, then what is added.

    new --first page of the list--> listing --its end--> reading logs
    reading logs --a disk is new, or its log another--> listing

The list comes before the logs, so that what the logs name is known but for what came meanwhile;
nothing is missed, for each log is read from its start. What a log says is gone stays in the index:
other nodes may have it, and a URL that is listed in vain does no harm.
"""

from collections.abc import Awaitable, Callable
from typing import Any, NoReturn, TypeVar
from urllib.parse import urlencode

import msgspec
from attrs import evolve, field, frozen
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from agents.consultation.errors import ConsultationError
from agents.consultation.lookup.structures import Nodes
from agents.consultation.urls.index import UrlIndex
from agents.consultation.urls.tables import Listed, Progress, is_whole
from agents.stream import LOG_SCHEME
from anet.errors import AnetError, ConnectionBroken, TimedOut
from anet.http import HttpClient
from anet.tasks import Tasks, every, sleep
from anet.together import together

PAGE = 1000  # URLs of one page of a node's list
PAUSE = 0.02  # seconds between two parts of what one node has, so that readers come first
_PART_LIMIT = 16 * 1024 * 1024  # bytes of an answer
_TIMEOUT = 30.0  # seconds a node may take for one
_AT_ONCE = 8  # structure files asked of a node at once

Heard = Callable[[list[str]], None]
_Answer = TypeVar("_Answer")
_log = Logger()


@frozen
class _Disk:
    name: str


@frozen
class _Status:
    """What is read of a node's status."""

    disks: list[_Disk] = field(factory=list)


@frozen
class _Page:
    urls: list[Listed]
    after: str | None = None


@frozen
class _Entry:
    kind: str
    key: str
    gone: bool = False


@frozen
class _Part:
    log: str
    position: int
    entries: list[_Entry]


@frozen
class _Capture:
    url: str


class Following:
    """Asks every node that is up, again and again, which URLs it has.

    Args:
        clock: for all waiting.
        index: takes them in.
        nodes: tells which nodes there are.
        client: makes the requests.
        period: seconds between two looks.
        heard: told the names of other records that there are, or that grew (`stream-log:…`).

    Attributes:
        behind: nodes that have not been read to their end since this process began.
        failures: why each node was not read when it was last tried, for those that were not.
    """

    def __init__(
        self,
        clock: IReactorTime,
        index: UrlIndex,
        nodes: Callable[[], Awaitable[Nodes]],
        client: HttpClient,
        period: float,
        heard: Heard = lambda names: None,
    ) -> None:
        self._clock, self._index, self._client = clock, index, client
        self._heard = heard
        self._nodes, self._period = nodes, period
        self._tasks = Tasks()
        self._busy: set[str] = set()
        self._ended: set[str] = set()
        self._progress: dict[str, Progress] = {}
        self.behind: set[str] = set()
        self.failures: dict[str, str] = {}

    async def start(self) -> None:
        """Begin to follow, where it was left off."""
        self._progress = await self._index.progress()
        self._heard(await self._index.logs())
        self._tasks.start(self._begin(), "following URLs")

    async def stop(self) -> None:
        """Follow no more."""
        await self._tasks.stop()

    async def _begin(self) -> None:
        await self.look()
        await every(self._clock, self._period, self.look)

    async def look(self) -> None:
        """Begin to read what each node that is up has come to have."""
        try:
            nodes = await self._nodes()
        except ConsultationError as error:
            _log.info("nobody says which storage nodes there are: {error}", error=error)
            return
        self.behind = set(nodes.up) - self._ended
        self._tell(nodes)
        for node in set(nodes.up) - self._busy:
            self._busy.add(node)
            self._tasks.start(self._read(node, nodes), f"reading the URLs of {node}")

    def _tell(self, nodes: Nodes) -> None:
        self._index.complete = bool(nodes.up) and not self.behind

    async def _read(self, node: str, nodes: Nodes) -> None:
        try:
            await self.follow(node)
            self._ended.add(node)
            self.behind.discard(node)
            self.failures.pop(node, None)
            self._tell(nodes)
        except AnetError as error:
            if self.failures.get(node) != str(error):
                _log.info("the URLs of {node} were not read: {error}", node=node, error=error)
            self.failures[node] = str(error)
        finally:
            self._busy.discard(node)

    async def follow(self, node: str) -> None:
        """Read the list and the logs of a node to their ends.

        Raises:
            AnetError: the node does not answer, or not as it should; what was read is kept.
        """
        status = await self._get(node, "/status", {}, _Status)
        names = [disk.name for disk in status.disks] or [""]
        progress = self._progress.get(node, Progress())
        if progress.listed is None and not set(names) <= progress.logs.keys():
            progress = evolve(progress, listed="")
        logs = {name: progress.logs.get(name, ("", 0)) for name in names}
        progress = await self._list(node, evolve(progress, logs=logs))
        for name in names:
            progress = await self._read_log(node, progress, name)

    async def _list(self, node: str, progress: Progress) -> Progress:
        """Take in what a node lists, from where that was left off."""
        while progress.listed is not None:
            query = {"after": progress.listed, "limit": str(PAGE)}
            page = await self._get(node, "/urls", query, _Page)
            if page.after is not None and page.after <= progress.listed:
                raise ConnectionBroken(f"{node} lists the same URLs again and again")
            progress = evolve(progress, listed=page.after)
            await self._keep(node, progress, [each.url for each in page.urls if is_whole(each)])
        return progress

    async def _read_log(self, node: str, progress: Progress, disk: str) -> Progress:
        """Take in what was added to a disk; list the node again if its log is another now."""
        while True:
            log, position = progress.logs[disk]
            query = {"disk": disk} if disk else {}
            query |= {"log": log, "since": str(position)}
            part = await self._get(node, "/additions", query, _Part)
            logs = {**progress.logs, disk: (part.log, part.position)}
            if log not in ("", part.log):
                logs[disk] = (part.log, 0)
                progress = await self._list(node, evolve(progress, listed="", logs=logs))
                continue
            if (part.log, part.position) == (log, position):
                return progress
            progress = evolve(progress, logs=logs)
            await self._keep(node, progress, await self._named(node, part))

    async def _named(self, node: str, part: _Part) -> list[str]:
        """Return the URLs of the structure files that a part of a log tells of, if new."""
        keys = [each.key for each in part.entries if each.kind == "structures" and not each.gone]
        unknown = await self._index.unknown(keys)
        found: list[str] = []
        for begin in range(0, len(unknown), _AT_ONCE):
            asked = unknown[begin : begin + _AT_ONCE]
            for url in await together(self._url_of(node, key) for key in asked):
                if isinstance(url, Exception):
                    raise url
                found += [url] if url else []
        return found

    async def _url_of(self, node: str, key: str) -> str:
        """Return the URL of a structure file; empty when the node has it no more."""
        target = f"/structures/{key}"
        captures = await self._get(node, target, {"limit": "1"}, list[_Capture], missing=True)
        url = captures[0].url if captures else ""
        return url if is_whole(Listed(url, key)) else ""

    async def _keep(self, node: str, progress: Progress, urls: list[str]) -> None:
        await self._index.add(node, progress, urls)
        self._heard([url for url in urls if url.startswith(LOG_SCHEME)])
        self._progress[node] = progress
        await sleep(self._clock, PAUSE)

    async def _get(
        self,
        node: str,
        path: str,
        query: dict[str, str],
        shape: type[_Answer],
        *,
        missing: bool = False,
    ) -> _Answer:
        target = f"{node.rstrip('/')}{path}?{urlencode(query)}"
        asking = Deferred.fromCoroutine(self._ask(target))
        status, body = await asking.addTimeout(_TIMEOUT, self._clock, _timed_out)
        try:
            if missing and status == 404:
                return msgspec.json.decode(b"[]", type=shape)
            if status == 200:
                return msgspec.json.decode(body, type=shape)
        except msgspec.MsgspecError as error:
            raise ConnectionBroken(f"{target} gives nonsense: {error}") from None
        raise ConnectionBroken(f"{target} answers {status}")

    async def _ask(self, target: str) -> tuple[int, bytes]:
        response = await self._client.request("GET", target)
        return response.head.status, await response.read(_PART_LIMIT)


def _timed_out(_: Any, seconds: float) -> NoReturn:
    raise TimedOut(f"no answer in {seconds:g} seconds")
