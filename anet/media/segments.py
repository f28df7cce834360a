"""Live media in segments, whatever the manifest: what is listed, and what of it is new. Pure.

A manifest lists the segments of one or several tracks that can be had at the moment: a window that
moves on. `Progress` remembers how far a track was followed, and tells of each window what to fetch
next, what has fallen out of it unseen, and whether the source began anew.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile
from typing import overload

from attrs import frozen

_COMPARED = 3  # segments by which a window is known again
_REMEMBERED = 100  # segments of the last window, the latest, to compare with
PATIENCE = 2.0  # segments' lengths for which an older window may be shown, by a cache, say


@frozen
class Resource:
    """Something to fetch.

    Attributes:
        url: as the manifest writes it.
        first: the first byte of it.
        length: bytes of it; None for all.
    """

    url: str
    first: int = 0
    length: int | None = None

    @property
    def range(self) -> bytes:
        """What to ask for in a `Range` field (RFC 9110 §14.2); empty for all of it."""
        if self.length is None:
            return b""
        return b"bytes=%d-%d" % (self.first, self.first + self.length - 1)


@frozen
class Segment:
    """A part of a track.

    Attributes:
        number: its place: of two segments of a track, the later has the larger one.
        following: the number of the segment that goes on after it.
        resource: where its bytes are.
        duration: seconds.
        title: what is on the air, where the manifest says so.
        date: when it was encoded, by the clock of its source, in seconds since the epoch.
        discontinuity: whether it begins anew: other clock, other encoding.
        gap: whether its source says that there are no bytes.
        encrypted: whether it cannot be read as it comes.
        computed: whether only the clock says that it is there; its encoder may be late.
        needs: what a player must have before it: keys and initialisations.
    """

    number: int
    following: int
    resource: Resource
    duration: float
    title: str = ""
    date: float | None = None
    discontinuity: bool = False
    gap: bool = False
    encrypted: bool = False
    computed: bool = False
    needs: tuple[Resource, ...] = ()

    @property
    def mark(self) -> tuple[str, int, float]:
        """What stays the same of it while it is listed; URLs carry tokens, which may change."""
        path = self.resource.url.partition("?")[0]
        return path.rpartition("/")[2], self.resource.first, round(self.duration, 3)


class Computed(Sequence[Segment]):
    """Segments each of which is made when it is looked at: of a day of them, few are.

    Args:
        count: how many.
        make: makes one, by its place.
    """

    def __init__(self, count: int, make: Callable[[int], Segment]) -> None:
        self._places, self._make = range(count), make

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, place: int) -> Segment: ...

    @overload
    def __getitem__(self, place: slice) -> list[Segment]: ...

    def __getitem__(self, place: int | slice) -> Segment | list[Segment]:
        if isinstance(place, slice):
            return [self._make(each) for each in self._places[place]]
        return self._make(self._places[place])

    def __iter__(self) -> Iterator[Segment]:
        return map(self._make, self._places)


@frozen
class Window:
    """The segments of a track that can be had.

    Attributes:
        segments: by number.
        epoch: another one means that the source began anew; may be the same all the time.
    """

    segments: Sequence[Segment]
    epoch: str = ""


@frozen
class Step:
    """What a window brings.

    Attributes:
        new: segments that were not seen before, by number.
        missing: seconds of signal before them that were never seen.
        restarted: whether the source began anew; how much was missed then, nobody knows.
    """

    new: Sequence[Segment]
    missing: float = 0.0
    restarted: bool = False


class Progress:
    """How far a track was followed.

    Args:
        look_back: seconds of signal that are taken from before, when it begins.
    """

    def __init__(self, look_back: float) -> None:
        self._look_back = look_back
        self._epoch = ""
        self._last: Segment | None = None
        self._listed: dict[int, Segment] = {}  # the end of the last window, by number
        self._first = 0  # the number of its first segment
        self._behind: float | None = None  # since when windows are older than what was seen

    def read(self, window: Window, now: float) -> Step:
        """Take note of a window; tell what is new in it.

        Args:
            window: what is listed.
            now: seconds of a steady clock.
        """
        if not window.segments:
            return Step(())
        restarted = self._is_restarted(window, now)
        if restarted:
            self._last = None
        last, newest = self._last, window.segments[-1]
        if last is None:
            new = _latest(window.segments, self._look_back)
        else:
            new = _after(window.segments, last.number)
        missing = _missing(last, new[0]) if last and new else 0.0
        if last is None or newest.number >= last.number:
            self._last, self._epoch, self._behind = newest, window.epoch, None
            self._first = window.segments[0].number
            self._listed = {each.number: each for each in window.segments[-_REMEMBERED:]}
        return Step(new, missing, restarted)

    def _is_restarted(self, window: Window, now: float) -> bool:
        last, newest = self._last, window.segments[-1]
        if last is None:
            return False
        if window.epoch != self._epoch or self._is_another(window):
            return True
        if newest.number >= last.number:
            return False
        if newest.number < self._first:
            return True
        self._behind = now if self._behind is None else self._behind
        return now - self._behind > PATIENCE * max(newest.duration, last.duration)

    def _is_another(self, window: Window) -> bool:
        """Tell whether the same numbers stand for other segments than before."""
        latest = window.segments[-_REMEMBERED:]
        common = [each for each in latest if each.number in self._listed][-_COMPARED:]
        return bool(common) and all(each.mark != self._listed[each.number].mark for each in common)


def _after(segments: Sequence[Segment], number: int) -> list[Segment]:
    """Return the last segments, those beyond a number."""
    return [*takewhile(lambda each: each.number > number, reversed(segments))][::-1]


def _latest(segments: Sequence[Segment], seconds: float) -> list[Segment]:
    """Return the last segments that play no longer than this; one at least."""
    found: list[Segment] = []
    for segment in reversed(segments):
        seconds -= segment.duration
        if found and seconds < 0:
            break
        found.append(segment)
    return found[::-1]


def _missing(last: Segment, first: Segment) -> float:
    """Return the seconds between two segments; what rounding makes of times is nothing."""
    unseen, length = first.number - last.following, last.following - last.number
    if length <= 0 or unseen * 2 < length:
        return 0.0
    return unseen / length * last.duration
