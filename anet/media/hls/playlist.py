"""What playlists say, as values; URLs are as they are written."""

from collections.abc import Mapping, Sequence
from typing import Literal

from attrs import field, frozen

from anet.media.segments import Resource

Kind = Literal["live", "event", "vod"]


@frozen
class Variant:
    """One of the forms in which a channel can be had (`EXT-X-STREAM-INF`).

    Attributes:
        url: of its media playlist.
        bandwidth: bits a second at most.
        codecs: as RFC 6381 writes them.
        resolution: as "1280x720"; or empty.
        groups: the renditions that go with it, by kind ("AUDIO", "VIDEO", "SUBTITLES").
        images: whether it holds only images to search by (`EXT-X-I-FRAME-STREAM-INF`).
    """

    url: str
    bandwidth: int = 0
    codecs: str = ""
    resolution: str = ""
    groups: Mapping[str, str] = field(factory=dict)
    images: bool = False


@frozen
class Rendition:
    """Sound, pictures or subtitles that go with variants (`EXT-X-MEDIA`).

    Attributes:
        kind: "AUDIO", "VIDEO", "SUBTITLES" or "CLOSED-CAPTIONS".
        group: by which variants name it.
        name: for people.
        language: as BCP 47 writes it.
        url: of its media playlist; empty when it is within the variants.
        default: whether a player takes it unasked.
    """

    kind: str
    group: str
    name: str = ""
    language: str = ""
    url: str = ""
    default: bool = False


@frozen
class Master:
    """A playlist of playlists.

    Attributes:
        variants: in their order.
        renditions: in their order.
        keys: that segments of its variants will need (`EXT-X-SESSION-KEY`).
        variables: that media playlists may import (`EXT-X-DEFINE`).
    """

    variants: Sequence[Variant]
    renditions: Sequence[Rendition] = ()
    keys: "Sequence[Key]" = ()
    variables: Mapping[str, str] = field(factory=dict)


@frozen
class Key:
    """How segments are encrypted (`EXT-X-KEY`).

    Attributes:
        method: "AES-128", "SAMPLE-AES"…
        url: of the key.
        iv: as written; empty where the number of the segment serves.
        format: what the key is; "identity" is the key itself.
    """

    method: str
    url: str
    iv: str = ""
    format: str = "identity"


@frozen
class Part:
    """A part of a segment, to be had before that is whole (`EXT-X-PART`).

    Attributes:
        resource: where its bytes are.
        duration: seconds.
        gap: whether there are none.
    """

    resource: Resource
    duration: float
    gap: bool = False


@frozen
class Entry:
    """A segment of a playlist.

    Attributes:
        resource: where its bytes are.
        duration: seconds.
        title: what `EXTINF` says besides.
        date: what `EXT-X-PROGRAM-DATE-TIME` says of its beginning, or what follows from that of a
            segment before; in seconds since the epoch.
        discontinuity: whether `EXT-X-DISCONTINUITY` stands before it.
        gap: whether `EXT-X-GAP` does.
        keys: by which it may be decrypted, one for each format.
        map: the initialisation before it.
        parts: of which it is made.
    """

    resource: Resource
    duration: float
    title: str = ""
    date: float | None = None
    discontinuity: bool = False
    gap: bool = False
    keys: tuple[Key, ...] = ()
    map: Resource | None = None
    parts: tuple[Part, ...] = ()


@frozen
class DateRange:
    """Something that is said of a span of time (`EXT-X-DATERANGE`).

    Attributes:
        id: its name.
        start: seconds since the epoch.
        attributes: all of it, as text.
    """

    id: str
    start: float | None
    attributes: Mapping[str, str]


@frozen
class Control:
    """What the server can do besides (`EXT-X-SERVER-CONTROL`).

    Attributes:
        blocks: whether it holds an answer back until there is something new.
        skip_until: seconds from the end beyond which it leaves segments out, if asked to; 0: never.
        hold_back: seconds from the end at which players play.
    """

    blocks: bool = False
    skip_until: float = 0.0
    hold_back: float = 0.0


@frozen
class Media:
    """A playlist of segments.

    Attributes:
        entries: its segments.
        target: seconds that a segment has at most, rounded.
        number: of the first segment, with those that are left out.
        discontinuities: that were before the first.
        skipped: segments left out at the beginning, for the reader has them (`EXT-X-SKIP`).
        kind: live: what is old goes; event: all stays; vod: nothing is added.
        ended: whether nothing is added any more.
        parts: of the segment that is not whole yet.
        part_target: seconds of a part at most; 0 without parts.
        hints: what comes next (`EXT-X-PRELOAD-HINT`).
        control: what the server can do.
        ranges: what is said of spans of time.
        reports: how far other renditions are: attributes of each.
        cut: whether it passes a limit, so that its first segments are left out.
    """

    entries: Sequence[Entry]
    target: float
    number: int = 0
    discontinuities: int = 0
    skipped: int = 0
    kind: Kind = "live"
    ended: bool = False
    parts: tuple[Part, ...] = ()
    part_target: float = 0.0
    hints: tuple[Resource, ...] = ()
    control: Control = field(factory=Control)
    ranges: tuple[DateRange, ...] = ()
    reports: tuple[Mapping[str, str], ...] = ()
    cut: bool = False
