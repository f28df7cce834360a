"""What a path under `/web/` asks for, and how such paths are written. Pure.

    /web/20261121073000/http://www.example.org/        the page, in the frame that replays it
    /web/20261121073000id_/http://www.example.org/     the capture as it was received

The form is the one that web archives share, so that their clients and links find their way.
"""

import re

from attrs import frozen

from agents import dates
from agents.urls import canonical

PREFIX = "/web/"
RAW = "id_"
"""The capture as it was received, at its own date: a memento."""
PART = "ir_"
"""The same, nearest to the date, as the engine asks for the parts of a page."""

_PLACE = re.compile(r"/web/(?:(\d{0,20})([a-z]{2,4}_)?/)?(.+)", re.DOTALL)
_SCHEME = re.compile(r"(?:(https?):)?/{0,3}", re.IGNORECASE)
_OTHER = re.compile(r"[a-z][a-z0-9+.-]*:/|\d*/?$", re.IGNORECASE)  # no host begins or is so


class InvalidPlace(ValueError):
    """The path names nothing that an archive may hold; the message says why."""


@frozen
class Place:
    """What is asked for.

    Attributes:
        date: digits as they were written, or none for the newest.
        modifier: how it is wanted: `RAW`, `PART`, nothing for a page in its frame, or what other
            archives know.
        url: canonical.
    """

    date: str
    modifier: str
    url: str

    @classmethod
    def of(cls, target: str) -> "Place":
        """Return what the target of a request asks for.

        Raises:
            InvalidPlace: it names no http or https URL, or no date.
        """
        found = _PLACE.fullmatch(target)
        if found is None:
            raise InvalidPlace("write /web/DATE/URL")
        date, modifier, written = found[1] or "", found[2] or "", found[3]
        scheme = _SCHEME.match(written)  # some clients and servers make one slash of two
        name, rest = (scheme[1] or "http", written[scheme.end() :]) if scheme else ("http", written)
        plain = None if _OTHER.match(rest) else canonical(f"{name}://{rest}")
        if plain is None:
            raise InvalidPlace(f"{written[:200]!r} is no http or https URL")
        place = cls(date, modifier, plain)
        try:
            place.full_date()
        except dates.InvalidDate as error:
            raise InvalidPlace(str(error)) from None
        return place

    def full_date(self) -> str:
        """Return the date that is looked for, in 20 digits, or nothing for the newest.

        Raises:
            InvalidDate: it is none.
        """
        return dates.sought(self.date) if self.date else ""

    def is_of(self, date: str) -> bool:
        """Tell whether the place names this date to the second or finer."""
        return len(self.date) >= 14 and date.startswith(self.date)


def path(date: str, modifier: str, url: str) -> str:
    """Return the path of a place."""
    return f"{PREFIX}{date}{modifier}/{url}"
