"""Reading manifests, within limits. Pure.

A manifest is from the web: no entity is expanded, nothing it refers to (`xlink`) is followed, and
what makes no sense counts as not written.
"""

import re
from collections.abc import Iterable, Mapping
from math import isfinite
from typing import Any
from urllib.parse import urljoin

from attrs import evolve, frozen
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
from anet.media.dash.values import LONGEST, duration, moment, number
from anet.media.errors import NotAStream
from anet.media.segments import Resource

PERIOD_LIMIT = 200  # of more, the last ones
REPRESENTATION_LIMIT = 500  # in all
RUN_LIMIT = 20_000  # in one timeline; of more, the last ones
LISTED_LIMIT = 20_000  # segments of one list; of more, the last ones
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
class _Around:
    """What the elements around one say.

    Attributes:
        base: of URLs.
        attributes: of the nearest, by name.
        template: attributes of `SegmentTemplate`, the inner over the outer.
        runs: of the nearest timeline.
        listing: the nearest `SegmentList`.
    """

    base: str
    attributes: Mapping[str, str] = {}
    template: Mapping[str, str] | None = None
    runs: tuple[Run, ...] = ()
    listing: _Element = None

    def within(self, element: _Element) -> "_Around":
        """Return what holds within an element."""
        inner = evolve(
            self,
            base=_base(element, self.base),
            attributes={**self.attributes, **dict(element.attrib)},
        )
        for child in _children(element, "SegmentTemplate"):
            runs = _runs(child)
            outer = self.template or {}
            inner = evolve(inner, template={**outer, **dict(child.attrib)}, runs=runs or inner.runs)
        for child in _children(element, "SegmentList"):
            inner = evolve(inner, listing=child, runs=_runs(child) or inner.runs)
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
    """Return the periods; one without a start begins where the one before ends (§5.3.2.1)."""
    found: list[Period] = []
    left, start = REPRESENTATION_LIMIT, 0.0
    elements = _children(root, "Period")
    for place, element in enumerate(elements):
        given, length = _seconds(element, "start"), _seconds(element, "duration")
        start = start if given is None else given
        if length is None and place + 1 < len(elements):
            following = _seconds(elements[place + 1], "start")
            length = None if following is None else max(0.0, following - start)
        if place >= len(elements) - PERIOD_LIMIT:
            representations = tuple(_representations(element, around, left))
            left -= len(representations)
            found.append(Period(_short(element.get("id")), start, length, representations))
        start += length or 0.0
    return found


def _representations(period: _Element, around: _Around, left: int) -> Iterable[Representation]:
    outer = around.within(period)
    for place, group in enumerate(_children(period, "AdaptationSet")):
        middle = evolve(outer, attributes={}).within(group)
        for element in _children(group, "Representation"):
            inner = middle.within(element)
            addressing = _addressing(inner, element)
            if left > 0 and addressing is not None:
                left -= 1
                yield _representation(inner, element, addressing, place)


def _representation(
    inner: _Around, element: _Element, addressing: Template | Listing, place: int
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
        addressing=addressing,
        set=place,
    )


def _addressing(inner: _Around, element: _Element) -> Template | Listing | None:
    if inner.template is not None and inner.template.get("media"):
        return _template(inner.template, inner.runs)
    if inner.listing is not None:
        return _listing(inner.listing, inner)
    named = [text for each in _children(element, "BaseURL") if (text := _text(each))]
    return Listing((Resource(inner.base),)) if named else None


def _template(given: Mapping[str, str], runs: tuple[Run, ...]) -> Template | None:
    media, first = given.get("media", ""), given.get("initialization", "")
    if max(len(media), len(first)) > TEXT_LIMIT:
        return None
    return Template(
        media,
        first,
        number(given, "timescale") or 1,
        number(given, "duration"),
        number(given, "startNumber", 1),
        number(given, "presentationTimeOffset"),
        _early(given),
        runs,
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
    resources = [
        _resource(inner.base, each, "media", "mediaRange")
        for each in _children(element, "SegmentURL")[-LISTED_LIMIT:]
    ]
    scale = number(element, "timescale") or 1
    skipped = max(0, len(_children(element, "SegmentURL")) - LISTED_LIMIT)
    return Listing(
        tuple(resources),
        None if first is None else _resource(inner.base, first, "sourceURL", "range"),
        number(element, "duration") / scale,
        scale,
        inner.runs,
        number(element, "startNumber", 1) + skipped,
    )


def _resource(base: str, element: _Element, name: str, span: str) -> Resource:
    url = _joined(base, (element.get(name) or "")[:TEXT_LIMIT])
    found = _SPAN.fullmatch(element.get(span, ""))
    if found is None or int(found[2]) < int(found[1]):
        return Resource(url)
    return Resource(url, int(found[1]), int(found[2]) - int(found[1]) + 1)


def _runs(element: _Element) -> tuple[Run, ...]:
    return tuple(
        Run(
            number(each, "t") if "t" in each.attrib else None,
            number(each, "d"),
            -1 if each.get("r", "").strip().startswith("-") else number(each, "r"),
        )
        for timeline in _children(element, "SegmentTimeline")
        for each in _children(timeline, "S")[-RUN_LIMIT:]
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
