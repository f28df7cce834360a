"""Reading JSON Feed 1.0 and 1.1 (jsonfeed.org). Pure."""

from collections.abc import Iterator
from typing import Any

import msgspec

from agents.feeds.document import ENTRIES_LIMIT, HUBS_LIMIT, TEXT_LIMIT, Entry, Feed, moment
from agents.feeds.errors import NotAFeed


def read_json(body: bytes, url: str) -> Feed:
    """Return what a JSON Feed says.

    Raises:
        NotAFeed: it is none.
    """
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
            yield Entry(name, url, base, title, version, moment(published))


def _objects(value: dict[str, Any], key: str) -> list[dict[str, Any]]:
    items = value.get(key)
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []


def _word(value: dict[str, Any], key: str) -> str:
    found = value.get(key, "")
    known = isinstance(found, str | int) and not isinstance(found, bool)
    return " ".join(str(found)[:TEXT_LIMIT].split()) if known else ""
