"""Reading feeds: RSS 0.90 to 2.0, RSS 1.0 (RDF), Atom 0.3 and 1.0, JSON Feed. Pure.

Feeds are written by hand and by programs that know no XML, so damage is mended as far as it goes
and names count more than namespaces. Entities are never expanded.
"""

import re
from collections.abc import Iterator
from html.entities import html5
from typing import Any, Final

from lxml import etree

from agents.feeds.document import ENTRIES_LIMIT, HUBS_LIMIT, TEXT_LIMIT, Entry, Feed, moment
from agents.feeds.errors import NotAFeed
from agents.feeds.json_reader import read_json

LONGEST_HINT: Final = 30 * 86400.0  # seconds; a longer wish is a mistake

_FOREIGN = ("search.yahoo.com/mrss", "itunes.com", "podcastindex.org")  # who have titles too
_ROOTS = frozenset(["rss", "RDF", "feed", "channel"])
_PERIODS = {"hourly": 3600.0, "daily": 86400.0, "weekly": 604800.0, "monthly": 2592000.0,
            "yearly": 31536000.0}  # fmt: skip
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
# What looks like an entity and is none of XML's; not in CDATA, where it stands for itself, and
# which goes to the end when nothing ends it: each byte is looked at once.
_UNDECLARED = re.compile(
    rb"(<!\[CDATA\[.*?(?:\]\]>|\Z))|&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[0-9A-Fa-f]{1,6});)(\w{1,30};)?",
    re.S,
)
_ABOUT = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}about"
_Element = Any  # lxml's elements have no useful public type


def read(body: bytes, url: str) -> Feed:
    """Return what a feed says.

    Args:
        body: without content coding.
        url: where it came from, which its URLs are relative to.

    Raises:
        NotAFeed: it is none, or too damaged; the message says why.
    """
    body = body.lstrip(b"\xef\xbb\xbf \t\r\n")  # before an XML declaration nothing may stand
    if body[:1] == b"{":
        return read_json(body, url)
    try:
        root = _parse(body, url)
    except etree.XMLSyntaxError:
        root = _mended(body, url)
    if root is None or _name(root) not in _ROOTS:
        raise NotAFeed("it is no RSS, Atom or JSON Feed" + _found(root))
    return _read_xml(root)


def _parse(body: bytes, url: str, recover: bool = False) -> _Element:
    parser = etree.XMLParser(
        recover=recover, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
    )
    return etree.fromstring(body, parser, base_url=url)


def _mended(body: bytes, url: str) -> _Element:
    """Parse what is not well-formed, as far as it goes.

    Raises:
        NotAFeed: nothing can be made of it.
    """
    try:
        return _parse(_UNDECLARED.sub(_declared, body), url, recover=True)
    except etree.XMLSyntaxError as error:
        raise NotAFeed(f"it is not XML: {str(error)[:200]}") from None


def _declared(found: re.Match[bytes]) -> bytes:
    """Return an ampersand, or an entity of HTML, as XML knows it: after one that it does not
    know, the parser loses those that it does."""
    if found[1]:
        return found[1]
    name = (found[2] or b"").decode("ascii", "replace")
    characters = html5.get(name, "&" + name)
    return "".join(f"&#{ord(character)};" for character in characters).encode("ascii")


def _found(root: _Element) -> str:
    return "" if root is None else f", but {_name(root)[:40]}"


def _read_xml(root: _Element) -> Feed:
    channel = next(root.iterchildren("{*}channel"), root)
    own = dict(_children(channel))
    hubs, self_url = [], ""
    for link in channel.iterchildren("{*}link"):
        relation, href = link.get("rel", "").lower(), link.get("href", "").strip()[:TEXT_LIMIT]
        if relation == "hub" and href:
            hubs.append(href)
        elif relation == "self":
            self_url = self_url or href
    return Feed(
        title=_text(own.get("title")),
        link=_link(channel),
        self_url=self_url,
        hubs=tuple(hubs[:HUBS_LIMIT]),
        entries=tuple(_entries(root)),
        hint=_hint(own),
        skip_hours=_skip_hours(own.get("skipHours")),
        skip_days=_skip_days(own.get("skipDays")),
    )


def _entries(root: _Element) -> Iterator[Entry]:
    for number, element in enumerate(root.iter("{*}item", "{*}entry")):
        if number >= ENTRIES_LIMIT:
            return
        parts = dict(_children(element))
        url = _link(element) or _permanent(parts.get("guid"))
        title = _text(parts.get("title"))
        # What programs write of itself, before what readers see.
        name = _first(parts, "guid", "id") or element.get(_ABOUT, "")[:TEXT_LIMIT] or url or title
        changed = _first(parts, "updated", "modified")
        published = _first(parts, "pubDate", "published", "issued", "date", "created") or changed
        if name:
            version = f"{changed} {title}" if changed else _everything(element)
            yield Entry(name, url, element.base or "", title, version, moment(published))


def _children(element: _Element) -> Iterator[tuple[str, _Element]]:
    """Yield the elements within one by their names, the last first so that the first wins."""
    for child in element.iterchildren("*", reversed=True):
        tag = child.tag
        if not any(foreign in tag for foreign in _FOREIGN):
            yield _name(child), child


def _name(element: _Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _text(element: _Element | None) -> str:
    if element is None:
        return ""
    return " ".join("".join(element.itertext("*"))[: 4 * TEXT_LIMIT].split())[:TEXT_LIMIT]


def _first(parts: dict[str, _Element], *names: str) -> str:
    return next((text for name in names if (text := _text(parts.get(name)))), "")


def _everything(element: _Element) -> str:
    return "".join(element.itertext("*"))


def _link(element: _Element) -> str:
    """Return the page that a feed or an entry is of."""
    links = list(element.iterchildren("{*}origLink", "{*}link"))
    links.sort(key=lambda link: _name(link) != "origLink")  # beyond whoever counts the clicks
    for link in links:
        if link.get("rel", "alternate") == "alternate":
            found: str = link.get("href") or _text(link)
            if found:
                return found.strip()[:TEXT_LIMIT]
    return str(element.get(_ABOUT, "")).strip()[:TEXT_LIMIT]


def _permanent(guid: _Element | None) -> str:
    text = _text(guid)
    if guid is None or guid.get("isPermaLink", "true").lower() == "false":
        return ""
    return text if text.startswith(("http://", "https://")) else ""


def _hint(parts: dict[str, _Element]) -> float:
    """Return what `ttl` (RSS 2.0) or `sy:updatePeriod` (RSS 1.0) asks for."""
    ttl = _text(parts.get("ttl"))
    period = _PERIODS.get(_text(parts.get("updatePeriod")).lower(), 0.0)
    frequency = _text(parts.get("updateFrequency"))
    minutes = float(ttl) if _is_number(ttl) else 0.0
    times = max(1.0, float(frequency)) if _is_number(frequency) else 1.0
    return min(max(minutes * 60.0, period / times), LONGEST_HINT)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 7


def _skip_hours(element: _Element | None) -> int:
    hours = 0
    for hour in () if element is None else element.iterchildren("{*}hour"):
        text = _text(hour)
        if _is_number(text) and int(text) <= 24:
            hours |= 1 << int(text) % 24  # RSS 0.91 counts from 1 to 24
    return hours


def _skip_days(element: _Element | None) -> int:
    named = () if element is None else element.iterchildren("{*}day")
    days = [_text(day).lower() for day in named]
    return sum(1 << number for number, day in enumerate(_DAYS) if day in days)
