"""The encoding that the first bytes of a document declare, as the HTML standard finds it.

*HTML, 13.2.3.2, "prescan a byte stream to determine its encoding"*: comments and attributes are
stepped over as they will be when the document is read, so that a `meta` within them does not count.
"""

import re

from agents.parsers.tags import ATTRIBUTE_NAME, SPACE, attributes_of

_VALUE = r""""[^"]*+"|'[^']*+'|(?!["'])[^\t\n\f\r >]*+"""
_ATTRIBUTE = rf"{ATTRIBUTE_NAME}(?:{SPACE}*+={SPACE}*+(?:{_VALUE})|(?!{SPACE}*+=))"
_MARKUP = re.compile(
    rf"""<!--(?:-?+>|(?s:.*?)-->)
    |</?+(?P<name>[a-zA-Z][^\t\n\f\r\ />]*+)(?:[\t\n\f\r /]*+{_ATTRIBUTE})*+[\t\n\f\r /]*+>
    |<(?:!(?!--)|\?|/(?![a-zA-Z]))[^>]*+>
    |(?P<cut><(?:[!?/]|[a-zA-Z]))""",
    re.VERBOSE,
)
_PRAGMA = re.compile(
    r"""charset\s*+=\s*+(?:"(?P<double>[^"]*+)"|'(?P<single>[^']*+)'|(?P<bare>[^"'\s;][^\s;]*+))""",
    re.IGNORECASE,
)
_XML = re.compile(r"""<\?xml[^>]*?encoding\s*=\s*["']([\w.:\-]+)""")
_CSS = re.compile(r"""@charset "([\w.:\-]+)";""")
_WIDE_XML = {b"<\0?\0x\0": "utf-16le", b"\0<\0?\0x": "utf-16be"}


def declared_label(prefix: bytes) -> str | None:
    """Return the label of the encoding that a document declares in its first bytes, if it does."""
    wide = _WIDE_XML.get(prefix[:6])
    if wide is not None:
        return wide
    text = prefix.decode("latin-1")
    sheet = _CSS.match(text)
    if sheet is not None:
        return sheet[1]
    declaration = _XML.match(text.lstrip())
    return _meta(text) or (None if declaration is None else declaration[1])


def _meta(text: str) -> str | None:
    for markup in _MARKUP.finditer(text):
        if markup["cut"] is not None:  # what is not whole in the first bytes counts for nothing
            return None
        if (markup["name"] or "").lower() == "meta" and markup[0][1] != "/":
            label = _label(attributes_of(markup[0]))
            if label:
                return label
    return None


def _label(attributes: dict[str, str]) -> str | None:
    """Return what a `meta` element says of the encoding."""
    if "charset" in attributes:
        return attributes["charset"].strip()
    if attributes.get("http-equiv", "").strip().lower() != "content-type":
        return None
    found = _PRAGMA.search(attributes.get("content", ""))
    return None if found is None else found["double"] or found["single"] or found["bare"]
