"""The graph of sites on its way to a worker process and back, and in that process's memory.

The scheduler writes it to files of plain doubles, a stretch of rows at a time, so that it never
holds the graph; the worker reads them, and leaves the ranks that have changed (*INA §1.5.1*).

    sites     number, relevance, hub rank, authority rank
    links     number of the source, number of the target, weight
    changed   number, hub rank, authority rank
"""

import math
from array import array
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Final, TypeAlias

from attrs import define, field

LARGEST: Final = 2**25  # number of a site; they are given one after another
_ROWS: Final = 50_000  # read at once
_DOUBLE: Final = 8  # bytes

SiteRow: TypeAlias = tuple[int, float, float, float]
LinkRow: TypeAlias = tuple[int, int, float]
RankRow: TypeAlias = tuple[int, float, float]


def weight(documents: int) -> float:
    """Return what a link weighs that so many documents of its source have.

    A link on every page, of a menu, is one recommendation and a little more.
    """
    return 1.0 + math.log(max(1, documents))


class GraphFiles:
    """The graph of sites in a folder of its own. What it does blocks: call it in a thread."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def clear(self) -> None:
        """Begin with an empty graph.

        Raises:
            OSError: the folder cannot be written to.
        """
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for name in ("sites", "links", "changed"):
            (self._folder / name).write_bytes(b"")

    def add_sites(self, rows: Iterable[SiteRow]) -> None:
        """Add sites, each once, with the ranks that they have now, or 0.

        Raises:
            OSError: the disk is full.
        """
        self._add("sites", rows)

    def add_links(self, rows: Iterable[LinkRow]) -> None:
        """Add links between sites; the same in the same order give the same ranks to the bit.

        Raises:
            OSError: the disk is full.
        """
        self._add("links", rows)

    def add_changed(self, rows: Iterable[RankRow]) -> None:
        """Add ranks that have changed.

        Raises:
            OSError: the disk is full.
        """
        self._add("changed", rows)

    def sites(self) -> Iterator[SiteRow]:
        """Yield all sites.

        Raises:
            OSError: they cannot be read.
        """
        for number, relevance, hub, authority in zip(*[self._doubles("sites", 4)] * 4, strict=True):
            yield int(number), relevance, hub, authority

    def links(self) -> Iterator[LinkRow]:
        """Yield all links.

        Raises:
            OSError: they cannot be read.
        """
        for source, target, heavy in zip(*[self._doubles("links", 3)] * 3, strict=True):
            yield int(source), int(target), heavy

    def changed(self) -> Iterator[RankRow]:
        """Yield the ranks that have changed.

        Raises:
            OSError: they cannot be read.
        """
        for number, hub, authority in zip(*[self._doubles("changed", 3)] * 3, strict=True):
            yield int(number), hub, authority

    def _add(self, name: str, rows: Iterable[tuple[float, ...]]) -> None:
        with (self._folder / name).open("ab") as file:
            array("d", chain.from_iterable(rows)).tofile(file)

    def _doubles(self, name: str, columns: int) -> Iterator[float]:
        with (self._folder / name).open("rb") as file:
            while data := file.read(_ROWS * columns * _DOUBLE):
                yield from array("d", data)


@define
class Graph:
    """The graph of sites in memory, by their numbers; what has no number is no site.

    Attributes:
        relevance: of each site, from 0 to 1; what is not judged yet has none.
        hubs: its hub rank.
        authorities: its authority rank.
        sources: number of the source of each link.
        targets: number of its target.
        weights: what it weighs: documents that have it, and the relevance of its source.
    """

    relevance: list[float] = field(factory=list)
    hubs: list[float] = field(factory=list)
    authorities: list[float] = field(factory=list)
    sources: "array[int]" = field(factory=lambda: array("I"))
    targets: "array[int]" = field(factory=lambda: array("I"))
    weights: "array[float]" = field(factory=lambda: array("d"))

    @classmethod
    def of(cls, sites: Iterable[SiteRow], links: Iterable[LinkRow]) -> "Graph":
        """Return a graph; links of what is not relevant, to itself or to no site, are left out.

        Raises:
            ValueError: a number is none of a site's.
        """
        graph = cls()
        for number, relevance, hub, authority in sites:
            graph._grow(number)
            graph.relevance[number] = relevance
            graph.hubs[number], graph.authorities[number] = hub, authority
        known = len(graph.relevance)
        for source, target, heavy in links:
            if not (0 <= source < known and 0 <= target < known) or source == target:
                continue
            if graph.relevance[source] > 0 and heavy > 0:
                graph.sources.append(source)
                graph.targets.append(target)
                graph.weights.append(heavy * graph.relevance[source])
        return graph

    def _grow(self, number: int) -> None:
        if not 0 <= number <= LARGEST:
            raise ValueError(f"{number} is no number of a site: from 0 to {LARGEST}")
        missing = number + 1 - len(self.relevance)
        if missing > 0:
            for column in (self.relevance, self.hubs, self.authorities):
                column += [0.0] * missing
