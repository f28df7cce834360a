"""Tells the scheduler where a site leads, part by part, each as often as it takes (*INA §1.5.1*).

The report is read once while parts are told, so links take no memory however many there are.
"""

from collections.abc import Iterator
from pathlib import Path

from attrs import define, field

from agents.connectivity.errors import OutOfStep
from agents.connectivity.index import passes
from agents.connectivity.patience import Patience
from agents.connectivity.report import read_urls
from agents.judgement import LEARNED_AT_ONCE
from anet.workers import Workers
from hip import Link, convert

_CHARACTERS = 2**20  # of the URLs of one part, which is to fit in a frame
_URL_LIMIT = 8192  # characters; as of all that is ever collected


@define
class Part:
    """What one call tells.

    Attributes:
        number: of the part, from 0.
        links: URLs out of the site, with the number of documents that have each.
        feeds: URLs of feeds.
        streams: URLs of live streams.
        characters: of all these URLs.
    """

    number: int
    links: list[tuple[str, int]] = field(factory=list)
    feeds: list[str] = field(factory=list)
    streams: list[str] = field(factory=list)
    characters: int = 0

    @property
    def full(self) -> bool:
        """Whether it may take nothing more."""
        count = len(self.links) + len(self.feeds) + len(self.streams)
        return count >= LEARNED_AT_ONCE or self.characters >= _CHARACTERS

    def add(self, kind: str, url: str, documents: int) -> None:
        """Take a URL."""
        match kind:
            case "link":
                self.links.append((url, documents))
            case "feed":
                self.feeds.append(url)
            case "stream":
                self.streams.append(url)
        self.characters += len(url)


def parts(report: Path, limit: int) -> Iterator[Part]:
    """Yield the parts of a report: of the same report always the same; it blocks.

    Args:
        report: its path.
        limit: bytes of a report past which it is not read.
    """
    part = Part(0)
    for kind, url, documents in read_urls(report, limit):
        if len(url) > _URL_LIMIT or not url.isascii() or not url.isprintable():
            continue  # no crawler writes it
        if part.full:
            yield part
            part = Part(part.number + 1)
        part.add(kind, url, documents)
    if part.characters:
        yield part


class Learning:
    """Calls of the scheduler's `learn` (`agents.judgement`)."""

    def __init__(self, scheduler: Link, workers: Workers, timeout: float) -> None:
        """Read in `workers`; an answer may take `timeout` seconds."""
        self._scheduler, self._workers, self._timeout = scheduler, workers, timeout

    async def tell(self, crawl: str, told: Iterator[Part], patience: Patience) -> None:
        """Tell the parts that the scheduler has not learned yet; insist.

        Raises:
            Stalled: the scheduler took nothing for too long.
            OutOfStep: it wants a part again that it has taken already.
        """
        wanted = 0
        while (part := await self._workers.run(next, told, None)) is not None:
            if part.number >= wanted:
                wanted = await self._tell(crawl, part, patience)
                if wanted <= part.number:
                    raise OutOfStep(f"the scheduler wants part {wanted} after {part.number}")

    async def _tell(self, crawl: str, part: Part, patience: Patience) -> int:
        async def ask() -> int:
            answer = await self._scheduler.call(
                "learn",
                timeout=self._timeout,
                crawl=crawl,
                part=part.number,
                links=part.links,
                feeds=part.feeds,
                streams=part.streams,
            )
            return convert(answer, int)

        return await patience.insist(ask, passes)
