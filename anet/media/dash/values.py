"""Values of attributes of manifests. Pure: what makes no sense counts as not written."""

import re
from datetime import UTC, datetime
from typing import Any

LARGEST = 2**63 - 1
LONGEST = 100 * 365 * 86400.0  # seconds

_DURATION = re.compile(
    r"P(?:(\d{1,4})Y)?(?:(\d{1,4})M)?(?:(\d{1,6})D)?"
    r"(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,12}(?:\.\d{0,12})?)S)?)?",
    re.ASCII,
)
_UNITS = (31_536_000, 2_592_000, 86_400, 3600, 60, 1)


def moment(text: str) -> float | None:
    """Return a date in seconds since the epoch; one without a zone is taken as UTC."""
    try:
        found = datetime.fromisoformat(text.strip())
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def duration(text: str) -> float | None:
    """Return the seconds of an XML duration, as "PT1H2.5S"."""
    found = _DURATION.fullmatch(text.strip())
    if found is None or not any(found.groups()):
        return None
    parts = found.groups("0")
    total = sum(float(part) * unit for part, unit in zip(parts, _UNITS, strict=True))
    return min(total, LONGEST)


def number(given: Any, name: str, default: int = 0) -> int:
    """Return a whole number that is not negative."""
    text = (given.get(name) or "").strip()
    sound = text.isascii() and text.isdigit() and len(text) <= 19
    return min(int(text), LARGEST) if sound else default
