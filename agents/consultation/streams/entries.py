"""What is on the air from a date on, looked up part by part: a year of it is a million entries."""

from collections.abc import AsyncIterator

from agents.consultation.access.rules import Rules
from agents.consultation.lookup.retrieval import NEWEST, Retrieval
from agents.consultation.lookup.structures import CaptureLine, Nearest
from agents.consultation.readers.reader import Reader
from agents.consultation.streams.allowed import is_shown
from agents.consultation.streams.legs import Leg, all_legs, entries, in_order, seconds
from agents.dates import from_timestamp
from agents.stream_offset import MILLISECONDS_LIMIT, offset_of
from agents.stream_time import StreamEntry, place_at

PART = 64  # entries looked up at once: half an hour
_PIECE_PART = 4000  # entries of short pieces, or beside a date, that are looked through
BESIDE = 120.0  # seconds within which each agent that receives a stream makes an entry
LONGEST = MILLISECONDS_LIMIT / 1000  # seconds of a piece


class Entries:
    """The entries of one stream, as far as one reader may know of them.

    Args:
        retrieval: looks captures up.
        rules: what may not be shown.
        url: of the stream.
        reader: who listens.
    """

    def __init__(self, retrieval: Retrieval, rules: Rules, url: str, reader: Reader | None) -> None:
        self.url = url
        self._retrieval, self._rules, self._reader = retrieval, rules, reader

    async def legs(self, date: str) -> AsyncIterator[Leg]:
        """Yield what came from the entry of a date on, for as long as there is any."""
        lines = await self.part(date)
        while len(lines) > 1:
            for leg in in_order(all_legs(lines)):
                if self._is_shown(leg):  # asked now: rules change while somebody listens
                    yield leg
            lines = await self.part(lines[-1].date, lines[-1])

    def shown(self, lines: list[CaptureLine]) -> list[Leg]:
        """Return what came between entries, by its beginning, if all of it may be heard."""
        return [leg for leg in all_legs(lines) if self._is_shown(leg)]

    def shows(self, date: str, last: str = "") -> bool:
        """Tell whether the reader may know of what was on the air at a date, or until another."""
        return is_shown(self._rules, self.url, date, self._reader, last)

    async def part(self, first: str, after: CaptureLine | None = None) -> list[CaptureLine]:
        """Return entries from a date on, at most `PART`; those before `after` left out."""
        lines = await self._some(first, NEWEST, PART)
        if after is not None and after in lines:
            lines = lines[lines.index(after) :]
        return lines

    async def around(self, nearest: Nearest, date: str) -> list[CaptureLine]:
        """Return the entries from the last that is not after a date on.

        And some before it, for another agent may have received at the same time.
        """
        begin = nearest.capture.date
        if begin > date:
            begin = nearest.previous or begin
        lines = await self.part(begin)
        since = from_timestamp(seconds(max(begin, date)) - BESIDE)
        beside = await self._some(since, begin, _PIECE_PART) if since < begin else []
        return [*(line for line in beside if line not in lines), *lines]

    async def last_piece(self, date: str) -> list[CaptureLine]:
        """Return the entries of the piece that ends at a date, from its first on."""
        begin = from_timestamp(seconds(date) - LONGEST)
        lines = await self._some(begin, date, _PIECE_PART)
        first = len(lines) - 1
        while first > 0 and not _is_first(lines[first]):
            first -= 1
        return lines[max(0, first) :]

    def _is_shown(self, leg: Leg) -> bool:
        return self.shows(leg.date, from_timestamp(leg.end))

    async def _some(self, first: str, last: str, limit: int) -> list[CaptureLine]:
        lines = await self._retrieval.some(self.url, first, last, limit)
        found = (line for line in lines if offset_of(line.metadata) is not None)
        return sorted((line for line in found if self.shows(line.date)), key=_order)


def place_in(lines: list[CaptureLine], date: str) -> StreamEntry | None:
    """Return the place of a date among entries; None where nothing came in."""
    return place_at(entries(lines), date)


def _order(line: CaptureLine) -> tuple[str, bool]:
    """Order entries of one date so that a piece ends before the next one begins."""
    return line.date, _is_first(line)


def _is_first(line: CaptureLine) -> bool:
    offset = offset_of(line.metadata)
    return offset is not None and offset.byte == 0 and offset.milliseconds == 0
