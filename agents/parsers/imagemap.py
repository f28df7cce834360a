"""Server-side image maps: which part of a picture leads where (*INA §1.4.3*).

Two forms are found. NCSA's, which Apache reads too, is `rect /news.html 0,0 99,49 "words"`, and
has `base` and `base_uri`; CERN's is `rectangle (0,0) (99,49) /news.html`, with the URL last.
"""

import re
from collections.abc import Iterable

from agents.parsers.lines import LineParser
from agents.parsers.link import Found, page
from agents.parsers.parser import Extracts, Format

_SHAPE = re.compile(
    r"\s*+(?P<shape>default|def|rectangle|rect|circle|circ|polygon|poly|point|base(?:_uri)?)\s++"
    r"(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_COORDINATES = re.compile(r"[\s(]*+-?[\d.]++\s*+,\s*+-?[\d.]++[\s)]*+|[\s(]*+\d++[\s)]++(?=\S)")
_URL = re.compile(r"""(?:"(?P<quoted>[^"]*+)"|(?P<bare>\S++))(?:.*?"(?P<words>[^"]*+)")?+""")
# What Apache's module takes in place of a URL.
_KEYWORDS = frozenset(["map", "menu", "referer", "referrer", "nocontent", "error", "none"])


class ImagemapParser(LineParser):
    """Parses an image map of either form."""

    format = Format(
        "imagemap",
        ("application/x-httpd-imap", "application/x-imagemap", "text/x-imagemap"),
        (".map", ".imap"),
        extracts=Extracts.LINKS | Extracts.LINK_TEXT,
    )

    def line(self, line: str) -> Iterable[Found]:
        """Return the link of a shape."""
        shape = _SHAPE.match(line)
        if shape is None:
            return ()
        rest, start = shape["rest"], 0
        while (numbers := _COORDINATES.match(rest, start)) is not None:
            start = numbers.end()
        found = _URL.match(rest, start)
        url = "" if found is None else (found["quoted"] or found["bare"] or "")
        if found is None or url.lower() in _KEYWORDS:
            return ()
        if shape["shape"].lower().startswith("base"):
            self.base = self.base or url
            return ()
        return page(url, text=(found["words"] or "").strip() if self.source.text else "")
