"""What is known of a piece when it begins."""

import re

from attrs import field, frozen

from agents import dates
from agents.stream_log import PREAMBLE_LIMIT, Begun, LoggedGap, told
from anet.media.interface import Described

_STATUS = re.compile(rb"\S+ +(\d{3})(?!\d)")
_ANSWERED = 200  # of protocols whose heads say no status


@frozen
class Gap:
    """A time of which nothing was received.

    Attributes:
        since: date of the last byte before it.
        until: date at which reception began again.
        why: what happened, in a line.
    """

    since: str
    until: str
    why: str

    @property
    def logged(self) -> LoggedGap:
        """As a log says it."""
        return LoggedGap(self.since, self.until, told(self.why))


@frozen
class Beginning:
    """What is known of a piece when it begins.

    Attributes:
        stream: its URL, canonical.
        site: the site to which it belongs.
        described: what its server said.
        at: when its first byte came, in seconds since the epoch.
        number: of the piece in its session, from 1.
        session: date at which this reception began; of the first piece, its own date.
        preamble: what a decoder must be given before it; beyond 64 KiB it is not kept.
        gap: the break before it, if there was one.
    """

    stream: str
    site: str
    described: Described = field(repr=False)
    at: float
    number: int = 1
    session: str = ""
    preamble: bytes = field(default=b"", repr=False)
    gap: Gap | None = None

    @property
    def date(self) -> str:
        """Of its first byte: 20 digits."""
        return dates.from_timestamp(microseconds(self.at) / 1_000_000)

    @property
    def line(self) -> Begun:
        """The first line of its log."""
        said = self.described
        return Begun(
            stream=self.stream,
            date=self.date,
            session=self.session or self.date,
            piece=self.number,
            protocol=said.protocol,
            media_type=told(said.media_type),
            name=told(said.name),
            description=told(said.description),
            genre=told(said.genre),
            homepage=told(said.homepage),
            bitrate=said.bitrate,
            preamble=self.preamble if len(self.preamble) <= PREAMBLE_LIMIT else b"",
            gap=self.gap.logged if self.gap else None,
        )


def microseconds(at: float) -> int:
    """Return a time in whole microseconds: a float is too coarse to tell two of them apart."""
    return round(at * 1_000_000)


def status_of(head: bytes) -> int:
    """Return what a server answered; 200 where its protocol has no status."""
    found = _STATUS.match(head[:100])
    return int(found[1]) if found else _ANSWERED
