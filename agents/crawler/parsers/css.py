r"""Links of style sheets: `@import`, `url(…)`, `src(…)` and the strings of `image-set(…)`.

One regular expression steps over comments, strings, escapes and identifiers the way the tokenizer
of CSS Syntax Level 3 does, so that `url(` inside a string or at the end of `my-url(` is not taken
for one. Its quantifiers are possessive: it never goes back, and takes time linear in the text.
"""

import re
from collections.abc import Generator, Iterator

from agents.crawler.parsers.charset import PRESCAN, Decoder, declared
from agents.crawler.parsers.link import Link, Links

BUFFER_LIMIT = 4 * 1024 * 1024  # characters scanned at once; few sheets are longer

_NEWLINE = r"(?:\r\n|[\n\r\f])"
_SPACE = r"[ \t\n\r\f]"
_ESCAPE = rf"\\(?:[0-9a-f]{{1,6}}(?:\r\n|{_SPACE})?|[^\n\r\f0-9a-f])"
_DOUBLE = rf'"(?:[^"\\\n\r\f]|{_ESCAPE}|\\{_NEWLINE}|\\\Z)*+'
_SINGLE = _DOUBLE.replace('"', "'")
_STRING = rf"""(?:{_DOUBLE}(?:"|\Z)|{_SINGLE}(?:'|\Z))"""
_BAD_STRING = f"(?:{_DOUBLE}|{_SINGLE})"  # the line ended before it did
_COMMENT = r"/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z)"
_NAME = r"[\w\-\x80-\U0010ffff]"
_GAP = f"(?:{_SPACE}|{_COMMENT})*+"


def _letter(letter: str) -> str:
    """Return a regular expression of a letter as itself or escaped."""
    plain = letter if letter in "abcdef" else r"\\?" + letter  # \a … \f are numbers of characters
    codes = f"{ord(letter):x}|{ord(letter.upper()):x}"
    return rf"(?:{plain}|\\0{{0,4}}(?:{codes})(?:\r\n|{_SPACE})?)"


_URL = "".join(map(_letter, "url"))
_SRC = "".join(map(_letter, "src"))
_TOKEN = re.compile(
    rf"""
    {_COMMENT}
  | {_STRING}
  | {_BAD_STRING}
  | (?<!{_NAME})(?<![\#@])(?:
        (?:{_URL}\({_SPACE}*+|{_SRC}\({_GAP})(?P<quoted>{_STRING})
      | {_URL}\({_SPACE}*+(?!["'])(?P<bare>(?:[^"'()\\\s\x00-\x08\x0b\x0e-\x1f\x7f]|{_ESCAPE})*+)
            (?:{_SPACE}*+(?P<whole>\)|\Z)|(?:[^)\\]|\\.)*+)
      | (?P<set>(?:-webkit-)?image-set\()
    )
  | @import(?!{_NAME}|\\){_GAP}(?P<imported>{_STRING})
  | @namespace(?!{_NAME}|\\)[^;{{}}]*+
  | {_ESCAPE}(?:{_NAME}|{_ESCAPE})*+
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_SET_MEMBER = re.compile(
    rf"(?P<string>{_STRING})|{_COMMENT}|\((?:[^()\"']|{_STRING})*+\)|(?P<end>\))|[^\"'()/]++|.",
    re.IGNORECASE | re.DOTALL,
)
_UNESCAPE = re.compile(
    rf"\\(?:([0-9a-f]{{1,6}})(?:\r\n|{_SPACE})?|({_NEWLINE}|\Z)|(.))", re.IGNORECASE | re.DOTALL
)


def scan(text: str) -> Iterator[str]:
    """Yield the URLs that a style sheet, or declarations of one, refers to."""
    covered = 0  # end of the last image-set; one within another is part of it
    for token in _TOKEN.finditer(text):
        string = token["quoted"] or token["imported"]
        if string is not None:
            yield from _string_value(string)
        elif token["whole"] is not None and token["bare"]:
            yield _unescaped(token["bare"])
        elif token["set"] is not None and token.start() >= covered:
            covered = yield from _set_members(text, token.end())


def _set_members(text: str, start: int) -> Generator[str, None, int]:
    """Yield the strings of an `image-set(`, whose `url(` are found as any other; return its end."""
    for member in _SET_MEMBER.finditer(text, start):
        if member["end"]:
            return member.end()
        if member["string"]:
            yield from _string_value(member["string"])
    return len(text)


def _string_value(string: str) -> Iterator[str]:
    closed = len(string) > 1 and string[-1] == string[0]
    value = _unescaped(string[1:-1] if closed else string[1:])
    if value:
        yield value


def _unescaped(text: str) -> str:
    return _UNESCAPE.sub(_character, text) if "\\" in text else text


def _character(escape: re.Match[str]) -> str:
    if escape[1] is None:
        return escape[3] or ""
    code = int(escape[1], 16)
    return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"


class CssParser:
    """Parses a style sheet (see `agents.crawler.parsers.Parser`).

    It gathers the sheet before it scans it, as sheets are small; one longer than `BUFFER_LIMIT`
    is scanned in parts, and a link across two parts may be missed.

    Args:
        charset: of the Content-Type header, if any.
        environment: the encoding of the document that includes the sheet, if any.
    """

    base = ""

    def __init__(self, charset: str | None = None, environment: str | None = None) -> None:
        self._charset = charset
        self._environment = environment or "utf-8"
        self._links = Links()
        self._prefix = b""
        self._decoder: Decoder | None = None
        self._parts: list[str] = []
        self._size = 0
        self._too_long = False

    @property
    def links(self) -> list[Link]:
        """The links found; complete once closed."""
        return self._links.found

    @property
    def encoding(self) -> str:
        """URLs of style sheets are always encoded as UTF-8."""
        return "utf-8"

    @property
    def truncated(self) -> bool:
        """Whether links may be missing."""
        return self._too_long or self._links.truncated

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes."""
        if self._decoder is None:
            self._prefix += chunk
            if len(self._prefix) < PRESCAN:
                return
            chunk, self._prefix = self._prefix, b""
            self._start(chunk)
        self._gather(chunk)

    def close(self) -> None:
        """Take the end, and scan what has been gathered."""
        if self._decoder is None:
            self._start(self._prefix)
        self._gather(self._prefix, final=True)
        self._scan()

    def _start(self, prefix: bytes) -> None:
        self._decoder = Decoder(declared(prefix, self._charset, self._environment))

    def _gather(self, chunk: bytes, final: bool = False) -> None:
        if self._decoder is None:  # pragma: no cover - callers start it first
            return
        text = self._decoder.decode(chunk, final)
        self._parts.append(text)
        self._size += len(text)
        if self._size > BUFFER_LIMIT:
            self._too_long = True
            self._scan()

    def _scan(self) -> None:
        text = "".join(self._parts)
        self._parts, self._size = [], 0
        for url in scan(text):
            self._links.component(url)
