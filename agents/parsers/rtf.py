r"""Links and text of RTF: fields, and the hyperlinks of shapes.

A document is text, control words as `\par` or `\u8364`, and groups in braces; what a control word
changes holds to the end of its group. The reader is a state machine with a bounded state and takes
a document cut anywhere; each byte is looked at a bounded number of times.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from agents.parsers import rtf_words as words
from agents.parsers.fields import Fields
from agents.parsers.link import Found, page
from agents.parsers.parser import Extracts, Format, Source

PARSE_LIMIT = 128 * 1024 * 1024  # bytes of one document that are read
DEPTH_LIMIT = 10_000  # groups within each other; deeper ones change nothing
FONT_LIMIT = 10_000
URL_LIMIT = 16 * 1024  # characters
_PIECE = 32 * 1024  # bytes of text that are put to their purpose at once
_BREATH = 200  # tokens after which others get their turn

_TOKEN = re.compile(
    rb"""
    (?P<text>[^\\{}]++)
  | (?P<brace>[{}])
  | \\(?P<word>[a-zA-Z]{1,32}+)(?P<number>-?+[0-9]{1,10}+)?+\x20?+
  | \\'(?P<hex>[0-9a-fA-F]{2})
  | \\(?P<symbol>[^a-zA-Z'])
  | \\'(?=[0-9a-fA-F]?+[^0-9a-fA-F])
    """,
    re.VERBOSE,
)
_LINE_ENDS = b"\r\n"  # no part of the text

SHOWN: Final = "shown"  # text of the document
HIDDEN: Final = "hidden"  # data that no one reads
INSTRUCTION: Final = "instruction"  # of a field
TARGET: Final = "target"  # of the hyperlink of a shape
BASE: Final = "base"  # of all links
FONTS: Final = "fonts"  # the table of fonts


class _Group(NamedTuple):
    """What holds within a group.

    Attributes:
        purpose: of its text.
        codec: of its bytes.
        substitutes: characters behind each `\\u`, for readers that do not know it.
        field: whether a field ends with it.
    """

    purpose: str = SHOWN
    codec: str = "cp1252"
    substitutes: int = 1
    field: bool = False


_PURPOSES = {
    **dict.fromkeys(words.HIDDEN, HIDDEN),
    "fldinst": INSTRUCTION,
    "hlsrc": TARGET,
    "hlinkbase": BASE,
    "fonttbl": FONTS,
    "shptxt": SHOWN,
}
_WITH_MEANING = frozenset(
    word.encode()
    for word in (
        *_PURPOSES, *words.CHARACTERS, *words.DEFAULTS,
        "u", "uc", "field", "fldrslt", "bin", "f", "fcharset", "plain", "ansicpg",
    )
)  # fmt: skip


class RtfParser:
    """Parses RTF (see `agents.parsers.Parser`)."""

    format = Format(
        "rtf",
        ("application/rtf", "text/rtf", "application/x-rtf"),
        (".rtf",),
        (b"{\\rtf",),
        Extracts.LINKS | Extracts.LINK_TEXT | Extracts.TEXT,
    )
    encoding = "utf-8"

    def __init__(self, source: Source) -> None:
        self.truncated = False
        self.base = ""
        self._wanted = source.text
        self._left = PARSE_LIMIT
        self._rest = b""  # a token that may go on
        self._binary = 0  # bytes that follow and are no text
        self._group = _Group()
        self._outer: list[_Group] = []
        self._deeper = 0  # groups opened beyond the limit
        self._starred = False  # whether the next word may be one to pass over with its group
        self._fields = Fields(source.text)
        self._fonts: dict[int, str] = {}
        self._font = 0  # the one that the table is about
        self._default = "cp1252"
        self._bytes = bytearray()  # text not decoded yet
        self._text: list[str] = []  # text decoded and not put to its purpose yet
        self._substitutes = 0  # characters to leave out, after one of Unicode
        self._target = ""

    def feed(self, chunk: bytes) -> Iterator[Found]:
        """Yield the links and the text in the next bytes."""
        self._left -= len(chunk)
        if self._left < 0:
            self.truncated = True
            return iter(())
        return self._read(chunk, final=False)

    def close(self) -> Iterator[Found]:
        """Yield the last of them."""
        yield from self._read(b"", final=True)
        yield from self._flush()
        yield from self._fields.close()
        yield from page(self._target)

    def _read(self, chunk: bytes, final: bool) -> Iterator[Found]:
        data, position, count = self._rest + chunk, 0, 0
        while position < len(data):
            if self._binary:
                passed = min(self._binary, len(data) - position)
                position, self._binary = position + passed, self._binary - passed
                continue
            found = _TOKEN.match(data, position)
            if found is None or (found["word"] and not final and _may_go_on(data, found.end())):
                break
            position = found.end()
            count += 1
            if count % _BREATH == 0:
                yield None
            if not self._plain(found):
                yield from self._take(found)
            if len(self._bytes) > _PIECE or len(self._text) > _PIECE:
                yield from self._flush()
        self._rest = b"" if final else data[position:]

    def _plain(self, token: re.Match[bytes]) -> bool:
        """Take text, or a word without a meaning here; tell whether the token was one."""
        if token.lastgroup == "text":
            self._add(token[0].translate(None, _LINE_ENDS))
            return True
        if token["word"] is None or self._starred or token["word"] in _WITH_MEANING:
            return False
        self._substitutes = 0
        return True

    def _take(self, token: re.Match[bytes]) -> Iterator[Found]:
        kind = token.lastgroup
        if kind == "hex":
            self._add(bytes([int(token["hex"], 16)]))
        elif kind == "symbol":
            yield from self._symbol(token["symbol"])
        elif kind == "brace":
            yield from self._flush()
            self._substitutes = 0
            yield from self._open() if token[0] == b"{" else self._close()
        elif kind is not None:
            yield from self._word(token["word"].decode(), int(token["number"] or -1))

    def _add(self, text: bytes) -> None:
        """Take bytes of text, but for those that stand for a character already taken."""
        left_out = min(self._substitutes, len(text))
        self._substitutes -= left_out
        if self._group.purpose not in (HIDDEN, FONTS):
            self._bytes += text[left_out:]

    def _add_character(self, character: str) -> None:
        if self._group.purpose not in (HIDDEN, FONTS):
            self._decode()
            self._text.append(character)

    def _decode(self) -> None:
        if self._bytes:
            self._text.append(self._bytes.decode(self._group.codec, "replace"))
            self._bytes.clear()

    def _flush(self) -> Iterator[str]:
        """Put text to its purpose."""
        self._decode()
        text, self._text = "".join(self._text), []
        if not text:
            return
        if not text.isascii():  # \u gives the two halves of some characters each by itself
            text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        purpose = self._group.purpose
        if purpose in (SHOWN, INSTRUCTION):
            self._fields.add(text)
            if self._wanted and purpose == SHOWN and self._fields.printed:
                yield text
        elif purpose == TARGET:
            self._target = (self._target + text)[:URL_LIMIT]
        elif purpose == BASE:
            self.base = (self.base + text)[:URL_LIMIT].strip()

    def _open(self) -> Iterator[Found]:
        self._starred = False
        if len(self._outer) < DEPTH_LIMIT:
            self._outer.append(self._group)
            self._group = self._group._replace(field=False) if self._group.field else self._group
        else:
            self._deeper += 1
        return iter(())

    def _close(self) -> Iterator[Found]:
        if self._deeper or not self._outer:
            self._deeper = max(0, self._deeper - 1)
            return
        group, self._group = self._group, self._outer.pop()
        if group.field:
            yield from self._fields.end()
        if group.purpose == TARGET != self._group.purpose:
            url, self._target = self._target, ""
            yield from page(url.strip())

    def _symbol(self, symbol: bytes) -> Iterator[Found]:
        if symbol == b"*":
            self._starred = True
        elif symbol in b"\r\n":
            yield from self._word("par", -1)
        elif symbol in words.SYMBOLS:
            self._add_character(words.SYMBOLS[symbol])

    def _word(self, word: str, number: int) -> Iterator[Found]:
        starred, self._starred = self._starred, False
        if word == "u":
            self._unicode(number)
            return
        yield from self._flush()
        self._substitutes = 0
        purpose = _PURPOSES.get(word, HIDDEN if starred and word not in words.TRANSPARENT else "")
        if purpose:
            self._group = self._group._replace(purpose=purpose)
        elif word in words.CHARACTERS:
            self._add_character(words.CHARACTERS[word])
        elif word == "field":
            self._fields.begin()
            self._group = self._group._replace(field=True)
        elif word == "fldrslt":
            self._fields.separate()
        elif word == "bin":
            self._binary = max(0, number)
        else:
            self._charset(word, number)

    def _unicode(self, number: int) -> None:
        self._add_character(chr(number & 0xFFFF))
        self._substitutes = self._group.substitutes

    def _charset(self, word: str, number: int) -> None:
        """Take note of a word that says how bytes are read."""
        group = self._group
        if word == "uc":
            self._group = group._replace(substitutes=min(max(0, number), 16))
        elif word == "fcharset" and len(self._fonts) < FONT_LIMIT:
            self._fonts[self._font] = words.CODECS.get(number, "")
        elif word == "f" and group.purpose == FONTS:
            self._font = number
        elif word == "f":
            self._group = group._replace(codec=self._fonts.get(number) or self._default)
        elif word == "plain":
            self._group = group._replace(codec=self._default)
        elif word in words.DEFAULTS or word == "ansicpg":
            self._default = words.DEFAULTS.get(word) or words.codec(number)
            self._group = group._replace(codec=self._default)


def _may_go_on(data: bytes, end: int) -> bool:
    """Tell whether a word, or the number behind it, may go on in the next chunk."""
    return end >= len(data) - 1 and data[end:] in (b"", b"-")
