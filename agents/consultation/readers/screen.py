"""A page as it is on a reader's screen, and how far apart its parts were collected. Pure."""

from typing import Any

from attrs import frozen

from agents import dates

DOCUMENT = "document"


@frozen
class Part:
    """Something that a page asked for and got.

    Attributes:
        url: canonical, as it was asked for.
        date: of the capture that was given, 20 digits.
        destination: what the browser wanted it for (`image`, `style`, `iframe`…), or empty.
        status: of the answer that was collected; a part may well be a 404 of its time.
    """

    url: str
    date: str
    destination: str
    status: int


@frozen
class Spread:
    """How far apart the parts of a page, and the page itself, were collected.

    Attributes:
        earliest: 20 digits.
        latest: 20 digits.
        seconds: between the two.
    """

    earliest: str
    latest: str
    seconds: float


@frozen
class Screen:
    """A page that was given to a reader.

    Attributes:
        url: of the page, canonical.
        date: of its capture, 20 digits; its parts are read at this date.
        parts: what it asked for and got, in the order it asked.
        missing: URLs that it asked for in vain.
        unlisted: parts beyond what is remembered, given or not.
    """

    url: str
    date: str
    parts: tuple[Part, ...] = ()
    missing: tuple[str, ...] = ()
    unlisted: int = 0

    @property
    def spread(self) -> Spread:
        """How far apart in time what is on the screen was collected."""
        found = [self.date, *(part.date for part in self.parts)]
        earliest, latest = min(found), max(found)
        between = dates.to_datetime(latest) - dates.to_datetime(earliest)
        return Spread(earliest, latest, between.total_seconds())

    @property
    def completeness(self) -> float:
        """The share of what the page asked for, itself included, that the archive gave; 0 to 1."""
        given = 1 + len(self.parts)
        return given / (given + len(self.missing))


def told(screen: Screen) -> dict[str, Any]:
    """Return a screen as values for JSON and HIP."""
    spread = screen.spread
    return {
        "url": screen.url,
        "date": screen.date,
        "earliest": spread.earliest,
        "latest": spread.latest,
        "spread": spread.seconds,
        "completeness": round(screen.completeness, 4),
        "parts": [
            {
                "url": part.url,
                "date": part.date,
                "destination": part.destination,
                "status": part.status,
            }
            for part in screen.parts
        ],
        "missing": list(screen.missing),
        "unlisted": screen.unlisted,
    }
