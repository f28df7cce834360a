r"""JavaScript cut into the tokens that a search for links has to tell apart.

One regular expression steps over comments, strings, templates and regular expressions, so that
what looks like a string inside one of these is not taken for one. Its quantifiers are possessive:
it never goes back. What is not closed ends with its line or the script, so that nothing is read
twice, and time is linear in the script whatever it holds. Whether `/` begins a regular expression
or divides is told by what stands before it, which is right nearly always.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

_BODY = r"(?:[^{quote}\\\n\r]++|\\(?:\r\n|.))*+"
_DOUBLE = '"' + _BODY.format(quote='"') + '"?+'
_SINGLE = "'" + _BODY.format(quote="'") + "'?+"
STRING = f"(?:{_DOUBLE}|{_SINGLE})"
_COMMENT = r"/\*(?:[^*]++|\*(?!/))*+(?:\*/|\Z)|//[^\n\r]*+|<!--[^\n\r]*+"
_TEMPLATE = r"(?:[^`\\$]++|\\.|\$(?!\{))*+(?:`|\$\{)?+"
_CLASS = r"\[(?:[^\]\\\n\r]++|\\.)*+\]?+"
_REGEX = (
    r"(?:(?<=[(,=:\[!&|?{};+\-*%~^<>\n])|(?<![\w$.])(?:return|typeof|case|in|of|void|throw)(?![\w$]))"
    rf"[ \t]{{0,40}}+/(?![*/])(?:[^\\/\[\n\r]++|\\.|{_CLASS})++(?:/[a-z]*+)?+"
)
TOKEN = (
    rf"(?P<comment>{_COMMENT})|(?P<string>{STRING})|(?P<template>`{_TEMPLATE})|(?P<regex>{_REGEX})"
)
_TOKENS = re.compile(TOKEN + r"|(?P<brace>[{}])", re.DOTALL)
_TEMPLATE_REST = re.compile(_TEMPLATE, re.DOTALL)

_ESCAPE = re.compile(
    r"\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(\r\n|.))", re.DOTALL
)
_LETTERS = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}
_NEWLINES = frozenset(["\r\n", "\n", "\r", "\u2028", "\u2029"])
_LAST = 0x10FFFF


class String(NamedTuple):
    """A string of a script.

    Attributes:
        value: what it stands for; of a template with holes, the part before the first.
        start: where it begins in the script.
        end: where it ends.
        whole: whether it is all of a string, not the beginning of a template with holes.
    """

    value: str
    start: int
    end: int
    whole: bool


def strings(script: str) -> Iterator[String | None]:
    """Yield the strings of a script in their order, and None for each other token."""
    position, open_braces = 0, list[int]()  # of each template that is open, braces within its hole
    while (found := _TOKENS.search(script, position)) is not None:
        position = found.end()
        kind = found.lastgroup
        if kind == "brace":
            if open_braces:
                position = _brace(script, found, open_braces)
            yield None
        elif kind == "string":
            yield _string(found)
        elif kind == "template":
            yield _template(found, open_braces)
        else:
            yield None


def _string(found: re.Match[str]) -> String:
    text = found[0]
    whole = len(text) > 1 and text[-1] == text[0]
    return String(unescaped(text[1:-1]) if whole else "", found.start(), found.end(), whole)


def _template(found: re.Match[str], open_braces: list[int]) -> String:
    text = found[0]
    whole = text.endswith("`") and len(text) > 1
    if not whole and text.endswith("${"):
        open_braces.append(0)
    end = text.rfind("`" if whole else "${")
    return String(unescaped(text[1 : end if end > 0 else None]), found.start(), found.end(), whole)


def _brace(script: str, found: re.Match[str], open_braces: list[int]) -> int:
    """Take a brace within the hole of a template; return where to read on."""
    if found[0] == "{":
        open_braces[-1] += 1
    elif open_braces[-1]:
        open_braces[-1] -= 1
    else:
        open_braces.pop()
        rest = _TEMPLATE_REST.match(script, found.end())
        assert rest is not None  # it may be empty at the end of the script
        if rest[0].endswith("${"):
            open_braces.append(0)
        return rest.end()
    return found.end()


def unescaped(text: str) -> str:
    r"""Return what the inside of a string stands for: `\x41`, `\u0041`, `\n` and the like."""
    return _ESCAPE.sub(_escaped, text) if "\\" in text else text


def _escaped(found: re.Match[str]) -> str:
    digits = found[1] or found[2] or found[3]
    if digits:
        return chr(min(int(digits, 16), _LAST))
    letter = found[4]
    return "" if letter in _NEWLINES else _LETTERS.get(letter, letter)
