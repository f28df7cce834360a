"""A command's links to a running archive: HIP to its scheduler, HTTP to its pages."""

import os
from typing import Any

import msgspec

from agents.archive.errors import ArchiveError
from agents.schedule import CrawlStatus, SchedulerStatus
from anet.errors import AnetError, HttpError
from anet.http import HttpClient
from hip import Agent, CallTimedOut, ConnectionLost, HipError, RemoteError, convert

_BODY_LIMIT = 16 * 1024 * 1024  # bytes of a status that a command reads
_NEWER = 200  # crawls that others may have ordered since
_PATIENCE = 30.0  # seconds for the scheduler to answer


class Console:
    """What a command asks of a running archive.

    Args:
        reactor: connects and waits.
        scheduler: "host:port" of the scheduler's HIP.
        pages: "host:port" of the supervisor's pages.
    """

    def __init__(self, reactor: Any, scheduler: str, pages: str) -> None:
        self._agent = Agent(reactor, "console", f"console-{os.getpid()}")
        self._link = self._agent.connect(scheduler)
        self._http = HttpClient(reactor, connect_timeout=5.0, response_timeout=10.0)
        self._pages = pages
        self._agent.startService()
        self._http.startService()

    async def close(self) -> None:
        """Say goodbye."""
        await self._agent.stopService()
        await self._http.stopService()

    async def supervisor(self) -> dict[str, Any] | None:
        """Return what the supervisor says of the processes, or None when it does not answer."""
        try:
            response = await self._http.request("GET", f"http://{self._pages}/status.json")
            found: dict[str, Any] = msgspec.json.decode(await response.read(_BODY_LIMIT))
        except (AnetError, HttpError, msgspec.DecodeError):
            return None
        return found

    async def order(self, urls: list[str], **how: Any) -> list[str]:
        """Order sites to be collected; return the names of their crawls."""
        return convert(await self._call("order", urls=urls, **how), list[str])

    async def status(self) -> SchedulerStatus:
        """Return everything the scheduler is doing."""
        return convert(await self._call("status"), SchedulerStatus)

    async def crawls(self, names: list[str]) -> list[CrawlStatus]:
        """Return how crawls are getting on, in the order of their names given."""
        limit = len(names) + _NEWER
        found = convert(await self._call("crawls", limit=limit), list[CrawlStatus])
        by_name = {crawl.crawl: crawl for crawl in found}
        return [by_name[name] for name in names if name in by_name]

    async def _call(self, method: str, **arguments: Any) -> Any:
        """Call the scheduler; a scheduler that was away for a moment is asked again.

        Raises:
            ArchiveError: it refuses, or does not answer.
        """
        for attempt in range(3):
            try:
                return await self._link.call(method, timeout=_PATIENCE, **arguments)
            except RemoteError as error:
                raise ArchiveError(str(error)) from None
            except (CallTimedOut, ConnectionLost) as error:
                if attempt == 2 or method == "order":
                    raise ArchiveError(f"the scheduler does not answer: {error}") from None
            except HipError as error:
                raise ArchiveError(f"the scheduler cannot be asked: {error}") from None
        raise AssertionError("unreachable")
