"""Reading playlists, within limits. Pure.

A playlist is from the web: a line that makes no sense is passed over, and what passes a limit is
left out, so that one slip of a packager does not silence a channel.
"""

from collections.abc import Callable, Mapping
from typing import TypeVar
from urllib.parse import parse_qsl, urlsplit

from attrs import define, evolve, field

from anet.media.errors import NotAStream
from anet.media.hls.lines import attributes, byte_range, filled, moment, number, resource, seconds
from anet.media.hls.playlist import (
    Control,
    DateRange,
    Entry,
    Key,
    Kind,
    Master,
    Media,
    Part,
    Rendition,
    Variant,
)
from anet.media.segments import Resource

ENTRY_LIMIT = 2000  # segments of a playlist; of more, the last ones
PART_LIMIT = 100  # parts of a segment
PARTED = 20  # segments of which parts are told: the last ones
LIST_LIMIT = 200  # variants, renditions, spans of time…; of more, the last ones
KEY_LIMIT = 4  # keys of a segment
LINE_LIMIT = 16 * 1024  # characters of a line; a longer one is passed over
URL_LIMIT = 8192  # characters
VARIABLE_LIMIT = 100
LONGEST_TARGET = 3600.0  # seconds

_HEADER = "#EXTM3U"
_Found = TypeVar("_Found")
_KINDS: dict[str, Kind] = {"EVENT": "event", "VOD": "vod"}


def read_playlist(body: bytes, url: str, variables: Mapping[str, str] | None = None) -> "Playlist":
    """Return what a playlist says.

    Args:
        body: as received, without content coding.
        url: that it came from, of which `EXT-X-DEFINE` may use a parameter.
        variables: of the master playlist, which it may import.

    Raises:
        NotAStream: it is no playlist of HLS.
    """
    text = body.decode("utf-8", "replace").lstrip("\ufeff")
    if not text.startswith(_HEADER):
        raise NotAStream(f"it does not begin with {_HEADER}")
    reader = _Reader(url, dict(variables or {}))
    for line in text.split("\n"):
        line = line.strip()
        if line and len(line) <= LINE_LIMIT:
            reader.line(line)
    return reader.playlist()


Playlist = Master | Media


@define
class _Next:
    """What lines said of the segment whose URL comes."""

    duration: float | None = None
    title: str = ""
    span: tuple[int, int | None] | None = None
    date: float | None = None
    discontinuity: bool = False
    gap: bool = False
    parts: list[Part] = field(factory=list)


