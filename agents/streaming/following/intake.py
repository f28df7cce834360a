"""What manifests name, on its way into the archive: each segment once, and what it needs before."""

from collections.abc import Callable, Sequence
from typing import Any

from attrs import frozen

from agents import dates, urls
from agents.stream import OrderedStream
from agents.streaming.following.choosing import Choice
from agents.streaming.following.chronicle import Chronicle
from agents.streaming.following.errands import Errand, Errands
from agents.streaming.following.fetching import Fetcher, Kept
from agents.streaming.following.hearing import Hearing
from agents.streaming.following.tracks import Name, Track, Wanted
from anet.media.interface import Said
from anet.media.segments import Progress, Resource, Segment, Window
from anet.tasks import sleep

NEED_LIMIT = 4 * 2**20  # bytes of a key or an initialisation
_TRACKS = 1000  # that are remembered, of all periods


@frozen
class Rules:
    """How streams are followed.

    Attributes:
        choice: which forms of a channel.
        look_back: seconds of signal that are taken from before the reception begins.
        hands: requests of one stream that are under way at once.
        waiting: segments of one stream that wait to be fetched; beyond that the oldest are missed.
        renew: seconds after which keys and initialisations are fetched again.
        parts: whether parts of segments (low-latency HLS) are kept besides, and waited for.
        log_interval: seconds between two entries of real time and signal time.
        retry_first: seconds after which a manifest that was not given is asked for again.
        retry_longest: seconds that this wait grows to, while the stream is followed.
        give_up: seconds without a manifest after which it is followed no more.
    """

    choice: Choice = Choice()
    look_back: float = 120.0
    hands: int = 3
    waiting: int = 500
    renew: float = 600.0
    parts: bool = False
    log_interval: float = 30.0
    retry_first: float = 1.0
    retry_longest: float = 15.0
    give_up: float = 600.0


