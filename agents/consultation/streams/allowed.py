"""What a reader may know of streams. Pure."""

from agents.consultation.access.rules import Rules
from agents.consultation.readers.reader import Reader


def is_shown(rules: Rules, url: str, date: str, reader: Reader | None) -> bool:
    """Tell whether a reader may know of a stream, or of what was on it at a date.

    Rules are written for the web; those of a place hold for the streams of other protocols there
    too.
    """
    return not rules.count or rules.rule(as_web(url), date, reader) is None


def as_web(url: str) -> str:
    """Return the http:// URL of the same place; a URL of the web stays what it is."""
    scheme, colon, rest = url.partition(":")
    return url if scheme in ("http", "https") else f"http{colon}{rest}"
