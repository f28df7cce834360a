"""Reading feeds: RSS 0.90 to 2.0, RSS 1.0 (RDF), Atom 0.3 and 1.0, JSON Feed. Pure.

Feeds are written by hand and by programs that know no XML, so damage is mended as far as it goes
and names count more than namespaces. Entities are never expanded.
"""

import re
from collections.abc import Iterator
from datetime import datetime
from html.entities import html5
from typing import Any, Final

import msgspec
from attrs import field, frozen
from lxml import etree

from agents import dates
from agents.feeds.errors import NotAFeed

ENTRIES_LIMIT: Final = 500  # entries read of a feed
TEXT_LIMIT: Final = 2000  # characters of a title, an identifier, a URL
HUBS_LIMIT: Final = 5
LONGEST_HINT: Final = 30 * 86400.0  # seconds; a longer wish is a mistake

_FOREIGN = ("search.yahoo.com/mrss", "itunes.com", "podcastindex.org")  # who have titles too
_ROOTS = frozenset(["rss", "RDF", "feed", "channel"])
_PERIODS = {"hourly": 3600.0, "daily": 86400.0, "weekly": 604800.0, "monthly": 2592000.0,
            "yearly": 31536000.0}  # fmt: skip
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
# What looks like an entity and is none of XML's; not in CDATA, where it stands for itself.
_UNDECLARED = re.compile(
    rb"(<!\[CDATA\[.*?\]\]>)|&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[0-9A-Fa-f]{1,6});)(\w{1,30};)?",
    re.S,
)
_ABOUT = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}about"
_Element = Any  # lxml's elements have no useful public type


@frozen
class Entry:
    """What a feed says of a page.

    Attributes:
        id: by which it is known again: what the feed calls it, or else its URL or title.
        url: of the page, as written; empty without one.
        base: what `url` is relative to.
        title: of it.
        version: tells one version from another: its date of change, or else all its text.
        published: seconds since the epoch, or None when it does not say.
    """

    id: str
    url: str
    base: str
    title: str
    version: str
    published: float | None = None


@frozen
class Feed:
    """What a feed says.

    Attributes:
        title: of the feed.
        link: the page that it is the feed of, as written.
        self_url: the URL that it gives itself, as written.
        hubs: URLs of its WebSub hubs, as written.
        entries: at most `ENTRIES_LIMIT`, in their order.
        hint: seconds for which the publisher asks to be left alone after an answer, or 0.
        skip_hours: hours (UTC) in which nobody is to look, bit N for hour N.
        skip_days: days likewise, bit 0 for Monday.
    """

    title: str = ""
    link: str = ""
    self_url: str = ""
    hubs: tuple[str, ...] = ()
    entries: tuple[Entry, ...] = field(default=(), repr=False)
    hint: float = 0.0
    skip_hours: int = 0
    skip_days: int = 0


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
        return _read_json(body, url)
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
            yield Entry(name, url, element.base or "", title, version, _moment(published))


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


def _moment(text: str) -> float | None:
    try:
        moment: datetime = dates.to_datetime(dates.parse(text[:100]))
    except ValueError:
        return None
    return moment.timestamp()


def _read_json(body: bytes, url: str) -> Feed:
    try:
        value = msgspec.json.decode(body)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise NotAFeed(f"it is not JSON: {str(error)[:200]}") from None
    if not isinstance(value, dict) or "jsonfeed.org/version" not in _word(value, "version"):
        raise NotAFeed("it is JSON, but no JSON Feed")
    hubs = (_word(hub, "url") for hub in _objects(value, "hubs") if _is_websub(hub))
    return Feed(
        title=_word(value, "title"),
        link=_word(value, "home_page_url"),
        self_url=_word(value, "feed_url"),
        hubs=tuple(hub for hub in hubs if hub)[:HUBS_LIMIT],
        entries=tuple(_json_entries(value, url)),
    )


def _is_websub(hub: dict[str, Any]) -> bool:
    return _word(hub, "type").lower() in ("websub", "pubsubhubbub")


def _json_entries(value: dict[str, Any], base: str) -> Iterator[Entry]:
    for item in _objects(value, "items")[:ENTRIES_LIMIT]:
        url = _word(item, "url") or _word(item, "external_url")
        title = _word(item, "title")
        name = _word(item, "id") or url or title
        changed = _word(item, "date_modified")
        whole = " ".join(str(item.get(key, "")) for key in ("content_html", "content_text"))
        if name:
            version = f"{changed or whole} {title}"
            published = _word(item, "date_published") or changed
            yield Entry(name, url, base, title, version, _moment(published))


def _objects(value: dict[str, Any], key: str) -> list[dict[str, Any]]:
    items = value.get(key)
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []


def _word(value: dict[str, Any], key: str) -> str:
    found = value.get(key, "")
    known = isinstance(found, str | int) and not isinstance(found, bool)
    return " ".join(str(found)[:TEXT_LIMIT].split()) if known else ""
