"""Which segments a DASH manifest means by its templates (ISO/IEC 23009-1, §5.3.9)."""

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from math import ceil

from attrs import define, field, frozen

SEGMENT_LIMIT = 20_000  # of one representation
NAME_LIMIT = 200  # characters of what is put into a template
TEMPLATE_LIMIT = 1000  # characters of a template

_IDENTIFIER = re.compile(r"\$(RepresentationID|Number|Bandwidth|Time|)(?:%0(\d{1,2})d)?\$")
_DURATION = re.compile(
    r"P(?:([\d.]{1,12})Y)?(?:([\d.]{1,12})M)?(?:([\d.]{1,12})D)?"
    r"(?:T(?:([\d.]{1,12})H)?(?:([\d.]{1,12})M)?(?:([\d.]{1,12})S)?)?"
)
_SECONDS = (31_536_000, 2_592_000, 86_400, 3600, 60, 1)


def seconds(duration: str) -> float:
    """Return the length of an XML duration, such as `PT1H2.5S`; 0 for what is none."""
    found = _DURATION.fullmatch(duration.strip())
    try:
        parts = found.groups("0") if found else ()
        return sum(float(part) * unit for part, unit in zip(parts, _SECONDS, strict=False))
    except ValueError:
        return 0.0


def number(text: str | None, default: int = 0) -> int:
    """Return a number of a manifest; the default for what is none, or no reasonable one."""
    text = (text or "").strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 20 else default


@frozen
class Run:
    """An `S` of a timeline: segments of one length, one after the other."""

    start: int | None
    length: int
    repeat: int


@define
class Template:
    """What the elements around a representation say of its segments, the inner over the outer.

    Attributes:
        attributes: of `SegmentTemplate`.
        runs: of its `SegmentTimeline`.
    """

    attributes: dict[str, str] = field(factory=dict)
    runs: list[Run] = field(factory=list)

    def inner(self, attributes: Mapping[str, str]) -> "Template":
        """Return what holds within, where an inner element has these attributes."""
        return Template(self.attributes | dict(attributes), list(self.runs))

    def urls(self, representation: Mapping[str, str], period: float, live: bool) -> Iterator[str]:
        """Yield the URLs of a representation.

        Args:
            representation: its attributes.
            period: seconds that it plays.
            live: whether it has no end yet; then only a timeline tells what there is.
        """
        known = {
            "RepresentationID": representation.get("id", "")[:NAME_LIMIT],
            "Bandwidth": representation.get("bandwidth", "")[:NAME_LIMIT],
        }
        for attribute in ("initialization", "index"):
            if attribute in self.attributes:
                yield _filled(self.attributes[attribute], known)
        media = self.attributes.get("media", "")
        times = self._times(period) if self.runs else self._counted(0 if live else period)
        for place, time in enumerate(islice(times if media else (), SEGMENT_LIMIT)):
            place += number(self.attributes.get("startNumber"), 1)
            yield _filled(media, known | {"Number": str(place), "Time": str(time)})

    @property
    def _scale(self) -> int:
        return number(self.attributes.get("timescale"), 1) or 1

    def _counted(self, period: float) -> Iterator[int]:
        """Yield the times of segments that are all of one length."""
        length = number(self.attributes.get("duration"))
        if length:
            yield from (place * length for place in range(ceil(period * self._scale / length)))

    def _times(self, period: float) -> Iterator[int]:
        """Yield the times of the segments of the timeline."""
        time = 0
        for place, run in enumerate(self.runs):
            time = time if run.start is None else run.start
            repeat = run.repeat
            if repeat < 0:  # until the next, or the end
                following = self.runs[place + 1].start if place + 1 < len(self.runs) else None
                end = period * self._scale if following is None else following
                repeat = ceil((end - time) / run.length) - 1 if run.length else 0
            for _ in range(repeat + 1):
                yield time
                time += run.length


def _filled(template: str, values: Mapping[str, str]) -> str:
    """Put values in place of the identifiers of a template."""

    def value(found: re.Match[str]) -> str:
        if not found[1]:
            return "$"
        return values.get(found[1], "").zfill(int(found[2] or 0))

    return _IDENTIFIER.sub(value, template) if len(template) <= TEMPLATE_LIMIT else ""
