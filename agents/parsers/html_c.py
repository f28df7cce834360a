"""Links of HTML, fast and not quite: the parser of partial crawls (*INA §1.4.3*, HTML_C).

The paper generated C for it. Here the table of elements makes one regular expression over bytes,
which runs in C: it picks out the tags of the elements that link, and does not look at what lies
between. So it takes tags in comments and scripts for tags of the page, ends a tag at a `>` within
its attributes, and does not see style sheets, or links of elements that rarely have one.
"""

import re
from collections.abc import Iterable, Iterator

from agents.parsers.charset import PRESCAN, declared, decode_of
from agents.parsers.html_rules import FAST_ELEMENTS
from agents.parsers.link import PAGE, Found, Link
from agents.parsers.parser import Format, Source
from agents.parsers.tag_links import links_of
from agents.parsers.tags import attributes_of

TAG_LIMIT = 8192  # bytes of a tag that may go on in the next chunk
_MET_LIMIT = 20_000  # tags remembered

_NAMES = (*FAST_ELEMENTS, *map(str.upper, FAST_ELEMENTS))
_LETTERS = "".join(sorted({name[0] for name in _NAMES}))
# The URL of a plain anchor, or any other tag that may link.
_TAGS = re.compile(
    rf"""<(?=[{_LETTERS}])(?:
        a\ (?:[a-z]++=(?:"[^"]*+"|'[^']*+')\ ++)*?
        href=["'](?:\#|((?![jJ\s])[^"'\#&<]++)["'\#])
      | ((?:{"|".join(_NAMES)})[ \t\n\f\r][^>]*+>)
    )""".encode(),
    re.VERBOSE,
)


class FastHtmlParser:
    """Parses HTML quickly (see `agents.parsers.Parser`).

    Attributes:
        base: what the first `base` element says.
        encoding: that is declared; UTF-8 if none is.
        truncated: whether links may be missing, because a tag was too long.
    """

    format = Format("html-fast", ())

    def __init__(self, source: Source) -> None:
        self.base = ""
        self.encoding = "utf-8"
        self.truncated = False
        self._source = source
        self._begun = False
        self._decode = decode_of(self.encoding)
        self._rest = b""
        self._met: set[tuple[bytes, bytes]] = set()

    def feed(self, chunk: bytes) -> Iterator[Found]:
        """Yield the links in the next bytes."""
        data = self._rest + chunk
        if not self._begun:
            if len(data) < PRESCAN:
                self._rest = data
                return
            self._begin(data)
        whole = self._whole(data)
        self._rest = data[whole:]
        yield from self._links(data[:whole])

    def close(self) -> Iterator[Found]:
        """Yield the last links."""
        if not self._begun:
            self._begin(self._rest)
        rest, self._rest = self._rest, b""
        yield from self._links(rest)

    def _begin(self, data: bytes) -> None:
        self._begun = True
        source = self._source
        self.encoding = declared(data[:PRESCAN], source.charset, source.environment) or "utf-8"
        self._decode = decode_of(self.encoding)

    def _whole(self, data: bytes) -> int:
        """Return where a tag begins that may go on in the next chunk, or the end."""
        start = data.rfind(b"<")
        if start < 0 or data.find(b">", start) >= 0:
            return len(data)
        if len(data) - start <= TAG_LIMIT:
            return start
        self.truncated = True
        return len(data)

    def _links(self, data: bytes) -> Iterator[Found]:
        met = self._met
        for found in dict.fromkeys(_TAGS.findall(data)):
            if found in met:
                continue
            if len(met) < _MET_LIMIT:
                met.add(found)
            url, tag = found
            if url:
                yield Link(self._decode(url, "replace")[0], PAGE, False)
            elif tag:
                yield from self._tag("<" + self._decode(tag, "replace")[0]) or (None,)

    def _tag(self, tag: str) -> Iterable[Found]:
        name = tag.split(None, 1)[0][1:].lower()
        if name == "base":
            self.base = self.base or attributes_of(tag).get("href", "").strip()
        return links_of(name, tag)
