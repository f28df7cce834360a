"""Reading manifests, within limits. Pure.

A manifest is from the web: no entity is expanded, nothing it refers to (`xlink`) is followed, and
what makes no sense counts as not written.
"""

import re
from collections.abc import Iterable, Mapping
from math import isfinite
from typing import Any
from urllib.parse import urljoin

from attrs import define, evolve, frozen
from lxml import etree

from anet.media.dash.manifest import (
    Listing,
    Manifest,
    Period,
    Representation,
    Run,
    Template,
    Timing,
)
from anet.media.dash.values import LARGEST, LONGEST, duration, moment, number
from anet.media.errors import NotAStream
from anet.media.segments import Resource

PERIOD_LIMIT = 50  # of more, the last ones
REPRESENTATION_LIMIT = 100  # in all; of more, those of the last periods
RUN_LIMIT = 500  # in one timeline; of more, the last ones
LISTED_LIMIT = 500  # segments of one list; of more, the last ones
ROOM = 5000  # runs and listed segments in all: what comes from another process costs a few ms
TEXT_LIMIT = 8192  # characters of a URL or a template
LIST_LIMIT = 10  # timings, locations

_SPAN = re.compile(r"(\d{1,18})-(\d{1,18})", re.ASCII)
_DECLARES = re.compile(rb"<!\s*(?:DOCTYPE|ENTITY)", re.IGNORECASE)
_Element = Any  # lxml's elements have no useful public type


def read_manifest(body: bytes, url: str) -> Manifest:
    """Return what a manifest says.

    Args:
        body: as received, without content coding.
        url: that it came from.

    Raises:
        NotAStream: it is no manifest of DASH.
    """
    root = _parsed(body)
    if _name(root) != "MPD":
        raise NotAStream("its root is not MPD")
    around = _Around(base=_base(root, url))
    periods = _periods(root, around)
    return Manifest(
        dynamic=root.get("type") == "dynamic",
        available=moment(root.get("availabilityStartTime", "")) or 0.0,
        update=_seconds(root, "minimumUpdatePeriod"),
        depth=_seconds(root, "timeShiftBufferDepth"),
        duration=_seconds(root, "mediaPresentationDuration"),
        periods=tuple(periods),
        timings=tuple(_timings(root)),
        locations=tuple(
            urljoin(url, text) for each in _children(root, "Location") if (text := _text(each))
        )[:LIST_LIMIT],
    )


@frozen
class _Timeline:
    """The last runs of a `SegmentTimeline`.

    Attributes:
        runs: of them, the first says when it begins.
        left_out: how many segments are before them.
    """

    runs: tuple[Run, ...] = ()
    left_out: int = 0


@frozen
class _Around:
    """What the elements around one say.

    Attributes:
        base: of URLs.
        attributes: of the nearest, by name.
        template: attributes of `SegmentTemplate`, the inner over the outer.
        timeline: the nearest.
        listing: the nearest `SegmentList`.
    """

    base: str
    attributes: Mapping[str, str] = {}
    template: Mapping[str, str] | None = None
    timeline: _Timeline = _Timeline()
    listing: _Element = None

    def within(self, element: _Element) -> "_Around":
        """Return what holds within an element."""
        inner = evolve(
            self,
            base=_base(element, self.base),
            attributes={**self.attributes, **dict(element.attrib)},
        )
        for child in _children(element, "SegmentTemplate"):
            said = {**(self.template or {}), **dict(child.attrib)}
            inner = evolve(inner, template=said, timeline=_timeline(child) or inner.timeline)
        for child in _children(element, "SegmentList"):
            inner = evolve(inner, listing=child, timeline=_timeline(child) or inner.timeline)
        return inner