class _Reader:
    """Takes one line after another."""

    def __init__(self, url: str, variables: dict[str, str]) -> None:
        self._url, self._imported = url, variables
        self._variables: dict[str, str] = {}
        self._variants: list[Variant] = []
        self._renditions: list[Rendition] = []
        self._session_keys: list[Key] = []
        self._awaited: dict[str, str] | None = None  # the attributes of a variant without its URL
        self._entries: list[Entry] = []
        self._left_out = 0
        self._next = _Next()
        self._keys: tuple[Key, ...] = ()
        self._map: Resource | None = None
        self._clock: float | None = None  # the date at the end of the last segment
        self._end = ("", 0)  # of the last range: URL, and the byte after it
        self._target: float | None = None
        self._said: dict[str, str] = {}  # tags that stand for the whole, by name
        self._ranges: list[DateRange] = []
        self._hints: list[Resource] = []
        self._reports: list[dict[str, str]] = []

    def line(self, line: str) -> None:
        """Take a line."""
        if not line.startswith("#"):
            self._link(filled(line, self._variables))
        elif line.startswith("#EXTINF:"):
            duration, _, self._next.title = line[8:].partition(",")
            self._next.duration = seconds(duration)
        elif line.startswith("#EXT-X-"):
            name, _, value = line[7:].partition(":")
            read = _TAGS.get(name)
            if read is not None:
                read(self, filled(value, self._variables))
            elif name in _WHOLE:
                self._said.setdefault(name, value)

    def playlist(self) -> Playlist:
        """Return what was read.

        Raises:
            NotAStream: it lists neither variants nor segments.
        """
        if self._variants or (self._renditions and self._target is None):
            return Master(self._variants, self._renditions, self._session_keys, self._variables)
        if self._target is None and not self._entries:
            raise NotAStream("it lists neither segments nor variants")
        self._leave_out()
        self._entries[:-PARTED] = [
            evolve(entry, parts=()) if entry.parts else entry for entry in self._entries[:-PARTED]
        ]
        control = attributes(self._said.get("SERVER-CONTROL", ""))
        skipped = number(attributes(self._said.get("SKIP", "")).get("SKIPPED-SEGMENTS", ""))
        part = attributes(self._said.get("PART-INF", ""))
        return Media(
            entries=self._entries,
            target=min(self._target or self._longest(), LONGEST_TARGET),
            number=number(self._said.get("MEDIA-SEQUENCE", "")) + self._left_out,
            discontinuities=number(self._said.get("DISCONTINUITY-SEQUENCE", "")),
            skipped=skipped,
            kind=_KINDS.get(self._said.get("PLAYLIST-TYPE", "").strip(), "live"),
            ended="ENDLIST" in self._said,
            parts=tuple(self._next.parts),
            part_target=seconds(part.get("PART-TARGET", "")),
            hints=tuple(self._hints),
            control=Control(
                control.get("CAN-BLOCK-RELOAD") == "YES",
                seconds(control.get("CAN-SKIP-UNTIL", "")),
                seconds(control.get("HOLD-BACK", "")),
            ),
            ranges=tuple(self._ranges),
            reports=tuple(self._reports),
            cut=bool(self._left_out),
        )

    def _longest(self) -> float:
        return max((entry.duration for entry in self._entries), default=0.0)

    def _link(self, url: str) -> None:
        if self._awaited is not None:
            given, self._awaited = self._awaited, None
            _add(self._variants, _variant(url, given), url)
        elif self._next.duration is not None and len(url) <= URL_LIMIT:
            self._entry(url, self._next.duration)

    def _entry(self, url: str, duration: float) -> None:
        said, self._next = self._next, _Next()
        self._clock = said.date if said.date is not None else self._clock
        self._entries.append(
            Entry(
                self._spanned(url, said.span),
                duration,
                said.title.strip(),
                self._clock,
                said.discontinuity,
                said.gap,
                self._keys,
                self._map,
                tuple(said.parts),
            )
        )
        if self._clock is not None:
            self._clock += duration
        if len(self._entries) >= 2 * ENTRY_LIMIT:
            self._leave_out()

    def _leave_out(self) -> None:
        """Keep the last segments only."""
        surplus = max(0, len(self._entries) - ENTRY_LIMIT)
        self._left_out += surplus
        del self._entries[:surplus]

    def _spanned(self, url: str, span: tuple[int, int | None] | None) -> Resource:
        if span is None:
            return Resource(url)
        length, first = span
        if first is None:  # it goes on where the last one of this URL ended
            first = self._end[1] if self._end[0] == url else 0
        self._end = (url, first + length)
        return Resource(url, first, length)

    # Tags

    def _define(self, value: str) -> None:
        given = attributes(value)
        if len(self._variables) >= VARIABLE_LIMIT:
            return
        if "NAME" in given:
            self._variables[given["NAME"]] = given.get("VALUE", "")
        elif (name := given.get("IMPORT", "")) in self._imported:
            self._variables[name] = self._imported[name]
        elif "QUERYPARAM" in given:
            query = dict(parse_qsl(urlsplit(self._url).query, max_num_fields=VARIABLE_LIMIT))
            self._variables[given["QUERYPARAM"]] = query.get(given["QUERYPARAM"], "")

    def _targetduration(self, value: str) -> None:
        self._target = seconds(value) or None

    def _byterange(self, value: str) -> None:
        self._next.span = byte_range(value)

    def _discontinuity(self, _: str) -> None:
        self._next.discontinuity, self._clock = True, None

    def _gap(self, _: str) -> None:
        self._next.gap = True

    def _date(self, value: str) -> None:
        self._next.date = moment(value)

    def _key(self, value: str) -> None:
        key = _key_of(attributes(value))
        if key is None:  # METHOD=NONE
            self._keys = ()
        else:
            others = tuple(each for each in self._keys if each.format != key.format)
            self._keys = (*others, key)[-KEY_LIMIT:]

    def _session_key(self, value: str) -> None:
        key = _key_of(attributes(value))
        if key is not None:
            _add(self._session_keys, key, key.url)

    def _initialisation(self, value: str) -> None:
        found = resource(attributes(value))
        self._map = found if 0 < len(found.url) <= URL_LIMIT else None

    def _part(self, value: str) -> None:
        given, parts = attributes(value), self._next.parts
        last = parts[-1].resource if parts else None
        goes_on = last is not None and last.url == given.get("URI")
        found = resource(given, last.first + (last.length or 0) if last and goes_on else 0)
        if 0 < len(found.url) <= URL_LIMIT and len(parts) < PART_LIMIT:
            parts.append(Part(found, seconds(given.get("DURATION", "")), given.get("GAP") == "YES"))

    def _hint(self, value: str) -> None:
        given = attributes(value)
        first, length = given.get("BYTERANGE-START", ""), given.get("BYTERANGE-LENGTH", "")
        found = Resource(given.get("URI", ""), number(first), number(length) or None)
        _add(self._hints, found, found.url)

    def _range(self, value: str) -> None:
        given = attributes(value)
        found = DateRange(given.get("ID", ""), moment(given.get("START-DATE", "")), given)
        _add(self._ranges, found, found.id)

    def _report(self, value: str) -> None:
        given = attributes(value)
        _add(self._reports, given, given.get("URI", ""))

    def _variant(self, value: str) -> None:
        self._awaited = attributes(value)

    def _images(self, value: str) -> None:
        given = attributes(value)
        url = given.get("URI", "")
        _add(self._variants, _variant(url, given, images=True), url)

    def _media(self, value: str) -> None:
        given = attributes(value)
        found = Rendition(
            given.get("TYPE", ""),
            given.get("GROUP-ID", ""),
            given.get("NAME", ""),
            given.get("LANGUAGE", ""),
            given.get("URI", ""),
            given.get("DEFAULT") == "YES",
        )
        _add(self._renditions, found, found.group)


