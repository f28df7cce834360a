"""Links of HTML, chunk by chunk: the tokenizer finds elements, `html_elements` what they link."""

from collections.abc import Iterator

from agents.parsers.charset import Text
from agents.parsers.html_elements import Elements
from agents.parsers.html_text import TextElements
from agents.parsers.link import Found
from agents.parsers.parser import EVERYTHING, Format, Source

PARSE_LIMIT = 128 * 1024 * 1024  # bytes of one document that are searched for links


class HtmlParser:
    """Parses HTML (see `agents.parsers.Parser`)."""

    format = Format("html", ("text/html",), (".html", ".htm"), extracts=EVERYTHING)
    xml = False

    def __init__(self, source: Source) -> None:
        self._text = Text(source.charset, source.environment, source.url)
        self._elements = TextElements(self.xml) if source.text else Elements(self.xml)
        self._left = PARSE_LIMIT

    @property
    def base(self) -> str:
        """What the first `base` element says."""
        return self._elements.base

    @property
    def encoding(self) -> str:
        """The encoding of the document; final once closed."""
        return self._text.encoding

    @property
    def truncated(self) -> bool:
        """Whether links may be missing."""
        return self._left < 0 or self._elements.truncated

    def feed(self, chunk: bytes) -> Iterator[Found]:
        """Yield the links in the next bytes."""
        self._left -= len(chunk)
        if self._left < 0:
            return iter(())
        return self._elements.feed(self._text.feed(chunk))

    def close(self) -> Iterator[Found]:
        """Yield the last links."""
        return self._elements.feed(self._text.close(), final=True)


class XmlParser(HtmlParser):
    """Parses XHTML and SVG, in which elements may close themselves."""

    format = Format(
        "xhtml",
        ("application/xhtml+xml", "image/svg+xml"),
        (".xhtml", ".svg"),
        extracts=EVERYTHING,
    )
    xml = True