def _parsed(body: bytes) -> _Element:
    if _DECLARES.search(body.replace(b"\0", b"")):  # also in UTF-16
        raise NotAStream("it declares a document type, which no manifest needs")
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False,
        remove_comments=True, remove_pis=True,
    )  # fmt: skip
    try:
        root = etree.fromstring(body, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise NotAStream(f"it is no XML: {str(error)[:200]}") from None
    if root is None:
        raise NotAStream("it is no XML")
    return root


def _periods(root: _Element, around: _Around) -> list[Period]:
    """Return the last periods, and of them what there is room for, the last first."""
    placed, room, found = _placed(_children(root, "Period")), _Room(), []
    for element, start, length in placed[: -PERIOD_LIMIT - 1 : -1]:
        representations = tuple(_representations(element, around, room))
        found.append(Period(_short(element.get("id")), start, length, representations))
    return found[::-1]


def _placed(elements: list[_Element]) -> list[tuple[_Element, float, float | None]]:
    """Return periods with start and length; without a start, it is the end before (§5.3.2.1)."""
    found, start = [], 0.0
    starts = [_seconds(element, "start") for element in elements]
    for element, given, following in zip(elements, starts, [*starts, None][1:], strict=True):
        start = start if given is None else given
        length = _seconds(element, "duration")
        if length is None and following is not None:
            length = max(0.0, following - start)
        found.append((element, start, length))
        start += length or 0.0
    return found


@define
class _Room:
    """What may still be taken of a manifest."""

    representations: int = REPRESENTATION_LIMIT
    items: int = ROOM

    def take(self, template: Template | None, listing: Listing | None) -> bool:
        """Tell whether there is room for what says where segments are."""
        if template is None and listing is None:
            return False
        size = len(template.runs) if template is not None else 0
        if listing is not None:
            size = len(listing.runs) + len(listing.resources)
        self.representations -= 1
        self.items -= size
        return self.representations >= 0 and self.items >= 0


def _representations(period: _Element, around: _Around, room: _Room) -> Iterable[Representation]:
    outer = around.within(period)
    for place, group in enumerate(_children(period, "AdaptationSet")):
        middle = evolve(outer, attributes={}).within(group)
        for element in _children(group, "Representation"):
            if room.representations <= 0 or room.items <= 0:
                return
            inner = middle.within(element)
            template, listing = _addressing(inner, element)
            if room.take(template, listing):
                yield _representation(inner, element, template, listing, place)


def _representation(
    inner: _Around,
    element: _Element,
    template: Template | None,
    listing: Listing | None,
    place: int,
) -> Representation:
    said = inner.attributes
    media_type = _short(said.get("mimeType"))
    kind = _short(said.get("contentType")) or media_type.partition("/")[0]
    return Representation(
        id=_short(element.get("id")),
        kind="text" if media_type in ("application/ttml+xml", "text/vtt") else kind,
        bandwidth=number(element, "bandwidth"),
        codecs=_short(said.get("codecs")),
        language=_short(said.get("lang")),
        media_type=media_type,
        base=inner.base,
        template=template,
        listing=listing,
        set=place,
    )


def _addressing(inner: _Around, element: _Element) -> tuple[Template | None, Listing | None]:
    if inner.template is not None and inner.template.get("media"):
        return _template(inner.template, inner.timeline), None
    if inner.listing is not None:
        return None, _listing(inner.listing, inner)
    named = [text for each in _children(element, "BaseURL") if (text := _text(each))]
    return None, Listing((Resource(inner.base),)) if named else None


def _template(given: Mapping[str, str], timeline: _Timeline) -> Template | None:
    media, first = given.get("media", ""), given.get("initialization", "")
    if max(len(media), len(first)) > TEXT_LIMIT:
        return None
    return Template(
        media,
        first,
        number(given, "timescale") or 1,
        number(given, "duration"),
        number(given, "startNumber", 1) + timeline.left_out,
        number(given, "presentationTimeOffset"),
        _early(given),
        timeline.runs,
    )


def _early(given: Mapping[str, str]) -> float:
    """Return `availabilityTimeOffset`; "INF" means that all can be had at once."""
    try:
        found = float(given.get("availabilityTimeOffset", "0"))
    except ValueError:
        return 0.0
    return min(max(0.0, found), LONGEST) if isfinite(found) else 0.0


def _listing(element: _Element, inner: _Around) -> Listing:
    first = next(iter(_children(element, "Initialization")), None)
    listed = _children(element, "SegmentURL")
    resources = [
        _resource(inner.base, each, "media", "mediaRange") for each in listed[-LISTED_LIMIT:]
    ]
    scale = number(element, "timescale") or 1
    skipped = max(0, len(listed) - LISTED_LIMIT)
    return Listing(
        tuple(resources),
        None if first is None else _resource(inner.base, first, "sourceURL", "range"),
        number(element, "duration") / scale,
        scale,
        inner.timeline.runs,
        number(element, "startNumber", 1) + skipped,
    )


def _resource(base: str, element: _Element, name: str, span: str) -> Resource:
    url = _joined(base, (element.get(name) or "")[:TEXT_LIMIT])
    found = _SPAN.fullmatch(element.get(span, ""))
    if found is None or int(found[2]) < int(found[1]):
        return Resource(url)
    return Resource(url, int(found[1]), int(found[2]) - int(found[1]) + 1)


def _timeline(element: _Element) -> _Timeline | None:
    """Return the timeline within an element; of the segments before its last runs, the count."""
    runs = [
        _run(each)
        for timeline in _children(element, "SegmentTimeline")
        for each in _children(timeline, "S")
    ]
    surplus = max(0, len(runs) - RUN_LIMIT)
    time, left_out = 0, 0
    for run, following in zip(runs[:surplus], runs[1:], strict=False):
        time = time if run.start is None else run.start
        count = run.repeat + 1
        if run.repeat < 0:  # it lasts to the next one
            count = max(0, (following.start or 0) - time) // (run.length or 1)
        time, left_out = time + count * run.length, left_out + count
    kept = runs[surplus:]
    if surplus and kept[0].start is None:
        kept[0] = evolve(kept[0], start=min(time, LARGEST))
    return _Timeline(tuple(kept), min(left_out, LARGEST)) if kept else None


def _run(element: _Element) -> Run:
    return Run(
        number(element, "t") if "t" in element.attrib else None,
        number(element, "d"),
        -1 if element.get("r", "").strip().startswith("-") else number(element, "r"),
    )


def _timings(root: _Element) -> list[Timing]:
    return [
        Timing(each.get("schemeIdUri", "").rpartition(":utc:")[2], each.get("value", ""))
        for each in _children(root, "UTCTiming")
        if len(each.get("value", "")) <= TEXT_LIMIT
    ][:LIST_LIMIT]


def _base(element: _Element, outer: str) -> str:
    """Return what URLs within an element are relative to; of several, the first."""
    for each in _children(element, "BaseURL"):
        return _joined(outer, _text(each))
    return outer


def _joined(base: str, url: str) -> str:
    try:
        return urljoin(base, url) if len(url) <= TEXT_LIMIT else base
    except ValueError:
        return base


def _children(element: _Element, name: str) -> list[_Element]:
    return [child for child in element if _name(child) == name]


def _name(element: _Element) -> str:
    """Return the local name: prefixes and namespaces are written in many ways."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def _text(element: _Element) -> str:
    return (element.text or "").strip()[:TEXT_LIMIT]


def _short(text: str | None) -> str:
    return (text or "").strip()[:200]


def _seconds(element: _Element, name: str) -> float | None:
    return duration(element.get(name, ""))
