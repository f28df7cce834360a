"""What a reader may know of streams. Pure."""

from agents.consultation.access.rules import Rules
from agents.consultation.readers.reader import Reader


def is_shown(rules: Rules, url: str, date: str, reader: Reader | None, last: str = "") -> bool:
    """Tell whether a reader may know of a stream, or of what was on it at a date.

    Rules are written for the web; those of a place hold for the streams of other protocols there
    too.

    Args:
        rules: what may not be shown.
        url: of the stream.
        date: 20 digits, or empty for the stream itself.
        reader: who asks.
        last: where all from the date to this one is meant.
    """
    if not rules.count:
        return True
    web = as_web(url)
    kept = rules.rule_within(web, date, last, reader) if last else rules.rule(web, date, reader)
    return kept is None


def as_web(url: str) -> str:
    """Return the http:// URL of the same place; a URL of the web stays what it is."""
    scheme, colon, rest = url.partition(":")
    return url if scheme in ("http", "https") else f"http{colon}{rest}"