def _add(to: list[_Found], found: _Found, name: str) -> None:
    """Add what has a name, or a URL, of a reasonable length; of too many the first goes."""
    if 0 < len(name) <= URL_LIMIT:
        to.append(found)
        del to[:-LIST_LIMIT]


def _variant(url: str, given: Mapping[str, str], images: bool = False) -> Variant:
    groups = {kind: given[kind] for kind in ("AUDIO", "VIDEO", "SUBTITLES") if kind in given}
    return Variant(
        url,
        number(given.get("BANDWIDTH", "")),
        given.get("CODECS", ""),
        given.get("RESOLUTION", ""),
        groups,
        images,
    )


def _key_of(given: Mapping[str, str]) -> Key | None:
    method, url = given.get("METHOD", "NONE"), given.get("URI", "")
    if method == "NONE" or len(url) > URL_LIMIT:
        return None
    return Key(method, url, given.get("IV", ""), given.get("KEYFORMAT", "identity"))


_WHOLE = frozenset(
    ["MEDIA-SEQUENCE", "DISCONTINUITY-SEQUENCE", "PLAYLIST-TYPE", "ENDLIST", "SERVER-CONTROL",
     "SKIP", "PART-INF"]
)  # fmt: skip
_TAGS: dict[str, Callable[[_Reader, str], None]] = {
    "DEFINE": _Reader._define,
    "TARGETDURATION": _Reader._targetduration,
    "BYTERANGE": _Reader._byterange,
    "DISCONTINUITY": _Reader._discontinuity,
    "GAP": _Reader._gap,
    "PROGRAM-DATE-TIME": _Reader._date,
    "KEY": _Reader._key,
    "SESSION-KEY": _Reader._session_key,
    "MAP": _Reader._initialisation,
    "PART": _Reader._part,
    "PRELOAD-HINT": _Reader._hint,
    "DATERANGE": _Reader._range,
    "RENDITION-REPORT": _Reader._report,
    "STREAM-INF": _Reader._variant,
    "I-FRAME-STREAM-INF": _Reader._images,
    "MEDIA": _Reader._media,
}
