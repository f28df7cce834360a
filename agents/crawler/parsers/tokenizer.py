"""Tags, comments and raw text of HTML, chunk by chunk, as the HTML standard's tokenizer finds them.

Regular expressions do the stepping. What can hold no link (text, end tags, start tags with plain
attributes only) is stepped over by one of them without a turn of Python, and that is nearly all of
a page. All quantifiers are possessive: the work is linear in the text.
"""

import re
from collections.abc import Generator, Iterator
from typing import Final

from agents.crawler.parsers.tags import ATTRIBUTE_NAME, NAME, SPACE

START: Final = "start"  # a start tag
TEXT: Final = "text"  # a piece of the text of an element that holds no tags
END: Final = "end"  # the end of such an element
COMMENT: Final = "comment"  # a comment, or a processing instruction

TAG_LIMIT = 1024 * 1024  # characters of one tag; what is longer is dropped
COMMENT_LIMIT = 1024 * 1024  # characters of a comment that are kept

_RAW_NAMES = "script|style|textarea|title|xmp|iframe|noembed|noframes|plaintext"
_FOREIGN_NAMES = "svg|math"
# The same names and `base`, by their first letters, which is quicker to rule out.
_OTHER_RULES = (
    "(?:[sS](?i:cript|tyle|vg)|[tT](?i:extarea|itle)|[xX](?i:mp)|[iI](?i:frame)"
    "|[nN](?i:oembed|oframes)|[pP](?i:laintext)|[mM](?i:ath)|[bB](?i:ase))"
)
_VALUE = r""""[^"]*+"|'[^']*+'|[^\t\n\f\r >"'][^\t\n\f\r >]*+|(?=>)"""
# A name without `=` after it; else what follows must be a value, and a value's end may be missing.
_ATTRIBUTE = rf"{ATTRIBUTE_NAME}(?:{SPACE}*+={SPACE}*+(?:{_VALUE})|(?!{SPACE}*+=))"
_PLAIN_ATTRIBUTE = r"""(?:
    (?:class|id|name|title|alt|rel|type|lang|dir|role|width|height|colspan|rowspan|align|valign
      |border|target|start|aria-[a-z]++)="[^"]*+"
  | href="\#[^"]*+"
)"""
_PLAIN = rf"""(?:
    [^<]++
  | </(?!(?:[sS](?i:vg)|[mM](?i:ath))\b)[a-zA-Z][a-zA-Z0-9]*+>
  | <(?!{_OTHER_RULES}\b)[a-zA-Z][a-zA-Z0-9]*+
    (?:{SPACE}++{_PLAIN_ATTRIBUTE})*+{SPACE}*+/?+>
  | <(?=[^a-zA-Z/!?])
)*+"""
# What is plain, and the markup after it if that is whole.
_MARKUP = re.compile(
    rf"""{_PLAIN}(?P<markup>
    </?+(?P<name>{NAME})(?:[\t\n\f\r /]*+{_ATTRIBUTE})*+(?P<tail>[\t\n\f\r /]*+)>
  | <!--(?:-?+>|(?P<comment>(?=[^\->]|-[^>])))
  | <(?:!(?!--)|\?|/(?![a-zA-Z]))[^>]*+>
    )?+""",
    re.VERBOSE,
)
_SCRIPT = re.compile(r"<!(?=--)|-->|<script(?=[\t\n\f\r />])|</script(?=[\t\n\f\r />])", re.I)
_ENDS = {
    name: re.compile(rf"</{name}(?=[\t\n\f\r />])", re.I)
    for name in _RAW_NAMES.split("|")
    if name not in ("script", "plaintext")
}
_ENDS["plaintext"] = re.compile(r"(?!)")
_ENDS["!--"] = re.compile(r"--!?+>")
_ENDS["![CDATA["] = re.compile(r"\]\]>")
_FOREIGN = frozenset(_FOREIGN_NAMES.split("|"))
_MET_LIMIT = 10_000  # tags remembered
_MET_LENGTH = 400  # characters of a tag that is remembered
_SPECIAL = _FOREIGN | frozenset(_RAW_NAMES.split("|"))
_HOLD = 16  # characters in which the beginning of an end may hide


Token = tuple[str, str, str]
"""What the tokenizer found: its kind, the name of the element, and text.

Names are in lower case, and empty for comments; the text is a whole start tag, a piece of raw text,
or a comment.
"""


