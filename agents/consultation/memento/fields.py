"""What an answer says when it is a memento, and where the rest is found (RFC 7089). Pure.

Through the proxy each URL is its own TimeGate and its own memento, and is answered 200 (§4.1.3,
pattern 1.3). Only captures are mementos: no fault, no page of the harbor, nothing from the living
web, and no answer to a form, which is no state of a resource.
"""

from email.utils import format_datetime
from functools import lru_cache

from attrs import define

from agents import dates
from agents.consultation.lookup.structures import Nearest

LINK_FORMAT = "application/link-format"


@define
class Addresses:
    """Where a client finds what is about the captures of a URL; known once the servers listen.

    Attributes:
        harbor: origin where TimeGates and TimeMaps are.
        replay: origin where each memento has a URL of its own; empty where there is none.
    """

    harbor: str = "http://dlweb"
    replay: str = ""

    def timegate(self, url: str) -> str:
        """Return the TimeGate of a URL."""
        return f"{self.harbor}/timegate/{url}"

    def timemap(self, url: str, form: str = "link", page: int = 1) -> str:
        """Return a page of the TimeMap of a URL."""
        number = f"{page}/" if page > 1 else ""
        return f"{self.harbor}/timemap/{form}/{number}{url}"

    def memento(self, date: str, url: str) -> str:
        """Return the URL of a memento as it was received; its own URL for whom the proxy serves."""
        return f"{self.replay}/web/{date[:14]}id_/{url}" if self.replay else url


@lru_cache(maxsize=4096)
def http_date(date: str) -> str:
    """Return a date of 20 digits as HTTP writes it, to the second.

    Raises:
        InvalidDate: the text is not one.
    """
    return format_datetime(dates.to_datetime(date), usegmt=True)


PROXIED = Addresses()
"""The same for whoever reads through the proxy, where each URL is its own memento."""


def memento_fields(nearest: Nearest) -> list[tuple[bytes, bytes]]:
    """Return what an answer of the proxy says of itself as a memento.

    A capture that came from another archive as a memento says so itself, and keeps its word; one
    whose node gives it a date that is none is given without.
    """
    capture = nearest.capture
    if b"memento-datetime" in capture.head.lower():
        return []
    try:
        moment, timemap = http_date(capture.date), _timemap_link(nearest, PROXIED)
    except dates.InvalidDate:
        return []
    links = f'<{capture.url}>; rel="original timegate", {timemap}'
    return [
        (b"Memento-Datetime", moment.encode()),
        (b"Vary", b"accept-datetime"),
        (b"Link", links.encode()),
    ]


def distinct_links(nearest: Nearest, addresses: Addresses) -> str:
    """Return the `Link` of a TimeGate, or of a memento that has a URL of its own."""
    url = nearest.capture.url
    return ", ".join(
        [
            f'<{url}>; rel="original"',
            f'<{addresses.timegate(url)}>; rel="timegate"',
            _timemap_link(nearest, addresses),
            memento_links(nearest, addresses),
        ]
    )


def memento_links(nearest: Nearest, addresses: Addresses) -> str:
    """Return links to the memento itself, its neighbours, the first and the last."""
    relations = [
        (nearest.first, "first"),
        (nearest.previous, "prev"),
        (nearest.capture.date, ""),
        (nearest.next, "next"),
        (nearest.last, "last"),
    ]
    by_date: dict[str, list[str]] = {}
    for date, relation in relations:
        if date:
            by_date.setdefault(date, []).append(relation)
    return ", ".join(
        memento_link(addresses.memento(date, nearest.capture.url), date, names)
        for date, names in sorted(by_date.items())
    )


def memento_link(target: str, date: str, relations: list[str]) -> str:
    """Return one link to a memento."""
    rel = " ".join([*filter(None, relations), "memento"])
    return f'<{target}>; rel="{rel}"; datetime="{http_date(date)}"'


def _timemap_link(nearest: Nearest, addresses: Addresses) -> str:
    link = f'<{addresses.timemap(nearest.capture.url)}>; rel="timemap"; type="{LINK_FORMAT}"'
    if nearest.first and nearest.last:
        link += f'; from="{http_date(nearest.first)}"; until="{http_date(nearest.last)}"'
    return link
