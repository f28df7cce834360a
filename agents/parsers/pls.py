"""PLS playlists of Winamp and SHOUTcast (*INA §1.4.3*)."""

import re
from collections.abc import Iterable, Iterator

from agents.parsers.lines import LineParser
from agents.parsers.link import Found
from agents.parsers.parser import Extracts, Format, Source
from agents.parsers.playlist import played

ENTRY_LIMIT = 10_000  # streams of one playlist; more are told without their titles
_ENTRY = re.compile(r"\s*+(file|title)(\d{1,9})\s*+=(.*)", re.IGNORECASE | re.DOTALL)


class PlsParser(LineParser):
    """Parses `File1=…` and `Title1=…`; titles may come anywhere, so that links come at the end."""

    format = Format(
        "pls",
        ("audio/x-scpls", "audio/scpls", "application/pls+xml", "application/x-scpls"),
        (".pls",),
        (b"[playlist]", b"[Playlist]"),
        extracts=Extracts.LINKS | Extracts.LINK_TEXT,
    )

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._files: dict[int, str] = {}
        self._titles: dict[int, str] = {}

    def line(self, line: str) -> Iterable[Found]:
        """Remember what the line says of an entry."""
        found = _ENTRY.match(line)
        if found is None:
            return ()
        number, value = int(found[2]), found[3]
        if found[1].lower() == "title":
            if len(self._titles) < ENTRY_LIMIT and self.source.text:
                self._titles.setdefault(number, value)
        elif number in self._files or len(self._files) >= ENTRY_LIMIT:
            return played(value)
        else:
            self._files[number] = value
        return ()

    def end(self) -> Iterator[Found]:
        """Yield the streams with their titles."""
        for number, url in self._files.items():
            yield from played(url, self._titles.get(number, ""))
