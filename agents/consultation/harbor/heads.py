"""What a stored head tells the harbor; a head that is none tells nothing."""

from agents.parsers import media_type
from anet.http import Headers, parse_head


def fields_of(head: bytes) -> Headers:
    """Return the header fields of a stored head."""
    try:
        return parse_head(head).headers
    except ValueError:
        return Headers()


def type_of(head: bytes) -> str:
    """Return the media type that a stored head names, or nothing."""
    return media_type(fields_of(head).text(b"content-type"))[0]
