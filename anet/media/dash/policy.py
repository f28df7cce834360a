"""What can be had by a manifest now, and when to look again. Pure."""

from collections.abc import Callable, Iterator, Sequence

from attrs import frozen

from anet.media.dash.addressing import Span, segments
from anet.media.dash.manifest import Manifest, Period, Representation
from anet.media.segments import Window

Choose = Callable[[Sequence[Representation]], Sequence[Representation]]

SHORTEST = 1.0  # seconds between two readings of a manifest, whatever it says
LONGEST = 300.0


@frozen
class Track:
    """A representation of a period, and its segments that can be had.

    Attributes:
        name: tells it from the other tracks.
        period: number of its period in the manifest.
        representation: which one.
        window: its segments.
    """

    name: str
    period: int
    representation: Representation
    window: Window


def tracks(manifest: Manifest, now: float, choose: Choose = tuple) -> list[Track]:
    """Return all tracks, in the order of their periods.

    Args:
        manifest: as it is now.
        now: seconds since the epoch, by the clock of the source.
        choose: chooses of the representations of a period those that are wanted.
    """
    return [
        track
        for place in range(len(manifest.periods))
        for track in _of_period(manifest, place, now, choose)
    ]


def _of_period(manifest: Manifest, place: int, now: float, choose: Choose) -> Iterator[Track]:
    period = manifest.periods[place]
    span, epoch = _span(manifest, period, now), f"{manifest.available}+{period.start}"
    for each in choose(period.representations):
        # Their places in the manifest change: old periods go.
        name = f"{period.id or format(period.start, '.3f')}/{each.set}/{each.id}"
        yield Track(name, place, each, Window(segments(each, span), epoch))


def _span(manifest: Manifest, period: Period, now: float) -> Span:
    start = manifest.available + period.start
    end = period.duration
    if end is None and manifest.duration is not None:
        end = max(0.0, manifest.duration - period.start)
    if not manifest.dynamic:
        return Span(0.0, end or 0.0, end, start)
    oldest = 0.0 if manifest.depth is None else now - manifest.depth - start
    return Span(oldest, now - start, end, start)


def is_over(manifest: Manifest, now: float) -> bool:
    """Tell whether nothing is added any more."""
    if not manifest.dynamic:
        return True
    if manifest.update is not None or manifest.duration is None:
        return False
    return now > manifest.available + manifest.duration


def next_look(manifest: Manifest) -> tuple[float, float | None]:
    """Return the seconds to the next look at the clock, and at the manifest itself.

    By templates of one length the clock tells what there is, so that the manifest itself is read
    only as often as it says; without such an interval, never (the second is None).
    """
    read = None if manifest.update is None else min(max(manifest.update, SHORTEST), LONGEST)
    lengths = [
        how.duration / how.timescale
        for period in manifest.periods[-1:]
        for each in period.representations
        if (how := each.template) is not None and how.duration and not how.runs
    ]
    look = min(lengths) / 2 if lengths else (LONGEST if read is None else read)
    look = min(max(look, SHORTEST), LONGEST)
    return (look if read is None else min(look, read)), read
