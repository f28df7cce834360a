"""What belongs to which site: the index of delimitations, asked in a thread of its own.

All of it blocks, and is called in one thread: that of the scheduler's files.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from attrs import frozen

from agents import urls
from agents.scheduler.config import ExpansionConfig
from agents.scheduler.database import NewSite, Queries
from agents.scheduler.expansion.borders import TooWide
from agents.scheduler.expansion.claims import Claim
from agents.scheduler.expansion.delimitations import Delimitations, Stamp
from agents.scheduler.expansion.guessing import Guess, guess_site
from agents.scheduler.expansion.placing import Row, catch_up, place, reject_of
from agents.scheduler.naming import host_of, site_name
from agents.scheduler.portion.crawl_plan import written

FILE = "delimitations.lmdb"
_READ = 5000  # rows of the table at once


@frozen
class Found:
    """Whose the URLs are that a crawl led to.

    Attributes:
        known: documents that link to a site, by its number.
        new: sites that nobody knows, with the documents that link to each.
    """

    known: dict[int, int]
    new: list[tuple[NewSite, int]]


class Territory:
    """The index, kept up with the table of sites.

    Args:
        path: of its file.
        config: of the expansion.
    """

    def __init__(self, path: Path, config: ExpansionConfig) -> None:
        self._index, self._config = Delimitations(path), config
        self._open = False

    def open(self, sites: Queries) -> dict[int, str]:
        """Open the file and bring it up to the table; return what was refused, in words by number.

        Raises:
            OSError: the file cannot be made.
        """
        self._index.open()
        extent = sites.extent()
        wanted = Stamp(extent.sites, extent.last, extent.mark)
        refused = catch_up(self._index, wanted, lambda number: _rows(sites, number))
        self._open = True
        return refused

    def close(self) -> None:
        """Close the file."""
        if self._open:
            self._open = False
            self._index.close()

    def look_up(self, links: Iterable[tuple[str, int]]) -> Found:
        """Return whose URLs are, each with the documents that have it; guess sites of the others.

        What is no URL that can be collected is left out, and so are sites for which there is no
        place beside the others.
        """
        counts = {url: count for text, count in links if (url := urls.canonical(text)) is not None}
        owners = self._index.sites_of(counts)
        known: dict[int, int] = {}
        guessed: dict[str, tuple[Guess, int]] = {}
        for (url, count), owner in zip(counts.items(), owners, strict=True):
            if owner is not None:
                known[owner] = known.get(owner, 0) + count
            elif (guess := _guess(url)) is not None:
                name = site_name(guess.start_url)
                guessed[name] = (guess, guessed.get(name, (guess, 0))[1] + count)
        new = [(self._new(name, guess), count) for name, (guess, count) in guessed.items()]
        return Found(known, [(site, count) for site, count in new if site is not None])

    def owners(self, found: Sequence[str]) -> list[int | None]:
        """Return for each canonical URL the number of its site, or none."""
        return self._index.sites_of(found)

    def against(self, rows: Sequence[Row]) -> list[str]:
        """Return why sites cannot be as they are wanted beside the others, in words.

        Args:
            rows: number, or 0 of a new one, start URL, accept and reject of each.
        """
        last = self._index.stamp.last
        reasons: list[str] = []
        for count, (number, *bounds) in enumerate(rows, 1):
            decision = place(self._index, Claim.read(number or last + count, *bounds))
            if not decision.allowed:
                reasons += [f"{bounds[0]}: {reason}" for reason in decision.reasons]
        return reasons

    def register(self, rows: Sequence[Row], mark: int) -> dict[int, str]:
        """Take in sites as the table has them; return what was refused, in words by number."""
        return self._index.register([Claim.read(*row) for row in rows], mark)

    def rejects(self, numbers: Iterable[int]) -> dict[int, str]:
        """Return what crawls of sites have to leave out, their own reject expression within it.

        A site is left out whose bounds hold more others than an expression can name.
        """
        found: dict[int, str] = {}
        for number in numbers if self._open else ():
            try:
                found[number] = reject_of(self._index, number)
            except (KeyError, TooWide):
                continue
        return found

    def _new(self, name: str, guess: Guess) -> NewSite | None:
        """Return a site as it is guessed, if there is a place for it."""
        claim = Claim.read(self._index.stamp.last + 1, guess.start_url, guess.accept, guess.reject)
        decision = place(self._index, claim)
        if not decision.allowed:
            return None
        reasons = (*guess.reasons, *decision.reasons)
        return NewSite(
            site=name,
            start_url=guess.start_url,
            accept=guess.accept,
            reject=guess.reject,
            maximum_depth=self._config.maximum_depth,
            host=host_of(guess.start_url),
            guess=written({"kind": guess.kind, "reasons": reasons}),
            private_networks=self._config.private_networks,
            why="a link led to it",
        )


def _guess(url: str) -> Guess | None:
    try:
        return guess_site(url)
    except ValueError:
        return None


def _rows(sites: Queries, number: int) -> Iterator[Row]:
    """Yield the rows of the table with higher numbers, some at a time."""
    while rows := sites.bounds_after(number, _READ):
        yield from rows
        number = rows[-1][0]
