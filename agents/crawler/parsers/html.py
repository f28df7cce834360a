"""Links of HTML: libxml2 tokenizes chunk by chunk, the tables of `html_rules` say what links."""

from agents.crawler.parsers.charset import PRESCAN, Decoder, declared
from agents.crawler.parsers.html_target import Target, finish, tokenizer
from agents.crawler.parsers.link import Link, Links

PARSE_LIMIT = 128 * 1024 * 1024  # bytes of one document that are searched for links


class HtmlParser:
    """Parses HTML, XHTML or SVG (see `agents.crawler.parsers.Parser`).

    Args:
        charset: of the Content-Type header, if any.
    """

    def __init__(self, charset: str | None = None) -> None:
        self._charset = charset
        self._target = Target(Links())
        self._prefix = b""
        self._decoder: Decoder | None = None
        self._as_it_is = False
        self._left = PARSE_LIMIT
        self._tokenizer = tokenizer(self._target)

    @property
    def links(self) -> list[Link]:
        """The links found so far."""
        return self._target.links.found

    @property
    def base(self) -> str:
        """What the first `base` element says."""
        return self._target.base

    @property
    def encoding(self) -> str:
        """The encoding of the document; final once closed."""
        return "utf-8" if self._decoder is None else self._decoder.encoding

    @property
    def truncated(self) -> bool:
        """Whether links may be missing."""
        target = self._target
        return self._left < 0 or target.truncated or target.links.truncated

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes."""
        self._left -= len(chunk)
        if self._left < 0:
            return
        if self._decoder is None:
            self._prefix += chunk
            if len(self._prefix) < PRESCAN:
                return
            chunk, self._prefix = self._prefix, b""
            self._begin(chunk)
        self._decode(chunk)

    def close(self) -> None:
        """Take the end."""
        if self._decoder is None:
            self._begin(self._prefix)
        self._decode(self._prefix, final=True)
        finish(self._tokenizer, self._target)

    def _begin(self, prefix: bytes) -> None:
        encoding = declared(prefix, self._charset)
        self._decoder = Decoder(encoding)
        # The tokenizer reads UTF-8 itself, malformed bytes too, and quicker.
        self._as_it_is = encoding == "utf-8"

    def _decode(self, chunk: bytes, final: bool = False) -> None:
        if not self._as_it_is:
            assert self._decoder is not None
            chunk = self._decoder.decode(chunk, final).encode("utf-8", "replace")
        if chunk:
            self._tokenizer.feed(chunk)
