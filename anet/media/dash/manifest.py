"""What manifests say, as values; URLs are joined to those around them, and may be relative."""

from attrs import field, frozen

from anet.media.segments import Resource


@frozen
class Run:
    """An `S` of a timeline: segments of one length, one after the other.

    Attributes:
        start: ticks; None where it goes on.
        length: ticks of each.
        repeat: how many follow the first; negative: until the next run, or the end.
    """

    start: int | None
    length: int
    repeat: int


@frozen
class Template:
    """How segments are named (`SegmentTemplate`).

    Attributes:
        media: with `$Number$` or `$Time$`.
        initialization: likewise, or empty.
        timescale: ticks a second.
        duration: ticks of each segment; 0 with a timeline.
        start: the number of the first.
        offset: ticks of the media at the beginning of the period.
        early: seconds by which segments can be had before they are whole.
        runs: the timeline.
    """

    media: str
    initialization: str = ""
    timescale: int = 1
    duration: int = 0
    start: int = 1
    offset: int = 0
    early: float = 0.0
    runs: tuple[Run, ...] = ()


@frozen
class Listing:
    """Segments named one by one (`SegmentList`), or one file that holds all.

    Attributes:
        resources: in their order.
        initialization: before them.
        duration: seconds of each; 0 where a timeline says it, or nothing.
        timescale: ticks a second.
        runs: the timeline.
        start: the number of the first.
    """

    resources: tuple[Resource, ...]
    initialization: Resource | None = None
    duration: float = 0.0
    timescale: int = 1
    runs: tuple[Run, ...] = ()
    start: int = 1


@frozen
class Representation:
    """One of the forms in which sound, pictures or text can be had.

    Attributes:
        id: as written.
        kind: "video", "audio", "text", or what else its type begins with.
        bandwidth: bits a second.
        codecs: as RFC 6381 writes them.
        language: as BCP 47 writes it.
        media_type: of its segments.
        base: what its URLs are relative to.
        template: how its segments are named; or
        listing: which there are.
        set: which adaptation set of its period it belongs to: those within replace each other.
    """

    id: str
    kind: str
    bandwidth: int
    codecs: str
    language: str
    media_type: str
    base: str
    template: Template | None = None
    listing: Listing | None = None
    set: int = 0


@frozen
class Period:
    """A stretch of the channel.

    Attributes:
        id: as written; or empty.
        start: seconds from the beginning of the channel.
        duration: seconds; None while it lasts.
        representations: in their order.
    """

    id: str
    start: float
    duration: float | None
    representations: tuple[Representation, ...]


@frozen
class Timing:
    """Where the clock of the source can be read (`UTCTiming`).

    Attributes:
        scheme: the end of its URN, as "http-iso:2014".
        value: URLs, separated by spaces, or the time itself.
    """

    scheme: str
    value: str


@frozen
class Manifest:
    """A channel.

    Attributes:
        dynamic: whether it goes on.
        available: when it began (`availabilityStartTime`), in seconds since the epoch.
        update: seconds after which the manifest may be another; None: never.
        depth: seconds for which segments can be had; None: for ever.
        duration: seconds of all of it, where that is known.
        periods: in their order.
        timings: where the time can be read.
        locations: where the manifest is to be read from now on.
    """

    dynamic: bool
    available: float = 0.0
    update: float | None = None
    depth: float | None = None
    duration: float | None = None
    periods: tuple[Period, ...] = ()
    timings: tuple[Timing, ...] = field(default=())
    locations: tuple[str, ...] = ()
