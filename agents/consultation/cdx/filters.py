"""Which lines are wanted: `[!][=|~]field:text`. Pure.

Expressions come from whoever asks; RE2 matches them in time proportional to the field, whatever
they are, and refuses what cannot be matched so.
"""

from typing import Any

import re2
from attrs import frozen

from agents.consultation.cdx.lines import OTHER_NAMES, PYWB, Line
from agents.consultation.errors import ConsultationError

FILTERS_LIMIT = 20
TEXT_LIMIT = 1000  # characters of one
_MEMORY = 1 << 20  # bytes that an expression may take
_FIELDS = {*PYWB, "redirect", "robotflags"}


class CdxRefused(ConsultationError):
    """The question cannot be answered; the message says what to write."""


@frozen
class Filter:
    """A condition on a field.

    Attributes:
        field: its name; empty for the whole line.
        kind: `is`, `has`, `begins` (an expression matches the beginning) or `matches` (all of it).
        text: what it must be or have.
        inverted: whether lines are wanted for which that is not so.
        expression: what must match.
    """

    field: str
    kind: str
    text: str
    inverted: bool
    expression: Any = None

    def takes(self, line: Line) -> bool:
        """Tell whether a line is wanted."""
        value = line.get(self.field) if self.field else line.text(PYWB)
        if self.kind == "is":
            taken = value == self.text
        elif self.kind == "has":
            taken = self.text in value
        elif self.kind == "begins":
            taken = self.expression.match(value) is not None
        else:
            taken = self.expression.fullmatch(value) is not None
        return taken != self.inverted


def read_filter(text: str, *, plain: str = "has") -> Filter:
    """Read a filter.

    Args:
        text: as it was asked.
        plain: what one without `=` and `~` means: `has` as with pywb, `matches` as elsewhere.

    Raises:
        CdxRefused: it is none.
    """
    if len(text) > TEXT_LIMIT:
        raise CdxRefused(f"a filter of more than {TEXT_LIMIT} characters")
    inverted = text.startswith("!")
    rest = text.removeprefix("!")
    kind = {"=": "is", "~": "begins"}.get(rest[:1], plain)
    rest = rest[1:] if rest[:1] in ("=", "~") else rest
    name, colon, value = rest.partition(":")
    name = OTHER_NAMES.get(name, name) if colon else ""
    value = value if colon else rest
    if name and name not in _FIELDS:
        raise CdxRefused(f"no field {name[:40]!r}; write one of {', '.join(sorted(_FIELDS))}")
    expression = _compiled(value) if kind in ("begins", "matches") else None
    return Filter(name, kind, value, inverted, expression)


def _compiled(text: str) -> Any:
    options = re2.Options()
    options.max_mem, options.log_errors = _MEMORY, False
    try:
        return re2.compile(text, options)
    except re2.error as error:
        said = str(error)[:200]
        raise CdxRefused(f"the expression {text[:60]!r} cannot be matched: {said}") from None
