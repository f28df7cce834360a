"""What a presentation consists of: SDP, the Session Description Protocol (RFC 4566). Pure."""

import re

from attrs import Factory, field, frozen

from anet.media.icy import text_of

TRACK_LIMIT = 8
_TEXT_LIMIT = 1000  # characters of what a description says of itself
_LINES = 2000
_CONTROL = re.compile(r"[!-~]{1,2000}")  # what may stand in a request
# Payload types whose meaning is fixed (RFC 3551 §6): encoding, clock rate, channels.
_FIXED = {
    0: ("PCMU", 8000, 1),
    8: ("PCMA", 8000, 1),
    10: ("L16", 44100, 2),
    11: ("L16", 44100, 1),
    14: ("MPA", 90000, 1),
    32: ("MPV", 90000, 1),
    33: ("MP2T", 90000, 1),
}
_CLOCK = 90000  # of most media other than sound, where it is not said


@frozen
class Track:
    """One of the media of a presentation: sound or pictures.

    Attributes:
        kind: "audio" or "video".
        control: its URL, which may be relative to that of the presentation.
        encoding: how packets carry it, in capitals: "MPA", "MPEG4-GENERIC", "H264"…
        rate: steps of its time stamps in a second.
        channels: of sound.
        parameters: what its decoder must know, by names in small letters.
    """

    kind: str
    control: str
    encoding: str = ""
    rate: int = _CLOCK
    channels: int = 1
    parameters: dict[str, str] = field(factory=dict)


@frozen
class Description:
    """What a presentation is.

    Attributes:
        tracks: those that are sound or pictures and can be asked for, in their order.
        name: of the presentation, or empty. So are the next three.
        about: what it is about.
        homepage: a URL where more is said.
        control: the URL of all of it; may be relative.
        bitrate: kbit/s; 0 where it is not said.
        is_recorded: whether it has an end that is known: it is a file then.
    """

    tracks: tuple[Track, ...]
    name: str = ""
    about: str = ""
    homepage: str = ""
    control: str = ""
    bitrate: int = 0
    is_recorded: bool = False


@frozen
class _Section:
    """The lines of a description that speak of all of it, or of one of its media."""

    first: str = ""
    lines: dict[str, str] = Factory(dict)
    attributes: dict[str, str] = Factory(dict)

    def add(self, kind: str, value: str) -> None:
        name, _, said = value.partition(":")
        if kind == "a" and name in ("rtpmap", "fmtp"):
            name = f"{name} {said.partition(' ')[0]}"
            said = said.partition(" ")[2]
        if kind in ("a", "b"):
            self.attributes.setdefault(name if kind == "a" else f"b {name}", said.strip())
        else:
            self.lines.setdefault(kind, value[:_TEXT_LIMIT].strip())


def read_description(raw: bytes) -> Description:
    """Return what a description says, as far as it can be understood."""
    sections = [_Section()]
    for line in text_of(raw).replace("\r", "\n").split("\n")[:_LINES]:
        kind, equals, value = line.partition("=")
        if equals and kind == "m":
            sections.append(_Section(value))
        elif equals:
            sections[-1].add(kind.strip(), value)
    whole, parts = sections[0], sections[1:]
    tracks = [track for track in map(_track, parts) if track is not None]
    name = whole.lines.get("s", "")
    return Description(
        tuple(tracks[:TRACK_LIMIT]),
        name="" if name == "-" else name,
        about=whole.lines.get("i", ""),
        homepage=whole.lines.get("u", ""),
        control=_control(whole),
        bitrate=_bitrate(whole) or sum(map(_bitrate, parts)),
        is_recorded=any(_has_end(section) for section in sections),
    )


def _track(section: _Section) -> Track | None:
    """Return one of the media; None if it is neither sound nor pictures."""
    words = section.first.split()
    control = _control(section)
    if len(words) < 4 or words[0] not in ("audio", "video") or not (control or _is_bare(section)):
        return None
    payload = _number(words[3])
    encoding, rate, channels = _FIXED.get(payload, ("", _CLOCK, 1))
    said = section.attributes.get(f"rtpmap {words[3]}", "").split("/")
    if said[0]:
        encoding = said[0].strip().upper()
        rate = (_number(said[1]) if len(said) > 1 else 0) or _CLOCK
        channels = (_number(said[2]) if len(said) > 2 else 0) or 1
    parameters = _parameters(section.attributes.get(f"fmtp {words[3]}", ""))
    return Track(words[0], control, encoding, rate, channels, parameters)


def _is_bare(section: _Section) -> bool:
    """Tell whether media need no URL of their own."""
    return "control" not in section.attributes


def _control(section: _Section) -> str:
    said = section.attributes.get("control", "")
    return said if _CONTROL.fullmatch(said) else ""


def _parameters(said: str) -> dict[str, str]:
    pairs = (each.partition("=") for each in said.split(";"))
    return {name.strip().lower(): value.strip() for name, _, value in pairs if name.strip()}


def _bitrate(section: _Section) -> int:
    return _number(section.attributes.get("b AS", ""))


def _has_end(section: _Section) -> bool:
    """Tell whether a range of time has an end (RFC 2326 §3.6): `npt=0-30.5`."""
    span = section.attributes.get("range", "").partition(";")[0]
    _, npt, times = span.partition("npt=")
    return bool(npt) and bool(times.partition("-")[2].strip())


def _number(said: str) -> int:
    said = said.strip()
    return int(said) if said.isascii() and said.isdigit() and len(said) < 8 else 0
