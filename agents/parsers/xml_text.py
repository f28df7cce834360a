"""XML as it is written, mended so that a strict parser takes it.

The commonest fault is an ampersand of a URL written as it is, or an entity of HTML that XML has
not. Only the five entities of XML and references to characters are left standing, so that no
entity that a document declares is ever expanded: no "billion laughs".
"""

import re
from html.entities import html5

_FAULT = re.compile(
    r"&(?!(?:amp|lt|gt|quot|apos);|#[0-9]{1,7};|#x[0-9a-fA-F]{1,6};)(?:([a-zA-Z][a-zA-Z0-9]{1,30};))?+"
    r"|[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]"
)
_OPEN, _CLOSE = "<![CDATA[", "]]>"
_HOLD = 36  # characters in which the beginning of a reference may hide


class Mender:
    """Mends the text of one document, piece by piece."""

    def __init__(self) -> None:
        self._rest = ""
        self._verbatim = False  # whether within a CDATA section, where an ampersand is itself

    def feed(self, text: str, final: bool = False) -> str:
        """Return the mended text; what the next piece may change is kept until then."""
        text, mended, start = self._rest + text, [], 0
        while True:
            mark = _CLOSE if self._verbatim else _OPEN
            end = text.find(mark, start)
            if end < 0:
                break
            end += len(mark)
            mended.append(self._mended(text[start:end]))
            self._verbatim, start = not self._verbatim, end
        end = len(text) if final else self._safe(text, start, mark)
        mended.append(self._mended(text[start:end]))
        self._rest = text[end:]
        return "".join(mended)

    def _safe(self, text: str, start: int, mark: str) -> int:
        """Return where the last reference or mark that may go on begins."""
        end = len(text)
        for letter, length in (("&", _HOLD), (mark[0], len(mark))):
            found = text.rfind(letter, max(start, len(text) - length), end)
            end = found if found >= 0 else end
        return end

    def _mended(self, text: str) -> str:
        return _FAULT.sub(self._replaced, text)

    def _replaced(self, fault: re.Match[str]) -> str:
        if fault[0][0] != "&":
            return "\ufffd"
        if self._verbatim:
            return fault[0]
        character = html5.get(fault[1]) if fault[1] else None
        return "&amp;" + fault[0][1:] if character is None or character in "&<" else character