class Tokenizer:
    """Takes the text of a document, any way it is cut.

    A start tag that was met before, letter for letter, is not told again, for it links to
    nothing new.

    Args:
        xml: whether elements may close themselves and CDATA sections occur, as in XHTML and SVG.

    Attributes:
        truncated: whether a tag or a comment was dropped because of its length.
    """

    def __init__(self, xml: bool = False) -> None:
        self.truncated = False
        self._foreign = int(xml)  # open elements in which XML's rules are followed
        self._pieces: list[str] = []  # text not read yet
        self._size = 0  # characters of them
        self._enough = 0  # characters at which to try again: twice those that were too few
        self._raw = ""  # the element whose end is looked for, or the beginning of a comment
        self._hidden = 0  # of a script: 1 within <!-- -->, 2 within <script> therein
        self._comment: list[str] = []
        self._comment_size = 0
        self._met: set[str] = set()

    def feed(self, text: str, final: bool = False) -> Iterator[Token]:
        """Yield the tokens that end in the next piece of the text."""
        self._pieces.append(text)
        self._size += len(text)
        if self._size < self._enough and not final:
            return
        text, position, before = "".join(self._pieces), 0, None
        while (position, self._raw) != before:
            before = position, self._raw
            if not self._raw:
                position = yield from self._read_markup(text, position)
            elif self._raw == "script":
                position = self._pass_script(text, position, final)
            else:
                position = yield from self._read_raw(text, position, final)
        self._keep(text[position:])
        if final and self._raw:
            yield self._end()

    def _keep(self, text: str) -> None:
        """Keep what is to be read together with what follows."""
        if len(text) > TAG_LIMIT:
            text, self.truncated = "", True
        self._pieces, self._size = [text], len(text)
        self._enough = 0 if self._raw else 2 * len(text)

    def _read_markup(self, text: str, position: int) -> Generator[Token, None, int]:
        """Read until raw text begins or the text ends; return where."""
        met, match = self._met, _MARKUP.match
        while True:
            found = match(text, position)
            assert found is not None  # it may be empty
            markup, name, tail, comment = found.groups()
            position = found.end()
            if markup is None:
                return position
            if markup in met:
                continue
            if name:
                name = name.lower()
                if name in _SPECIAL:
                    self._special(name, markup, tail)
                elif len(met) < _MET_LIMIT and len(markup) < _MET_LENGTH:
                    met.add(markup)
                if markup[1] != "/":
                    yield (START, name, markup)
            elif comment is not None:
                self._raw = "!--"
            elif self._foreign and markup.startswith("<![CDATA["):
                self._raw = "![CDATA["
                position = found.start("markup") + len("<![CDATA[")
            elif markup[1] == "?":
                yield (COMMENT, "", markup[1:-1])
            if self._raw:
                return position

    def _special(self, name: str, markup: str, tail: str) -> None:
        """Take note of a tag after which other rules hold."""
        end = markup[1] == "/"
        closed = end or "/" in tail
        if name in _FOREIGN:
            if end:
                self._foreign = max(0, self._foreign - 1)
            elif not closed:
                self._foreign += 1
        elif not end and not (closed and self._foreign):
            self._raw, self._hidden = name, 0

    def _read_raw(self, text: str, position: int, final: bool) -> Generator[Token, None, int]:
        """Read what is not markup up to its end; return where that is, or where to go on."""
        found = _ENDS[self._raw].search(text, position)
        if found is None:
            stop = len(text) if final else max(position, len(text) - _HOLD)
            yield from self._piece(text[position:stop])
            return stop
        yield from self._piece(text[position : found.start()])
        yield self._end()
        return found.start() if found[0].startswith("</") else found.end()

    def _piece(self, text: str) -> Iterator[Token]:
        if self._raw != "!--":
            yield (TEXT, self._raw, text)
            return
        self._comment_size += len(text)
        if self._comment_size > COMMENT_LIMIT:
            self._comment.clear()
            self.truncated = True
        else:
            self._comment.append(text)

    def _end(self) -> Token:
        name, self._raw = self._raw, ""
        if name != "!--":
            return (END, name, "")
        comment, self._comment, self._comment_size = "".join(self._comment), [], 0
        return (COMMENT, "", comment)

    def _pass_script(self, text: str, position: int, final: bool) -> int:
        """Step over a script, in which `</script>` may be hidden; return where to go on."""
        for found in _SCRIPT.finditer(text, position):
            position = found.end()
            mark = found[0].lower()
            if mark == "-->":
                self._hidden = 0
            elif mark == "<!":
                self._hidden = self._hidden or 1
            elif mark == "<script":
                self._hidden = 2 if self._hidden else 0
            elif self._hidden == 2:
                self._hidden = 1
            else:
                self._raw = ""
                return found.start()
        return len(text) if final else max(position, len(text) - _HOLD)
