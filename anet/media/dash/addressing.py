"""Which segments a representation has now (ISO/IEC 23009-1 §5.3.9). Pure."""

import re
from collections.abc import Iterator, Mapping
from math import ceil, floor
from urllib.parse import urljoin

from attrs import frozen

from anet.media.dash.manifest import Listing, Representation, Run, Template
from anet.media.segments import Resource, Segment

SEGMENT_LIMIT = 20_000  # of one representation; of more, the last ones
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


def segments(representation: Representation, span: Span) -> list[Segment]:
    """Return the segments of a representation that can be had, by their times."""
    how = representation.addressing
    if isinstance(how, Listing):
        return _listed(how, span)
    known = {
        "RepresentationID": representation.id,
        "Bandwidth": str(representation.bandwidth),
    }
    needs: tuple[Resource, ...] = ()
    if how.initialization:
        needs = (Resource(_joined(representation.base, _filled(how.initialization, known))),)
    times = _timeline(how, span) if how.runs else _counted(how, span)
    found = []
    for number, following, place, time, length in times:
        known["Number"], known["Time"] = str(place), str(time)
        begin = (time - how.offset) / how.timescale
        found.append(
            Segment(
                number,
                following,
                Resource(_joined(representation.base, _filled(how.media, known))),
                length / how.timescale,
                date=span.start + begin,
                computed=not how.runs,
                needs=needs,
            )
        )
    return found


_Times = Iterator[tuple[int, int, int, int, int]]  # number, following, $Number$, $Time$, ticks


def _timeline(how: Template, span: Span) -> _Times:
    """Yield the segments of a timeline: what it lists can be had."""
    end = span.now if span.end is None else span.end
    runs = _unrolled(how.runs, how.offset + ceil(end * how.timescale))
    total = sum(count for _, _, count in runs)
    place, skipped = how.start, max(0, total - SEGMENT_LIMIT)
    for time, length, count in runs:
        for step in range(min(skipped, count), count):
            begin = time + step * length
            yield begin, begin + length, place + step, begin, length
        skipped = max(0, skipped - count)
        place += count


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


def _counted(how: Template, span: Span) -> _Times:
    """Yield the segments of one length each, as far as the clock says that they are there."""
    if not how.duration:
        return
    length = how.duration / how.timescale
    count = floor((span.now + how.early) / length + 1e-9)
    if span.end is not None:
        count = min(count, ceil(span.end / length - 1e-9))
    first = max(0, floor(span.oldest / length), count - SEGMENT_LIMIT)
    for step in range(first, count):
        place = how.start + step
        yield place, place + 1, place, how.offset + step * how.duration, how.duration


def _listed(how: Listing, span: Span) -> list[Segment]:
    needs = () if how.initialization is None else (how.initialization,)
    lengths = [how.duration] * len(how.resources)
    if how.runs:
        ticks = (
            length for _, length, count in _unrolled(how.runs, 0)
            for _ in range(min(count, len(how.resources)))
        )  # fmt: skip
        lengths = [tick / how.timescale for tick, _ in zip(ticks, lengths, strict=False)]
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
