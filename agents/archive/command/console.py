"""A command's links to a running archive: HIP to its scheduler, HTTP to its pages."""

import os
from typing import Any
from urllib.parse import quote

import msgspec

from agents.archive.errors import ArchiveError
from agents.schedule import CrawlStatus, SchedulerStatus
from anet.errors import AnetError
from anet.http import HttpClient
from anet.tasks import sleep
from hip import Agent, CallTimedOut, ConnectionLost, HipError, RemoteError, Security, convert

KIND = "console"  # also the name of its certificate
_BODY_LIMIT = 16 * 1024 * 1024  # bytes of a status that a command reads
_NEWER = 200  # crawls that others may have ordered since
_LOOKUPS = 5  # after which it should be known what works here
_TRIAL = 0.25  # seconds for the consultation server to try multicast
_PATIENCE = 30.0  # seconds for the scheduler to answer


class Console:
    """What a command asks of a running archive.

    Args:
        reactor: connects and waits.
        scheduler: where the scheduler's HIP is.
        pages: "host:port" of the supervisor's pages.
        security: of the link to the scheduler.
    """

    def __init__(self, reactor: Any, scheduler: str, pages: str, security: Security) -> None:
        self._reactor = reactor
        self._agent = Agent(reactor, KIND, f"{KIND}-{os.getpid()}", security=security)
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
        return await self._get(f"http://{self._pages}/status.json")

    async def lookup(self, consultation: str, url: str) -> str:
        """Look a URL up until the consultation server knows how it finds captures best.

        Args:
            consultation: address of its pages.
            url: one that it holds.

        Returns:
            `multicast` or `index`; `auto` while it does not know, nothing when it does not answer.
        """
        lookup = ""
        for _ in range(_LOOKUPS):
            await self._get(f"{consultation}captures?format=json&url={quote(url, safe='')}")
            await sleep(self._reactor, _TRIAL)
            status = await self._get(f"{consultation}status.json") or {}
            lookup = str(status.get("lookup", ""))
            if lookup != "auto":
                break
        return lookup

    async def _get(self, address: str) -> dict[str, Any] | None:
        try:
            response = await self._http.request("GET", address)
            found: dict[str, Any] = msgspec.json.decode(await response.read(_BODY_LIMIT))
        except (AnetError, msgspec.DecodeError):
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
