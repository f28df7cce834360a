r"""Links of style sheets: `@import`, `url(…)`, `src(…)` and the strings of `image-set(…)`.

One regular expression steps over comments, strings, escapes and identifiers the way the tokenizer
of CSS Syntax Level 3 does, so that `url(` inside a string or at the end of `my-url(` is not taken
for one. Its quantifiers are possessive: it never goes back, and takes time linear in the text.
"""

import re
from collections.abc import Generator, Iterator

from agents.parsers.charset import Text
from agents.parsers.link import Found, component
from agents.parsers.parser import Format, Source

BUFFER_LIMIT = 1024 * 1024  # characters kept; only an image or font within a sheet is so long
_BREATH = 500  # tokens after which others get their turn

_NEWLINE = r"(?:\r\n|[\n\r\f])"
_SPACE = r"[ \t\n\r\f]"
_ESCAPE = rf"\\(?:[0-9a-f]{{1,6}}(?:\r\n|{_SPACE})?|[^\n\r\f0-9a-f])"
_DOUBLE = rf'"(?:[^"\\\n\r\f]++|{_ESCAPE}|\\{_NEWLINE}|\\\Z)*+'
_SINGLE = _DOUBLE.replace('"', "'")
_STRING = rf"""(?:{_DOUBLE}(?:"|\Z)|{_SINGLE}(?:'|\Z))"""
_BAD_STRING = f"(?:{_DOUBLE}|{_SINGLE})"  # the line ended before it did
_COMMENT = r"/\*(?:[^*]++|\*(?!/))*+(?:\*/|\Z)"
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
      | {_URL}\({_SPACE}*+(?!["'])(?P<bare>(?:[^"'()\\\s\x00-\x08\x0b\x0e-\x1f\x7f]++|{_ESCAPE})*+)
            (?:{_SPACE}*+(?P<whole>\)|\Z)|(?:[^)\\]|\\.)*+)
      | (?P<set>(?:-webkit-)?image-set\()
    )
  | @import(?!{_NAME}|\\){_GAP}(?P<imported>{_STRING})
  | @namespace(?!{_NAME}|\\)[^;{{}}]*+
  | {_ESCAPE}(?:{_NAME}|{_ESCAPE})*+
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_SET = re.compile(
    rf"(?:{_STRING}|{_COMMENT}|\((?:[^()\"']++|{_STRING})*+\)|[^\"'()/]++|[^)])*+\)",
    re.IGNORECASE | re.DOTALL,
)
_SET_MEMBER = re.compile(
    rf"(?P<string>{_STRING})|{_COMMENT}|\((?:[^()\"']|{_STRING})*+\)|(?P<end>\))|[^\"'()/]++|.",
    re.IGNORECASE | re.DOTALL,
)
_UNESCAPE = re.compile(
    rf"\\(?:([0-9a-f]{{1,6}})(?:\r\n|{_SPACE})?|({_NEWLINE}|\Z)|(.))", re.IGNORECASE | re.DOTALL
)


class Scanner:
    """Finds the URLs that a style sheet, or declarations of one, refers to, piece by piece.

    What may go on in the next piece is kept: the text from the last `;`, `{` or `}` on. Where
    there is none for `BUFFER_LIMIT` characters, what is kept is read as it stands.

    Attributes:
        truncated: whether that happened, so that a URL may be missing.
    """

    def __init__(self) -> None:
        self.truncated = False
        self._pieces: list[str] = []
        self._size = 0  # characters kept
        self._enough = 0  # characters at which to try again: twice those that were too few

    def feed(self, text: str, final: bool = False) -> Iterator[str]:
        """Yield the URLs in the next piece; one may come more than once.

        An empty one means nothing but that there was some work: it gives others their turn.
        """
        self._pieces.append(text)
        self._size += len(text)
        if self._size < self._enough and not final:
            return
        text, self._pieces = "".join(self._pieces), []
        if len(text) > BUFFER_LIMIT and not final:
            self.truncated = final = True
        rest = yield from _scan(text, final)
        self._pieces, self._size, self._enough = [text[rest:]], len(text) - rest, 0
        self._enough = 2 * self._size


def _scan(text: str, final: bool) -> Generator[str, None, int]:
    """Yield the URLs of a piece; return from where on it is to be read with the next."""
    safe = position = 0
    covered = 0  # end of the last image-set; one within another is part of it
    for count, token in enumerate(_TOKEN.finditer(text)):
        if count % _BREATH == 0:
            yield ""
        safe = _last_separator(text, position, token.start()) or safe
        position = token.end()
        if position == len(text) and not final:
            return safe
        string = token["quoted"] or token["imported"]
        if string is not None:
            yield _string_value(string)
        elif token["whole"] is not None and token["bare"]:
            yield _unescaped(token["bare"])
        elif token["set"] is not None and token.start() >= covered:
            whole = _SET.match(text, token.end())
            if whole is None and not final:
                return safe
            covered = len(text) if whole is None else whole.end()
            for member in _SET_MEMBER.finditer(text, token.end(), covered):
                if member["end"]:
                    break
                yield _string_value(member["string"] or "")
    return len(text) if final else _last_separator(text, position, len(text)) or safe


def _last_separator(text: str, start: int, end: int) -> int:
    """Return the place after the last separator between tokens, or 0."""
    return 1 + max(text.rfind(separator, start, end) for separator in ";{}")


def scan(text: str) -> Iterator[str]:
    """Yield the URLs that a whole style sheet, or declarations of one, refers to."""
    return filter(None, Scanner().feed(text, final=True))


def _string_value(string: str) -> str:
    closed = len(string) > 1 and string[-1] == string[0]
    return _unescaped(string[1:-1] if closed else string[1:])


def _unescaped(text: str) -> str:
    return _UNESCAPE.sub(_character, text) if "\\" in text else text


def _character(escape: re.Match[str]) -> str:
    if escape[1] is None:
        return escape[3] or ""
    code = int(escape[1], 16)
    return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"


class CssParser:
    """Parses a style sheet (see `agents.parsers.Parser`)."""

    format = Format("css", ("text/css",), (".css",))
    base = ""
    encoding = "utf-8"  # URLs of style sheets are always encoded so

    def __init__(self, source: Source) -> None:
        self._text = Text(source.charset, source.environment, source.url)
        self._scanner = Scanner()

    @property
    def truncated(self) -> bool:
        """Whether links may be missing."""
        return self._scanner.truncated

    def feed(self, chunk: bytes) -> Iterator[Found]:
        """Yield the links in the next bytes."""
        return self._links(self._text.feed(chunk))

    def close(self) -> Iterator[Found]:
        """Yield the last links."""
        return self._links(self._text.close(), final=True)

    def _links(self, text: str, final: bool = False) -> Iterator[Found]:
        for url in self._scanner.feed(text, final):
            yield from component(url) or (None,)
