r"""What the words of a text are, in any script.

A word is a run of letters with their marks; digits and punctuation are none. In scripts that put
no space between words (Chinese, Japanese, Thai…) each character counts as a word, so that what
takes runs of words takes runs of characters there. Words are cut into pieces of 40 letters: that
bounds each of them, whatever the text.
"""

import re
import unicodedata
from typing import Final

WORD_LIMIT: Final = 40  # letters

# Scripts without spaces: Thai, Lao, Burmese, Khmer, ideographs, kana.
UNSPACED: Final = (
    "\u0e01-\u0e4e\u0e81-\u0ece\u1000-\u103f\u1780-\u17d3\u2e80-\u2fdf\u3005-\u3007\u3041-\u3096"
    "\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\uff66-\uff9f\U00020000-\U0003fffd"
)
# Marks that belong to the letter before them, which `\w` leaves out: accents, points of Hebrew and
# Arabic, the vowels of the scripts of India, and the joiners that Persian and they use.
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u0711\u0730-\u074a\u0900-\u0903\u093a-\u0963\u0981-\u0983\u09bc-\u09e3"
    "\u0a01-\u0a03\u0a3c-\u0a51\u0a70-\u0a75\u0a81-\u0a83\u0abc-\u0ae3\u0b01-\u0b03\u0b3c-\u0b63"
    "\u0b82\u0bbe-\u0bd7\u0c00-\u0c04\u0c3c-\u0c63\u0c81-\u0c83\u0cbc-\u0ce3\u0d00-\u0d03"
    "\u0d3b-\u0d63\u0d81-\u0d83\u0dca-\u0df3\u200c\u200d"
)


def _pattern(letter: str) -> re.Pattern[str]:
    letters = rf"[^\W{letter}{UNSPACED}]"
    marks = f"[{_MARKS}]"
    return re.compile(
        rf"[{UNSPACED}]|{letters}{{1,{WORD_LIMIT}}}+(?:{marks}{{1,8}}+{letters}{{0,8}}+){{0,16}}+"
    )


_WORD = _pattern(r"\d_")  # letters only
_TOKEN = _pattern("_")  # letters and digits
# Beyond Latin-1, all but punctuation, signs, arrows and boxes, which hold no letters.
_BEYOND_LATIN = re.compile(
    "[^\0-\xff\u2010-\u2027\u2030-\u205e\u20a0-\u20bf\u2190-\u23ff\u2500-\u2775\ufeff\ufffd]"
)
_LATIN_LETTERS = bytes(ord(" ") if not _WORD.match(chr(code)) else code for code in range(256))
_ACCENT = re.compile("[\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670]")


def words(text: str) -> list[str]:
    """Return the words of a text in their order, in lower case, without digits."""
    if text.isascii() or not _BEYOND_LATIN.search(text):
        # Most texts by far: a table and a split do the same, three times as fast.
        written = text.lower().encode("latin-1", "replace").translate(_LATIN_LETTERS)
        found = written.decode("latin-1").split()
        if max(map(len, found), default=0) <= WORD_LIMIT:
            return found
    return _WORD.findall(unicodedata.normalize("NFC", text.lower()))


def folded(text: str) -> str:
    """Return the words and numbers of a text without case and accents, a space around each.

    Two texts that a reader takes for the same become the same: *Dépôt  légal,* and *depot legal*.
    """
    text = text.casefold()
    if not text.isascii():
        text = _ACCENT.sub("", unicodedata.normalize("NFKD", text))
    return " " + " ".join(_TOKEN.findall(text)) + " "
