"""Which segments a representation has now (ISO/IEC 23009-1 §5.3.9). Pure."""

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from math import ceil, floor
from urllib.parse import urljoin

from attrs import frozen

from anet.media.dash.manifest import Listing, Representation, Run, Template
from anet.media.segments import Computed, Resource, Segment

SEGMENT_LIMIT = 20_000  # of one representation; of more, the last ones; few are looked at
_WIDTH = 20  # digits that a number is filled up to at most

_IDENTIFIER = re.compile(r"\$(RepresentationID|Number|Bandwidth|Time|)(?:%0(\d{1,2})d)?\$")


@frozen
class Span:
    """The time of which segments are wanted, in seconds from the beginning of their period.

    Attributes:
        oldest: those that end before have gone.
        now: those that end after are not there yet.
        end: of the period; None while it lasts.
        start: of the period, in seconds since the epoch.
    """

    oldest: float
    now: float
    end: float | None
    start: float


def segments(representation: Representation, span: Span) -> Sequence[Segment]:
    """Return the segments of a representation that can be had, by their times."""
    how = representation.template
    if how is None:
        return _listed(representation.listing or Listing(()))
    count, place = _timeline(how, span) if how.runs else _counted(how, span)
    naming = _Naming(representation, how, span.start)
    return Computed(count, lambda step: naming.segment(place(step)))


@frozen
class _Place:
    """Where a segment is.

    Attributes:
        number: of the segment.
        following: of the one that goes on after it.
        counted: what `$Number$` stands for.
        time: what `$Time$` stands for.
        length: ticks.
    """

    number: int
    following: int
    counted: int
    time: int
    length: int


_Places = tuple[int, Callable[[int], _Place]]  # how many, and which


class _Naming:
    """Makes the segments of one representation."""

    def __init__(self, representation: Representation, how: Template, start: float) -> None:
        self._base, self._how, self._start = representation.base, how, start
        self._known = {
            "RepresentationID": representation.id,
            "Bandwidth": str(representation.bandwidth),
        }
        first = how.initialization
        self._needs = (self._resource(first, self._known),) if first else ()

    def segment(self, place: _Place) -> Segment:
        """Return the segment at a place."""
        how = self._how
        known = {**self._known, "Number": str(place.counted), "Time": str(place.time)}
        return Segment(
            place.number,
            place.following,
            self._resource(how.media, known),
            place.length / how.timescale,
            date=self._start + (place.time - how.offset) / how.timescale,
            computed=not how.runs,
            needs=self._needs,
        )

    def _resource(self, template: str, known: Mapping[str, str]) -> Resource:
        return Resource(_joined(self._base, _filled(template, known)))


def _timeline(how: Template, span: Span) -> _Places:
    """Return the segments of a timeline: what it lists can be had."""
    end = span.now if span.end is None else span.end
    runs = _unrolled(how.runs, how.offset + ceil(end * how.timescale))
    ends = list(accumulate(count for _, _, count in runs))
    total = ends[-1] if ends else 0
    skipped = max(0, total - SEGMENT_LIMIT)

    def place(step: int) -> _Place:
        step += skipped
        run = bisect_right(ends, step)
        time, length, count = runs[run]
        time += (step - ends[run] + count) * length
        return _Place(time, time + length, how.start + step, time, length)

    return total - skipped, place


def _unrolled(runs: tuple[Run, ...], end: int) -> list[tuple[int, int, int]]:
    """Return start, length and count of each run; an open one lasts to the next, or the end."""
    found: list[tuple[int, int, int]] = []
    time = 0
    for place, run in enumerate(runs):
        time = time if run.start is None else run.start
        count = run.repeat + 1
        if run.repeat < 0:
            following = runs[place + 1].start if place + 1 < len(runs) else None
            stop = end if following is None else following
            count = (stop - time) // run.length if run.length else 0
        if count > 0 and run.length > 0:
            found.append((time, run.length, count))
            time += run.length * count
    return found


def _counted(how: Template, span: Span) -> _Places:
    """Return the segments of one length each, as far as the clock says that they are there."""
    if not how.duration:
        return 0, lambda step: _Place(step, step, step, 0, 0)
    length = how.duration / how.timescale
    count = floor((span.now + how.early) / length + 1e-9)
    if span.end is not None:
        count = min(count, ceil(span.end / length - 1e-9))
    first = max(0, floor(span.oldest / length), count - SEGMENT_LIMIT)

    def place(step: int) -> _Place:
        step += first
        counted = how.start + step
        return _Place(counted, counted + 1, counted, how.offset + step * how.duration, how.duration)

    return max(0, count - first), place


def _listed(how: Listing) -> list[Segment]:
    needs = () if how.initialization is None else (how.initialization,)
    count = len(how.resources)
    runs = _unrolled(how.runs, 0)
    ticks = [length for _, length, times in runs for _ in range(min(times, count))][-count:]
    lengths = [how.duration] * (count - len(ticks)) + [tick / how.timescale for tick in ticks]
    return [
        Segment(how.start + place, how.start + place + 1, resource, length, needs=needs)
        for place, (resource, length) in enumerate(zip(how.resources, lengths, strict=False))
    ]


def _filled(template: str, values: Mapping[str, str]) -> str:
    """Put values in place of the identifiers of a template."""

    def value(found: re.Match[str]) -> str:
        if not found[1]:
            return "$"
        return values.get(found[1], "").zfill(min(int(found[2] or 0), _WIDTH))

    return _IDENTIFIER.sub(value, template)


def _joined(base: str, url: str) -> str:
    try:
        return urljoin(base, url)
    except ValueError:
        return url
