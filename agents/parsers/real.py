"""RealPlayer's metafiles, RAM and RPM: a URL a line (*INA §1.4.3*).

Recordings (RM) come under the same media types; what they hold is no text, and gives no links.
"""

import re
from collections.abc import Iterable, Iterator

from agents.parsers.lines import LineParser
from agents.parsers.link import Found
from agents.parsers.parser import Format
from agents.parsers.playlist import played

_RECORDINGS = (b".RMF", b".ra\xfd")
_URL = re.compile(r"[^\s\x00-\x1f\ufffd]++")
_MEDIUM = re.compile(r"\.(?:r[amvp]|rmvb|rt|rp|smil?|swf|mp[34g]|mov|wav|au|aiff?)(?:\?|\Z)", re.I)


class RealParser(LineParser):
    """Parses a list of streams, which ends with `--stop--`."""

    format = Format(
        "real",
        ("audio/x-pn-realaudio", "audio/x-pn-realaudio-plugin", "audio/vnd.rn-realaudio",
         "application/vnd.rn-realmedia", "application/x-pn-realmedia"),
        (".ram", ".rpm"),
    )  # fmt: skip
    _ended = False
    _beginning = b""

    def feed(self, chunk: bytes) -> Iterator[Found]:
        """Yield what is in the lines that end in the next bytes."""
        self._beginning += chunk[: 4 - len(self._beginning)]
        self._ended = self._ended or self._beginning in _RECORDINGS
        return super().feed(chunk)

    def line(self, line: str) -> Iterable[Found]:
        """Return the stream of a line."""
        line = line.strip()
        self._ended = self._ended or line == "--stop--"
        if self._ended or not line or line[0] in "#<" or _URL.fullmatch(line) is None:
            return ()
        return played(line) if "://" in line or _MEDIUM.search(line) else ()
