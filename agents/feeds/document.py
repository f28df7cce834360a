"""What a feed says, whatever form it has."""

from datetime import datetime
from typing import Final

from attrs import field, frozen

from agents import dates

ENTRIES_LIMIT: Final = 500  # entries read of a feed
TEXT_LIMIT: Final = 2000  # characters of a title, an identifier, a URL
HUBS_LIMIT: Final = 5


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


def moment(text: str) -> float | None:
    """Return a date as seconds since the epoch, or None when it is none."""
    try:
        found: datetime = dates.to_datetime(dates.parse(text[:100]))
    except ValueError:
        return None
    return found.timestamp()
