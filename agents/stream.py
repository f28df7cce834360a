"""What scheduler and streaming agents say to each other of live streams (*INA §1.6*).

What is to be known of a stream when another agent goes on with it is its state. That is the
scheduler's: it comes back with all news, and is given again to whoever listens next.
"""

import re
from typing import Literal

from attrs import field, frozen
from twisted.python.url import URL

from agents import urls

SCHEMES = ("http", "https", "rtsp", "mms", "mmsh", "icy")
"""Schemes of URLs that may lead to a live stream which can be collected."""
LOG_SCHEME = "stream-log:"
"""What the names of logs of streams begin with (docs/reference/stream-logs.md)."""

Outcome = Literal["receiving", "broken", "failing", "ended", "gone"]
Doing = Literal["waiting", "opening", "receiving", "following"]

# What stands behind the scheme: a host that is one, and printable ASCII.
_REST = re.compile(
    r"//(?:[^/?#@]*@)?(?:\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(?::\d{1,5})?(?:[/?#][\x21-\x7e]*)?",
    re.IGNORECASE | re.ASCII,
)


@frozen
class StreamState:
    """What is known of a stream, for whoever listens next.

    Attributes:
        name: of the station or channel, as its server says it; or empty.
        description: likewise.
        genre: likewise.
        homepage: URL of its web site, likewise.
        media_type: of what is received, as "audio/mpeg".
        protocol: how it is received: "icy", "http", "hls", "dash", "rtsp" or "mms".
        bitrate: kbit/s, as its server says; 0 where it does not.
        led_to: URL where it was found in the end, behind playlists and redirects.
        title: of what was on the air last.
        heard: date until which it was received; empty before the first byte.
        failures: attempts in a row that brought nothing.
        problem: why the last of them failed.
    """

    name: str = ""
    description: str = ""
    genre: str = ""
    homepage: str = ""
    media_type: str = ""
    protocol: str = ""
    bitrate: int = 0
    led_to: str = ""
    title: str = ""
    heard: str = ""
    failures: int = 0
    problem: str = ""


@frozen
class OrderedStream:
    """A stream that an agent is to listen to.

    Attributes:
        stream: its URL, as `canonical` gives it.
        site: the site to which it belongs.
        state: what was told of it last; nothing for a new one.
        private_networks: whether it may lie on a private network or on loopback.
    """

    stream: str
    site: str
    state: StreamState = field(factory=StreamState)
    private_networks: bool = False


@frozen
class StreamNews:
    """What became of a stream.

    Attributes:
        stream: its URL.
        outcome: it is being received; its reception broke off, and is tried again soon; attempts
            fail; its server says that it is over, or that there is none.
        state: what is known of it now.
    """

    stream: str
    outcome: Outcome
    state: StreamState


@frozen
class StreamStatus:
    """How a stream stands, for people (*INA figure 4*).

    Attributes:
        stream: its URL.
        site: the site to which it belongs.
        doing: what is being done.
        state: what is known of it.
        since: date since which it is received without a break; or empty.
        rate: bits a second that came in, over the last minute.
        buffered: seconds of signal that are held, or came ahead of real time (*Buffering*).
        real: seconds since the reception began (*timecode réel*).
        signal: seconds of signal received since (*timecode signal*).
        ratio: seconds of signal in a second of real time, in the long run (*Rapport*); 0 when
            that cannot be told yet.
        skew: seconds by which the signal has come apart from real time (*Décalage*).
        titles: titles since the agent started.
        gaps: breaks since the agent started.
        pieces: contents that were closed since the agent started.
        received: bytes since the agent started.
    """

    stream: str
    site: str
    doing: Doing
    state: StreamState
    since: str = ""
    rate: float = 0.0
    buffered: float = 0.0
    real: float = 0.0
    signal: float = 0.0
    ratio: float = 0.0
    skew: float = 0.0
    titles: int = 0
    gaps: int = 0
    pieces: int = 0
    received: int = 0


@frozen
class StreamingReport:
    """What a streaming agent is doing.

    Attributes:
        streams: that it was told to listen to.
        capacity: that it takes at most.
        doing: how many there are by what is done with them.
        rate: bits a second that come in from all of them.
        outcomes: how often what became of one, since the start.
        titles: told since the start.
        gaps: breaks since the start.
        received: bytes since the start.
    """

    streams: int
    capacity: int
    doing: dict[str, int] = field(factory=dict)
    rate: float = 0.0
    outcomes: dict[str, int] = field(factory=dict)
    titles: int = 0
    gaps: int = 0
    received: int = 0


def canonical(url: str) -> str | None:
    """Return the canonical form of a stream's URL; None when it leads to nothing to collect.

    Of the web's schemes it is that of `agents.urls`; of others, scheme and host are in small
    letters, and credentials and fragment are left out. `icy` is `http` by another name.
    """
    scheme, _, rest = url.strip().partition(":")
    scheme = scheme.lower()
    if scheme == "icy":
        scheme = "http"
    if scheme in ("http", "https"):
        return urls.canonical(f"{scheme}:{rest}")
    if scheme not in SCHEMES or len(rest) > urls.LENGTH_LIMIT or not _REST.fullmatch(rest):
        return None
    try:  # twice: what was "%2e" is a dot then, and dots go in the next round
        found = _normal(_normal(URL.from_text(f"{scheme}:{rest}"))).to_text()
    except (ValueError, TypeError):
        return None
    return found if len(found) <= urls.LENGTH_LIMIT else None


def _normal(url: URL) -> URL:
    return URL.from_text(url.replace(userinfo="", fragment="").normalize().to_text())


def log_name(stream: str) -> str:
    """Return the name under which the logs of a stream are archived."""
    return LOG_SCHEME + stream
