"""Tags, comments and raw text of HTML, chunk by chunk, as the HTML standard's tokenizer finds them.

Regular expressions do the stepping. What can hold no link (text, end tags, start tags with plain
attributes only) is stepped over by one of them without a turn of Python, and that is nearly all of
a page. All quantifiers are possessive: the work is linear in the text.

Where the text of a document is wanted too, what is stepped over is told in one piece, and so are
the tags that begin or end what a reader of the text needs to know of.
"""

import re
from collections.abc import Generator, Iterator
from string import ascii_lowercase
from typing import Final

from agents.parsers.tags import ATTRIBUTE_NAME, NAME, SPACE

START: Final = "start"  # a start tag
ANCHOR: Final = "anchor"  # the start tag of an `a` that holds a plain link; only its URL is told
CLOSE: Final = "close"  # an end tag
PLAIN: Final = "plain"  # text, and tags within it that mean nothing by themselves
TEXT: Final = "text"  # a piece of the text of an element that holds no tags
END: Final = "end"  # the end of such an element
COMMENT: Final = "comment"  # a comment, or a processing instruction

TAG_LIMIT = 1024 * 1024  # characters of one tag; what is longer is dropped
COMMENT_LIMIT = 1024 * 1024  # characters of a comment that are kept

_RAW_NAMES = "script|style|textarea|title|xmp|iframe|noembed|noframes|plaintext"
_FOREIGN_NAMES = "svg|math"
_TEXT_NAMES = "a|template"  # what these hold is told apart where text is wanted
_VALUE = r""""[^"]*+"|'[^']*+'|[^\t\n\f\r >"'][^\t\n\f\r >]*+|(?=>)"""
# A name without `=` after it; else what follows must be a value, and a value's end may be missing.
_ATTRIBUTE = rf"{ATTRIBUTE_NAME}(?:{SPACE}*+={SPACE}*+(?:{_VALUE})|(?!{SPACE}*+=))"
_PLAIN_NAMES = (
    "class|id|name|rel|type|lang|dir|role|width|height|colspan|rowspan|align|valign|border|target"
    "|start|aria-[a-z]++|for|summary|cell(?:padding|spacing)|bgcolor|color|size|tabindex|scope"
    # of SVG
    "|d|[xy][12]?|[cr][xy]|r|points|fill|stroke(?:-[a-z]++)?|transform|viewBox|text-anchor|font-[a-z]++"
    "|dominant-baseline"
)
_TIPS = "|title|alt"  # plain, unless text is wanted


def _name_but(names: str) -> str:
    """Return an expression of names that begin with none of these; first letters decide fast."""
    rests: dict[str, list[str]] = {}
    for name in names.split("|"):
        rests.setdefault(name[0], []).append(name[1:])
    others = "".join(letter for letter in ascii_lowercase if letter not in rests)
    first = [f"[{others}{others.upper()}]"]
    for letter, ends in rests.items():
        first.append(f"[{letter}{letter.upper()}](?!(?i:{'|'.join(ends)}))")
    return f"(?:{'|'.join(first)})[a-zA-Z]*+[0-9]*+"


def _markup(anchor: str, plain_names: str, starts: str, ends: str) -> re.Pattern[str]:
    """Return an expression of what is plain, and of the markup after it if that is whole.

    Args:
        anchor: the tags that most links of the web are in.
        plain_names: attributes that hold nothing of interest.
        starts: elements whose start tags are never plain.
        ends: elements whose end tags are never plain.
    """
    # Declarations of style without a function that may take a URL are plain too.
    attribute = rf"""(?:(?:{plain_names})=(?:"[^"]*+"|'[^']*+')|href="\#[^"]*+"
        |style="(?:[^"(\\&]++|(?<=rgb)\(|(?<=rgba)\()*+")"""
    return re.compile(
        rf"""[^<]*+(?:<(?:
            /{_name_but(ends)}>
          | span(?:\ class="[^"]*+")?+>
          | {_name_but(starts)}(?:{SPACE}++{attribute})*+{SPACE}*+/?+>
          | (?=[^a-zA-Z/!?])
        )[^<]*+)*+(?P<markup>
            {anchor}
          | </?+(?P<name>{NAME})(?:[\t\n\f\r /]*+{_ATTRIBUTE})*+(?P<tail>[\t\n\f\r /]*+)>
          | <!--(?:-?+>|(?P<comment>(?=[^\->]|-[^>])))
          | <(?:!(?!--)|\?|/(?![a-zA-Z]))[^>]*+>
        )?+""",
        re.VERBOSE,
    )


