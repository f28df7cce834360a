"""Start tags of HTML, taken apart as the HTML standard's tokenizer does."""

import re
from html import unescape
from html.entities import html5
from itertools import islice
from typing import Final

ATTRIBUTE_LIMIT = 1000  # attributes of one tag
REFERENCE_LIMIT = 10_000  # character references of one tag; later ones stay as they are written
_DIGITS_LIMIT = 1000  # of a character reference; one with more stands for no character

SPACE: Final = r"[\t\n\f\r ]"
NAME: Final = r"[a-zA-Z][^\t\n\f\r />]*+"
ATTRIBUTE_NAME: Final = r"[^\t\n\f\r />][^\t\n\f\r />=]*+"
_TAG = re.compile(rf"<({NAME})(.*)>", re.DOTALL)
_PARTS = re.compile(
    rf"""({ATTRIBUTE_NAME})(?:{SPACE}*+={SPACE}*+(?:"([^"]*+)"|'([^']*+)'|([^\t\n\f\r >]*+)))?+"""
)
_REFERENCE = re.compile(r"&(?:#[0-9]++;?+|#[xX][0-9a-fA-F]++;?+|[a-zA-Z][a-zA-Z0-9]*+(?:;|(?!=)))")


def attributes_of(tag: str) -> dict[str, str]:
    """Return the attributes of a start tag: names in lower case, the first of a name counts."""
    attributes: dict[str, str] = {}
    found = _TAG.fullmatch(tag)
    parts = _PARTS.finditer(found[2]) if found else ()
    references = REFERENCE_LIMIT
    for part in islice(parts, ATTRIBUTE_LIMIT):
        name, *values = part.groups("")
        value = "".join(values)
        if "&" in value and references:
            value, met = _REFERENCE.subn(_character, value, references)
            references -= met
        attributes.setdefault(name.lower(), value)
    return attributes


def _character(reference: re.Match[str]) -> str:
    """Return what a character reference in an attribute stands for.

    One of the old names without its semicolon is none before a letter, a digit or `=`, so that
    `?a=1&copy=2` keeps its parameter.
    """
    text = reference[0]
    if text[1] == "#":
        return unescape(text) if len(text) < _DIGITS_LIMIT else "\ufffd"
    return html5.get(text[1:], text)
