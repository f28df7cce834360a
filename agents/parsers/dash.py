"""MPEG-DASH manifests: their segments are components, those of a live one as far as it names them.

As with HLS (see `m3u`), a player fetches them by itself for what it shows; a live manifest is told
as a stream too. Alternatives of a `BaseURL` hold the same: the first is taken.
"""

from collections.abc import Iterable, Iterator, Mapping

from attrs import define, evolve, field

from agents.parsers.dash_segments import Run, Template, number, seconds
from agents.parsers.link import Found, component, stream
from agents.parsers.parser import Format, Source
from agents.parsers.xml_document import XmlDocument, joined

SEGMENT_LIMIT = 200_000  # segments of one manifest that are told
RUN_LIMIT = 20_000  # runs of one timeline

_LEVELS = frozenset(["MPD", "Period", "AdaptationSet", "Representation"])
_SOURCES = {"Initialization": "sourceURL", "RepresentationIndex": "sourceURL"}


@define
class _Level:
    """What is known at an element, from it and those around it."""

    attributes: Mapping[str, str]
    base: str = ""
    own_base: bool = False
    period: float = 0.0  # seconds
    template: Template | None = None
    listed: bool = False  # whether its segments are listed
    sources: list[str] = field(factory=list)  # what is named by itself

    def inner(self, attributes: Mapping[str, str]) -> "_Level":
        """Return what holds within, at first."""
        return evolve(self, attributes=attributes, own_base=False)


class DashParser(XmlDocument):
    """Parses a manifest; the segments of a representation come with its end."""

    format = Format("dash", ("application/dash+xml", "video/vnd.mpeg.dash.mpd"), (".mpd",))
    roots = frozenset(["MPD"])

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._levels = [_Level({})]
        self._live = False
        self._left_segments = SEGMENT_LIMIT

    @property
    def truncated(self) -> bool:
        """Whether links may be missing."""
        return super().truncated or self._left_segments <= 0

    def start(self, name: str, attributes: Mapping[str, str]) -> Iterable[Found]:
        """Note what an element says; return what it names."""
        level = self._levels[-1]
        if name in _LEVELS:
            self._live = self._live or attributes.get("type") == "dynamic"
            self._levels.append(level.inner(attributes))
            length = attributes.get("duration") or attributes.get("mediaPresentationDuration")
            self._levels[-1].period = seconds(length or "") or level.period
        elif name == "SegmentTemplate":
            level.template = (level.template or Template()).inner(attributes)
        elif name == "SegmentTimeline" and level.template is not None:
            level.template.runs = []
        elif name == "S" and level.template is not None:
            self._run(level.template.runs, attributes)
        elif name == "SegmentURL":
            level.listed = True
            return self._components(level, attributes.get("media", ""), attributes.get("index", ""))
        elif name in _SOURCES:
            level.sources = [*level.sources, attributes.get(_SOURCES[name], "")][:10]
        if "xlink:href" in attributes:  # an element that lies elsewhere
            return component(self.resolved(attributes["xlink:href"]))
        return ()

    def end(self, name: str, text: str) -> Iterable[Found]:
        """Return the segments of a representation."""
        level = self._levels[-1]
        if name == "BaseURL" and not level.own_base:
            level.base, level.own_base = joined(level.base, self.resolved(text)), True
        elif name == "Location":
            return stream(self.resolved(text))
        elif name in _LEVELS and len(self._levels) > 1:
            found = self._segments(level) if name == "Representation" else ()
            self._levels.pop()
            return found
        return ()

    def finish(self) -> Iterable[Found]:
        """Return the stream that a live manifest is."""
        return stream(self.source.url) if self._live else ()

    def _run(self, runs: list[Run], attributes: Mapping[str, str]) -> None:
        repeat = attributes.get("r", "").strip()
        start = number(attributes["t"]) if "t" in attributes else None
        if len(runs) < RUN_LIMIT:
            count = -1 if repeat.startswith("-") else number(repeat)
            runs.append(Run(start, number(attributes.get("d")), count))

    def _segments(self, level: _Level) -> Iterator[Found]:
        yield from self._components(level, *level.sources)
        if level.template is not None:
            for url in level.template.urls(level.attributes, level.period, self._live):
                yield from self._components(level, url)
        elif not level.listed and not level.base.endswith("/"):  # one file holds all of it
            yield from component(level.base)

    def _components(self, level: _Level, *urls: str) -> Iterator[Found]:
        base = level.base or self.inherited
        for url in filter(None, urls):
            self._left_segments -= 1
            if self._left_segments >= 0:
                yield from component(joined(base, url))
