"""Which streams there are, when they were heard, and what was said, as far as a reader may know."""

import sqlite3
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from attrs import evolve

from agents.consultation.access.rules import Rules
from agents.consultation.errors import ConsultationError
from agents.consultation.readers.reader import Reader
from agents.consultation.streams.allowed import is_shown
from agents.consultation.streams.entries import LONGEST
from agents.consultation.streams.legs import seconds
from agents.consultation.streams.tables import Piece, Said, Stream, Tables
from agents.dates import DIGITS, from_timestamp
from agents.stream_log import TitleEntry
from anet.errors import Overloaded, Stopped
from anet.workers import Workers

PIECES = 2000  # of one day that are told
TITLES = 2000
FOUND = 100  # of a search, on one page

_Result = TypeVar("_Result")


class CatalogueAway(ConsultationError):
    """The catalogue of streams cannot be asked now."""


class Catalogue:
    """Knows the streams.

    Args:
        tables: the file.
        workers: one thread, whose the file is.
        rules: what may not be shown.
    """

    def __init__(self, tables: Tables, workers: Workers, rules: Rules) -> None:
        self._tables, self._workers, self._rules = tables, workers, rules

    async def streams(
        self, after: str = "", limit: int = 100, reader: Reader | None = None
    ) -> tuple[list[Stream], str]:
        """Return streams in the order of their URLs, and the URL with which to go on, or nothing.

        Raises:
            CatalogueAway: it cannot be asked now; so do all others.
        """
        found = await self._ask(self._tables.streams, after, limit)
        shown = [self._told(each, reader) for each in found]
        return [each for each in shown if each is not None], found[-1].url if len(
            found
        ) == limit else ""

    async def stream(self, url: str, reader: Reader | None = None) -> Stream | None:
        """Return a stream; None when there is none that the reader may know of."""
        found = await self._ask(self._tables.stream, url)
        return None if found is None else self._told(found, reader)

    async def pieces(
        self, url: str, first: str, last: str, reader: Reader | None = None
    ) -> list[Piece]:
        """Return what was heard between two dates, in order."""
        begin = from_timestamp(max(0.0, seconds(first) - LONGEST))
        found = await self._ask(self._tables.pieces, url, begin, last, PIECES)
        return [
            each for each in found if each.last >= first and self.shows(url, each.first, reader)
        ]

    async def titles(
        self, url: str, first: str, last: str, reader: Reader | None = None
    ) -> list[Said]:
        """Return the titles between two dates, in order."""
        found = await self._ask(self._tables.titles, url, first, last, TITLES)
        return self._shown(found, reader)

    async def title_before(self, url: str, date: str) -> TitleEntry | None:
        """Return the title that was said last before a date, for who listens from then on.

        None also where it cannot be asked for now: the stream itself does not wait for it.
        """
        try:
            said = await self._ask(self._tables.title_before, url, date)
        except CatalogueAway:
            return None
        return None if said is None else TitleEntry(said.text, said.date, 0)

    async def search(
        self, text: str, url: str = "", before: int = 0, reader: Reader | None = None
    ) -> tuple[list[Said], int]:
        """Return what was said with some words in it, and the number with which to go on, or 0."""
        found, more = await self._ask(self._tables.search, text, url, before)
        shown = self._shown(found, reader)
        if len(shown) > FOUND:
            return shown[:FOUND], shown[FOUND - 1].number
        return shown, more

    async def days_around(
        self, url: str, day: str, reader: Reader | None = None
    ) -> tuple[str, str]:
        """Return the days before and after one, of 8 digits, on which anything was heard.

        Each is empty where there is none, or where both its ends are kept back.
        """
        before, after = await self._ask(self._tables.days_around, url, day)
        return self._day(url, before, reader), self._day(url, after, reader)

    def shows(self, url: str, date: str, reader: Reader | None) -> bool:
        """Tell whether a reader may know of a stream, or of what was on it at a date."""
        return is_shown(self._rules, url, date, reader)

    def _told(self, stream: Stream, reader: Reader | None) -> Stream | None:
        """Return what a reader may know of a stream; None where that is nothing.

        What it was called last is of its last date; where that is kept back, so is this.
        """
        first, last = (self.shows(stream.url, at, reader) for at in (stream.first, stream.last))
        if not self.shows(stream.url, "", reader) or not (first or last):
            return None
        if not last:
            return evolve(stream, name="", description="", genre="", last=stream.first)
        return stream if first else evolve(stream, first=stream.last)

    def _day(self, url: str, day: str, reader: Reader | None) -> str:
        ends = (day.ljust(DIGITS, each) for each in ("0", "9"))
        return day if day and any(self.shows(url, each, reader) for each in ends) else ""

    def _shown(self, found: Sequence[Said], reader: Reader | None) -> list[Said]:
        return [each for each in found if self.shows(each.url, each.date, reader)]

    async def _ask(self, question: Callable[..., _Result], *parameters: Any) -> _Result:
        try:
            return await self._workers.run(question, *parameters)
        except (sqlite3.Error, Stopped, Overloaded) as error:
            raise CatalogueAway(f"the catalogue of streams: {error}") from error
