"""ASX metafiles of Windows Media Player, and WAX, WVX and WMX (*INA §1.4.3*).

They look like XML, but were never held to it: names in any case, ampersands as they are, ends left
out. So they are read by tags alone. Servers also sent another form under the same types, lines of
`Ref1=http://…`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from html import unescape

from agents.parsers.charset import Text
from agents.parsers.link import Found, Link, component, page
from agents.parsers.parser import Extracts, Format, Source
from agents.parsers.playlist import played
from agents.parsers.tags import attributes_of
from agents.parsers.xml_document import joined

TAG_LIMIT = 8192  # characters of a tag; a longer one is none
WORDS_LIMIT = 8192  # characters of a title or an abstract that are kept, and of text outside tags
HELD_LIMIT = 100  # links of an entry that wait for its title

_TOKEN = re.compile(
    r"<!--|<(?P<end>/?+)(?P<name>[a-z][a-z0-9]*+)(?=[\s/>])(?:\"[^\"<]*+\"|'[^'<]*+'|[^\"'<>])*+>"
    r"|(?P<text>[^<]++|<)",
    re.IGNORECASE,
)
_LINE = re.compile(r"^(?:Ref\d++\s*+=|ASF\s)\s*+(\S++)", re.IGNORECASE | re.MULTILINE)
_RECORDING = b"0&\xb2u"  # how a recording in ASF begins, which comes under the same types


class AsxParser:
    """Parses a metafile (see `agents.parsers.Parser`)."""

    format = Format(
        "asx",
        ("video/x-ms-asf", "video/x-ms-asf-plugin", "video/x-ms-asx", "application/asx",
         "application/x-ms-asx", "application/vnd.ms-asf", "audio/x-ms-wax", "video/x-ms-wvx",
         "video/x-ms-wmx", "application/x-mplayer2"),
        (".asx", ".wax", ".wvx", ".wmx"),
        (b"<asx", b"<ASX", b"[Reference]"),
        extracts=Extracts.LINKS | Extracts.LINK_TEXT,
    )  # fmt: skip
    roots = frozenset(["asx", "ASX", "Asx"])
    base = ""
    truncated = False

    def __init__(self, source: Source) -> None:
        self._source = source
        self._text = Text(source.charset, None, source.url)
        self._rest = ""
        self._comment = False
        self._beginning = b""
        self._base = ""
        self._words: dict[str, str] = {}  # of the entry, by their element
        self._within = ""  # element whose text is being read
        self._banner = False
        self._held: list[Link] = []

    @property
    def encoding(self) -> str:
        """The encoding of the document; final once closed."""
        return self._text.encoding

    def feed(self, chunk: bytes) -> Iterator[Found]:
        """Yield the links in the next bytes."""
        self._beginning += chunk[: 4 - len(self._beginning)]
        return self._take(self._text.feed(chunk), final=False)

    def close(self) -> Iterator[Found]:
        """Yield the last links."""
        yield from self._take(self._text.close(), final=True)
        yield from self._release()
        for url in _LINE.findall(self._words.get("", "")):
            yield from played(url)

    def _take(self, text: str, final: bool) -> Iterator[Found]:
        if self._beginning == _RECORDING:
            return
        text, start = self._rest + text, 0
        end = len(text) if final else _whole(text)
        while start < end:
            if self._comment:
                start = self._past_comment(text, start, end)
                continue
            token = _TOKEN.match(text, start, end)
            assert token is not None  # any character is one
            start = token.end()
            yield from self._token(token) or (None,)
        self._rest = text[max(start, end) :]

    def _past_comment(self, text: str, start: int, end: int) -> int:
        found = text.find("-->", start, end)
        self._comment = found < 0
        return end if found < 0 else found + 3

    def _token(self, token: re.Match[str]) -> Iterable[Found]:
        name, long = (token["name"] or "").lower(), len(token[0]) > TAG_LIMIT
        if token["text"] or long:
            self._keep(token[0])
        elif not name:
            self._comment = True
        elif token["end"]:
            return self._ended(name)
        else:
            return self._started(name, attributes_of(token[0]))
        return ()

    def _keep(self, text: str) -> None:
        """Keep what belongs to a title or an abstract, or stands outside all tags."""
        if not self._within or (self._source.text and not self._banner):
            before = self._words.get(self._within, "")
            self._words[self._within] = before + text[: WORDS_LIMIT - len(before)]

    def _started(self, name: str, attributes: Mapping[str, str]) -> Iterable[Found]:
        self._within = name
        self._banner = self._banner or name == "banner"
        url = joined(self._base, attributes.get("href", "").strip())
        if name == "entry":
            return self._release()
        if name == "base":
            self._base = url
        elif name in ("ref", "entryref"):
            return self._hold(played(url))
        elif name == "moreinfo":
            return self._hold(page(url))
        elif name in ("banner", "logo"):
            return component(url)
        return ()

    def _ended(self, name: str) -> Iterable[Found]:
        self._within = "asx"
        self._banner = self._banner and name != "banner"
        return self._release() if name == "entry" else ()

    def _hold(self, links: Iterable[Link]) -> Iterable[Found]:
        """Keep links for the words of their entry, if the text of links is wanted."""
        if not self._source.text:
            return links
        self._held += links
        return self._release() if len(self._held) > HELD_LIMIT else ()

    def _release(self) -> Iterator[Found]:
        held, self._held = self._held, []
        words = (self._words.pop(name, "") for name in ("title", "abstract"))
        text = " ".join(unescape(piece).strip() for piece in words).strip()
        for link in held:
            yield link._replace(text=text)


def _whole(text: str) -> int:
    """Return where the last tag, or end of a comment, begins that may not be whole yet."""
    start = text.rfind("<")
    token = _TOKEN.match(text, start) if start >= 0 else None
    if token is not None and token["text"] and len(text) - start <= TAG_LIMIT:
        return start
    dashes = 2 if text.endswith("--") else 1 if text.endswith("-") else 0
    return max(len(text) - dashes, 0 if token is None else token.end())
