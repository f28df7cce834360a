"""What an earlier crawl of a site collected, by what the archive tells of each capture.

Only the last crawl of a site leaves its directory behind. What earlier ones collected is asked of
the archive: the origin of each capture says which crawl it came from.
"""

from collections.abc import AsyncIterator, Iterable
from typing import Any
from urllib.parse import urlencode

import msgspec
from attrs import evolve

from agents.archive.errors import ArchiveError
from agents.archive.verification.collected import Collection, Line, by_url, crawl_of
from agents.origin import composed
from agents.urls import authority
from anet.errors import AnetError
from anet.http import HttpClient

_ANSWER_LIMIT = 64 * 2**20  # bytes of an answer
_PAGE = 1000  # URLs of one answer
_NOT_LISTED = "the archive has not listed all its URLs yet; try again in a minute"


class Archive:
    """What the archive tells programs (docs/reference/api.md).

    Args:
        client: asks.
        pages: "host:port" of the consultation agent's pages.
    """

    def __init__(self, client: HttpClient, pages: str) -> None:
        self._client = client
        self._pages = pages

    async def capture(self, url: str, date: str) -> Line | None:
        """Return the capture nearest to a date, with its origin; None if there is none."""
        told = await self._ask("capture", url=url, date=date)
        if told is None:
            return None
        origin = composed((each["name"], each["value"]) for each in told["origin"])
        return msgspec.convert(told | {"origin": origin}, Line)

    async def captures_after(self, url: str, date: str) -> str | None:
        """Return the date of the first capture of a URL from a date on."""
        told = await self._ask("captures", url=url, limit=1, **{"from": date})
        found = told["captures"] if told else []
        return found[0]["date"] if found else None

    async def urls(self, prefix: str) -> AsyncIterator[str]:
        """Yield the archived URLs that begin with a prefix.

        Raises:
            ArchiveError: they are not all listed, so some would seem to be missing.
        """
        after: dict[str, str] | None = {}
        while after is not None:
            told = await self._ask("urls", url=prefix, limit=_PAGE, **after) or {}
            if not told.get("complete", True):
                raise ArchiveError(_NOT_LISTED)
            for listed in told.get("urls", ()):
                yield listed["url"]
            after = {"after": told["after"]} if told.get("after") else None

    async def _ask(self, name: str, **parameters: Any) -> dict[str, Any] | None:
        """Return an answer; None for what the archive does not have, or may not show."""
        address = f"http://{self._pages}/api/1/{name}?{urlencode(parameters)}"
        try:
            response = await self._client.request("GET", address)
            told = msgspec.json.decode(await response.read(_ANSWER_LIMIT), type=dict[str, Any])
        except (AnetError, msgspec.MsgspecError) as error:
            raise ArchiveError(f"the archive does not answer at {self._pages}: {error}") from None
        if response.head.status in (404, 451):
            return None
        if response.head.status != 200:
            raise ArchiveError(f"the archive refuses {name}: {told.get('detail', '')}")
        return told


async def remembered(archive: Archive, last: Collection, date: str) -> Collection:
    """Return what the crawl nearest to a date collected.

    Args:
        archive: tells of captures.
        last: the last crawl of the site; it tells the bounds, and on which servers to look.
        date: 20 digits.

    Raises:
        ArchiveError: the archive does not answer, or has no such crawl.
    """
    start = await archive.capture(last.bounds.start_url, date)
    crawl = "" if start is None else crawl_of(start)
    if start is None or not crawl:
        raise ArchiveError(f"no crawl of {last.bounds.start_url} is in the archive")
    found: list[Line] = []
    for prefix in servers(last.lines):
        async for url in archive.urls(prefix):
            line = await _of_crawl(archive, url, crawl, start.date)
            found += [] if line is None else [line]
    if not found:
        raise ArchiveError(_NOT_LISTED)
    return evolve(
        last, lines=by_url(found), crawl=crawl, since=frozenset(), graph=None,
        failures={}, excluded={}, session_ids={},
    )  # fmt: skip


async def completed(archive: Archive, last: Collection) -> Collection:
    """Return a crawl with what it captured of URLs that a quick look has captured since.

    A quick look brings what feeds and readers told of; its captures stand in `sites/SITE` in the
    place of the crawl's own, or beside them where the crawl had none.

    Raises:
        ArchiveError: the archive does not answer.
    """
    found = [await _of_crawl(archive, url, last.crawl, last.first) for url in sorted(last.since)]
    lines = by_url(line for line in found if line is not None)
    return evolve(last, lines={**last.lines, **lines}, since=frozenset())


async def _of_crawl(archive: Archive, url: str, crawl: str, begun: str) -> Line | None:
    """Return the capture that a crawl, which began at a date, made of a URL."""
    nearest = await archive.capture(url, begun)
    if nearest is not None and crawl_of(nearest) == crawl:
        return nearest
    later = await archive.captures_after(url, begun)
    following = None if later is None else await archive.capture(url, later)
    return following if following is not None and crawl_of(following) == crawl else None


def servers(urls: Iterable[str]) -> list[str]:
    """Return the beginnings of URLs up to the path, each once."""
    return sorted({f"{url.partition('://')[0]}://{authority(url)}/" for url in urls})
