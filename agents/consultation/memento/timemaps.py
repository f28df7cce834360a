"""Lists of the mementos of a URL, as link-format (RFC 7089 §5) and as the JSON of the field. Pure.

A list is cut into pages of a bounded size, the oldest first, so that a page that is full stays as
it is when more is captured. Each page links to the one before and the one after.
"""

from collections.abc import Sequence
from typing import Any

import msgspec
from attrs import frozen

from agents import dates
from agents.consultation.lookup.structures import CaptureLine
from agents.consultation.memento.fields import LINK_FORMAT, Addresses, http_date, memento_link

PAGE = 1000  # mementos on a page; more would hold up the reactor
JSON_FORMAT = "application/json"
FORMS = {"link": LINK_FORMAT, "json": JSON_FORMAT}


@frozen
class TimeMap:
    """A page of the mementos of a URL.

    Attributes:
        url: the original, canonical.
        captures: all of them, in the order of their dates; at least one.
        page: from 1.
        addresses: where things are.
    """

    url: str
    captures: Sequence[CaptureLine]
    page: int
    addresses: Addresses

    @property
    def pages(self) -> int:
        """How many pages there are."""
        return -(-len(self.captures) // PAGE)

    @property
    def shown(self) -> Sequence[CaptureLine]:
        """The captures on this page."""
        return self.captures[(self.page - 1) * PAGE : self.page * PAGE]

    def neighbours(self) -> list[tuple[str, int]]:
        """Return the pages before and after with their relations."""
        near = [("prev", self.page - 1), ("next", self.page + 1)]
        return [(name, page) for name, page in near if 1 <= page <= self.pages]

    def relations(self, capture: CaptureLine) -> list[str]:
        """Return what a capture is among all, beside a memento."""
        ends = [(self.captures[0], "first"), (self.captures[-1], "last")]
        return [name for end, name in ends if end is capture]


def as_links(timemap: TimeMap) -> bytes:
    """Return a page in link-format (RFC 6690)."""
    addresses, url, shown = timemap.addresses, timemap.url, timemap.shown
    span = f'; from="{http_date(shown[0].date)}"; until="{http_date(shown[-1].date)}"'
    links = [
        f'<{url}>; rel="original"',
        f'<{addresses.timegate(url)}>; rel="timegate"',
        _page_link(timemap, "self", timemap.page) + span,
        *(_page_link(timemap, f"{name} timemap", page) for name, page in timemap.neighbours()),
    ]
    for each in shown:
        target = addresses.memento(each.date, each.url)
        links.append(memento_link(target, each.date, timemap.relations(each)))
    return (",\n".join(links) + "\n").encode()


def as_json(timemap: TimeMap) -> bytes:
    """Return a page as JSON."""
    addresses, url = timemap.addresses, timemap.url
    mementos: dict[str, Any] = {"list": [_entry(timemap, each) for each in timemap.shown]}
    for name, each in (("first", timemap.captures[0]), ("last", timemap.captures[-1])):
        mementos[name] = _entry(timemap, each)
    return msgspec.json.encode(
        {
            "original_uri": url,
            "self": addresses.timemap(url, "json", timemap.page),
            "timegate_uri": addresses.timegate(url),
            "timemap_uri": {
                "link_format": addresses.timemap(url, "link"),
                "json_format": addresses.timemap(url, "json"),
            },
            "mementos": mementos,
            "pages": {
                name: {"uri": addresses.timemap(url, "json", page)}
                for name, page in timemap.neighbours()
            },
        }
    )


def _page_link(timemap: TimeMap, relation: str, page: int) -> str:
    target = timemap.addresses.timemap(timemap.url, "link", page)
    return f'<{target}>; rel="{relation}"; type="{LINK_FORMAT}"'


def _entry(timemap: TimeMap, capture: CaptureLine) -> dict[str, str]:
    return {
        "datetime": dates.to_iso(capture.date),
        "uri": timemap.addresses.memento(capture.date, capture.url),
    }