_STARTS = f"{_RAW_NAMES}|{_FOREIGN_NAMES}|base"
# Nothing else in it means anything, its URL is no script, and needs no decoding.
_OTHERS = r"""(?:\ (?:class|id|title|rel|target|accesskey)=(?:"[^"]*+"|'[^']*+'))*+"""
_ANCHOR = rf"""<a{_OTHERS}
    \ href=(?P<quote>["'])(?P<url>(?![jJ\s])[^"'\#&<]++)(?:\#[^"'<]*+)?+(?P=quote){_OTHERS}>"""
_LINKS = _markup(_ANCHOR, _PLAIN_NAMES + _TIPS, _STARTS, _FOREIGN_NAMES)
_LINKS_AND_TEXT = _markup(
    r'<a(?:\ [a-z]++="[^"]*+")++>(?P<quote>)(?P<url>)',
    _PLAIN_NAMES,
    f"{_STARTS}|template",
    f"{_FOREIGN_NAMES}|{_TEXT_NAMES}",
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
_MET_LIMIT = 10_000  # tags and URLs remembered
_MET_LENGTH = 400  # characters of a tag that is remembered
_SPECIAL = _FOREIGN | frozenset(_RAW_NAMES.split("|"))
_HOLD = 16  # characters in which the beginning of an end may hide


Token = tuple[str, str, str]
"""What the tokenizer found: its kind, the name of the element, and text.

Names are in lower case, and empty for comments and plain text; the text is a whole tag, a URL, a
piece of raw text, a comment, or plain text as it is written.
"""


class Tokenizer:
    """Takes the text of a document, any way it is cut.

    Args:
        xml: whether elements may close themselves and CDATA sections occur, as in XHTML and SVG.
        text: whether plain text and end tags are told. Otherwise a start tag or URL that was met
            before, letter for letter, is not told again, for it links to nothing new.

    Attributes:
        truncated: whether a tag or a comment was dropped because of its length.
    """

    def __init__(self, xml: bool = False, text: bool = False) -> None:
        self.truncated = False
        self._text = text
        self._match = (_LINKS_AND_TEXT if text else _LINKS).match
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
                start, position = position, self._pass_script(text, position, final)
                yield (TEXT, "script", text[start:position])
                if not self._raw:
                    yield (END, "script", "")
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
        self._enough = 0 if self._raw else min(2 * len(text), TAG_LIMIT + 1)

    def _read_markup(self, text: str, position: int) -> Generator[Token, None, int]:
        """Read until raw text begins or the text ends; return where."""
        met, match, wanted = self._met, self._match, self._text
        while True:
            found = match(text, position)
            assert found is not None  # it may be empty
            markup, _, url, name, tail, comment = found.groups()
            start, position = position, found.end()
            if wanted:
                plain = text[start : position - len(markup or "")]
                if plain:
                    yield (PLAIN, "", plain)
            if markup is None:
                return position
            if url:
                if url not in met:
                    if len(met) < _MET_LIMIT and len(url) < _MET_LENGTH:
                        met.add(url)
                    yield (ANCHOR, "a", url)
            elif markup in met:
                pass
            elif url is not None:
                yield (START, "a", markup)
            elif name:
                yield from self._tag(name.lower(), markup, tail)
            elif comment is not None:
                self._raw = "!--"
            elif self._foreign and markup.startswith("<![CDATA["):
                self._raw = "![CDATA["
                position = found.start("markup") + len("<![CDATA[")
            elif markup[1] == "?":
                yield (COMMENT, "", markup[1:-1])
            if self._raw:
                return position

    def _tag(self, name: str, markup: str, tail: str) -> Iterator[Token]:
        if name in _SPECIAL:
            self._special(name, markup, tail)
        elif not self._text and len(self._met) < _MET_LIMIT and len(markup) < _MET_LENGTH:
            self._met.add(markup)
        if markup[1] != "/":
            yield (START, name, markup)
        elif self._text:
            yield (CLOSE, name, markup)

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
