"""The lines of playlists: tags, attributes, and the values that they take. Pure.

Whatever is written, each function gives a value: what makes no sense counts as not written.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from math import isfinite

from anet.media.segments import Resource

LONGEST = 86400.0  # seconds of a segment
LARGEST = 2**63 - 1  # RFC 8216 §4.2: decimal integers
_DIGITS = 19

_ATTRIBUTE = re.compile(r'([A-Z0-9\-]{1,100}+)[ \t]*+=[ \t]*+(?:"([^"]*+)"|([^",]*+))')
_RANGE = re.compile(r"(\d{1,19})(?:@(\d{1,19}))?", re.ASCII)
_ZONE = re.compile(r"([+-]\d\d)(\d\d)?$", re.ASCII)
_VARIABLE = re.compile(r"\{\$([\w\-]{1,100}+)\}", re.ASCII)
_USES = 10  # of variables in one value


def attributes(text: str) -> dict[str, str]:
    """Return the attributes of a tag by name; of a name that is given twice, the last."""
    return {name: quoted or bare.strip() for name, quoted, bare in _ATTRIBUTE.findall(text)}


def number(text: str, default: int = 0) -> int:
    """Return a whole number that is not negative."""
    text = text.strip()
    sound = text.isascii() and text.isdigit() and len(text) <= _DIGITS
    return min(int(text), LARGEST) if sound else default


def seconds(text: str, default: float = 0.0) -> float:
    """Return a length in seconds that some segment might have."""
    try:
        found = float(text)
    except ValueError:
        return default
    return min(max(0.0, found), LONGEST) if isfinite(found) else default


def moment(text: str) -> float | None:
    """Return a date in seconds since the epoch; one without a zone is taken as UTC."""
    text = text.strip().replace("Z", "+00:00")
    text = _ZONE.sub(lambda zone: f"{zone[1]}:{zone[2] or '00'}", text) if "T" in text else text
    try:
        found = datetime.fromisoformat(text)
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def byte_range(text: str) -> tuple[int, int | None] | None:
    """Return length and first byte of a range; the second is None where it goes on."""
    found = _RANGE.fullmatch(text.strip())
    if found is None or not int(found[1]):
        return None
    return int(found[1]), None if found[2] is None else int(found[2])


def resource(given: Mapping[str, str], end: int = 0) -> Resource:
    """Return what a tag with `URI` and perhaps `BYTERANGE` names.

    Args:
        given: its attributes.
        end: the byte where a range without a beginning begins.
    """
    span = byte_range(given.get("BYTERANGE", ""))
    if span is None:
        return Resource(given.get("URI", ""))
    return Resource(given.get("URI", ""), end if span[1] is None else span[1], span[0])


def filled(text: str, variables: Mapping[str, str]) -> str:
    """Put the values of variables into a line (`EXT-X-DEFINE`)."""
    if "{$" not in text:
        return text
    return _VARIABLE.sub(lambda found: variables.get(found[1], found[0]), text, _USES)