class Intake:
    """Has everything fetched that is new.

    Args:
        reactor: which reactor.
        fetcher: asks the servers.
        rules: how.
        ordered: which stream.
        chronicle: its log.

    Attributes:
        received: bytes of segments.
        segments: how many were kept.
        heard: date of the last of them; empty before the first.
        past: names of tracks that were over before the reception began; None until that is known.
        on_restart: called when the source began anew.
    """

    def __init__(
        self,
        reactor: Any,
        fetcher: Fetcher,
        rules: Rules,
        ordered: OrderedStream,
        chronicle: Chronicle,
    ) -> None:
        self.received = self.segments = 0
        self.heard = ordered.state.heard
        self.past: frozenset[str] | None = None
        self.on_restart: Callable[[], None] = lambda: None
        self._reactor, self._fetcher, self._rules = reactor, fetcher, rules
        self._ordered, self._chronicle = ordered, chronicle
        self._tracks: dict[str, Track] = {}
        self._wanted = Wanted()
        self._lead = ""
        self._errands = Errands(reactor, self._fetch, self._done, rules.hands, rules.waiting)

    def track(self, name: str) -> Track:
        """Return the track of that name, as far as it was followed."""
        found = self._tracks.pop(name, None) or Track(name, Progress(self._rules.look_back))
        self._tracks[name] = found
        if len(self._tracks) > _TRACKS:
            del self._tracks[next(iter(self._tracks))]
        return found

    def see(self, track: Track, window: Window, base: str, *, lead: bool) -> None:
        """Take what can be had of a track.

        Args:
            track: which.
            window: its segments.
            base: what their URLs are relative to.
            lead: whether it is the one by whose lengths the time of the stream goes.
        """
        step = track.progress.read(window, self._reactor.seconds())
        if step.restarted:
            self._restart(track, lead)
        if lead:
            self._lead = track.name
            self._advance(step.missing, step.new)
        if step.missing:
            track.miss(step.missing, "it was listed no more when its manifest was read")
        surplus = max(0, len(step.new) - self._rules.waiting)
        if surplus:
            seconds = sum(segment.duration for segment in step.new[:surplus])
            track.miss(seconds, "more is listed than may wait")
        for segment in step.new[surplus:]:
            self._take(track, segment, base, lead)
        if window.segments:
            self._errands.listed(track.name, window.segments[0].number)

    def want(self, resource: Resource, base: str, track: str = "") -> None:
        """Have a key, an initialisation or a part fetched, unless that was done not long ago."""
        self._ask(resource, base, track, lasts=self._rules.renew)

    def say(self, said: Said) -> None:
        """Take what a manifest says of what is on the air."""
        self._chronicle.say(said)

    async def settle(self) -> None:
        """Wait until all is fetched or given up, for nothing more is listed."""
        self._errands.end()
        while len(self._errands):
            await sleep(self._reactor, 0.2)
        self._tell_missing()

    async def stop(self) -> None:
        """Fetch no more; what was not fetched by now is missing."""
        await self._errands.stop()
        self._tell_missing()

    def _restart(self, track: Track, lead: bool) -> None:
        self._errands.drop(track.name)
        self._wanted.forget()
        if lead:
            self.on_restart()

    def _advance(self, missing: float, new: Sequence[Segment]) -> None:
        if new:
            seconds = missing + sum(segment.duration for segment in new)
            last = new[-1]
            program = None if last.date is None else last.date + last.duration
            self._chronicle.advance(seconds, program)

    def _take(self, track: Track, segment: Segment, base: str, lead: bool) -> None:
        if segment.discontinuity:
            self._wanted.forget()  # the same URL may hold another initialisation
            self._chronicle.mark(f"discontinuity in {track.name}")
        if lead and segment.title:
            self._chronicle.say(Said(segment.title, {"EXTINF": segment.title}))
        if segment.gap:
            track.miss(segment.duration, "its manifest says that it is missing")
            return
        for need in segment.needs:
            self.want(need, base, track.name)
        self._ask(segment.resource, base, track.name, segment)

    def _ask(
        self,
        resource: Resource,
        base: str,
        track: str,
        segment: Segment | None = None,
        lasts: float | None = None,
    ) -> None:
        url = urls.canonical(resource.url, base)
        if url is None:
            if segment is not None:
                self._tracks[track].miss(segment.duration, "its URL leads to no web server")
            return
        errand = Errand(Resource(url, resource.first, resource.length), track, segment)
        if self._wanted.is_new(_name_of(errand), self._reactor.seconds(), lasts):
            self._errands.add(errand)

    async def _fetch(self, errand: Errand) -> Kept:
        ordered, segment = self._ordered, errand.segment
        hears = segment and not segment.encrypted and errand.track == self._lead
        hearing = Hearing(self._chronicle) if hears else None
        kept = await self._fetcher.keep(
            errand.resource,
            ordered.site,
            ordered.private_networks,
            hearing.take if hearing else None,
            None if segment else NEED_LIMIT,
        )
        if hearing is not None:
            hearing.end()
        return kept

    def _done(self, errand: Errand, kept: Kept | None) -> None:
        track = self._tracks.get(errand.track)
        if track is None:
            return
        if kept is None and errand.segment is None:
            self._wanted.drop(_name_of(errand))
            self._chronicle.mark(f"{errand.resource.url} is missing: {errand.given_up}")
        elif kept is None and errand.segment is not None:
            track.miss(errand.segment.duration, errand.given_up)
        elif kept is not None and errand.segment is not None:
            self.received += kept.size
            self.segments += 1
            self.heard = max(self.heard, dates.from_timestamp(kept.date))
            self._tell(track.kept(kept.date))

    def _tell(self, gap: tuple[str, str, str] | None) -> None:
        if gap is not None:
            self._chronicle.miss(*gap)

    def _tell_missing(self) -> None:
        now = dates.now(self._reactor)
        for track in self._tracks.values():
            self._tell(track.gap(track.heard or now, now))


def _name_of(errand: Errand) -> Name:
    found, segment = errand.resource, errand.segment
    return found.url, found.first, found.length, None if segment is None else segment.number
