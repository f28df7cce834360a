"""Following a channel of DASH: one manifest, read as often as it says, and the clock."""

from datetime import UTC
from email.utils import parsedate_to_datetime

from agents import urls
from agents.streaming.following import choosing
from agents.streaming.following.errors import NotFetched
from agents.streaming.following.fetching import Read
from agents.streaming.following.reading import REFUSALS, Reader
from anet.backoff import Backoff
from anet.clock import wall
from anet.http import parse_head
from anet.media.dash import Manifest, is_over, next_look, tracks
from anet.media.dash.policy import Track
from anet.media.dash.values import moment, number
from anet.media.errors import NotAStream
from anet.tasks import sleep

TIMING_EVERY = 3600.0  # seconds between two looks at the clock of the source
_OFF = 10.0  # seconds by which a server's own date may differ, being one of whole seconds


async def follow(reader: Reader, first: Read) -> None:
    """Follow a channel until it is over.

    Args:
        reader: what is told of it.
        first: its manifest.

    Raises:
        NotFetched: its manifest is not given any more.
        NotAStream: likewise.
    """
    await _Channel(reader, first).follow()


class _Channel:
    """Follows one manifest."""

    def __init__(self, reader: Reader, first: Read) -> None:
        self._reader, self._read, self._url = reader, first, first.url
        self._name = first.url.partition("?")[0]  # also when it moves
        self._backoff = Backoff(reader.rules.retry_first, reader.rules.retry_longest)
        self._refusals = 0
        self._offset = 0.0  # seconds by which the source's clock is ahead of ours
        self._timed_at: float | None = None

    async def follow(self) -> None:
        """Look at the clock and at the manifest again and again until it is over."""
        reactor = self._reader.reactor
        manifest = await self._reader.manifests.manifest(self._read)
        self._reader.answered(self._url, self._read, 0)
        due: float | None = reactor.seconds() + (next_look(manifest)[1] or 0.0)
        while True:
            await self._ask_time(manifest)
            self._take(manifest)
            if is_over(manifest, self._now()):
                return
            look, update = next_look(manifest)
            await sleep(reactor, look)
            if update is None or due is None or reactor.seconds() < due - look / 2:
                continue
            began = reactor.seconds()
            try:
                self._read = await self._reader.read(self._url)
                manifest = await self._reader.manifests.manifest(self._read)
            except (NotFetched, NotAStream) as error:
                self._fail(error)
                await sleep(reactor, self._backoff.next())
                continue
            self._reader.answered(self._url, self._read, 0)
            self._refusals, due = 0, began + (next_look(manifest)[1] or 0.0)
            self._backoff.reset()
            self._move(manifest)

    def _now(self) -> float:
        return wall(self._reader.reactor) + self._offset

    def _take(self, manifest: Manifest) -> None:
        choice = self._reader.rules.choice
        listed = tracks(manifest, self._now(), lambda all_: choosing.representations(all_, choice))
        intake = self._reader.intake
        if listed and intake.past is None:
            intake.past = _past(listed, self._reader.rules.look_back)
        led = -1  # the last period whose first track was seen: that one tells the time
        for each in listed:
            if each.name not in (intake.past or ()):
                track = intake.track(f"{self._name}#{each.name}")
                intake.see(track, each.window, self._read.url, lead=each.period > led)
                led = each.period

    def _fail(self, error: NotFetched | NotAStream) -> None:
        hopeless = self._reader.failed(self._url, error)
        self._refusals += isinstance(error, NotAStream) or error.is_refusal
        if hopeless or self._refusals >= REFUSALS:
            raise error

    def _move(self, manifest: Manifest) -> None:
        """Read the manifest from now on where it says that it is (`Location`)."""
        for text in manifest.locations:
            moved = urls.canonical(text, self._read.url)
            if moved is not None:
                self._url = moved
                return

    # The clock of the source

    async def _ask_time(self, manifest: Manifest) -> None:
        """Compare clocks now and then; what cannot be asked changes nothing."""
        now = self._reader.reactor.seconds()
        if self._timed_at is not None and now < self._timed_at + TIMING_EVERY:
            return
        self._timed_at = now
        for timing in manifest.timings:
            if timing.scheme.startswith("direct:"):
                found = moment(timing.value)
                if found is not None:
                    self._offset = found - self._read.date
                    return
            elif timing.scheme.startswith(("http-iso:", "http-xsdate:", "http-head:")):
                for text in timing.value.split()[:3]:
                    if await self._asked(text, by_head=timing.scheme.startswith("http-head:")):
                        return
        if not manifest.timings:
            self._guess_time()

    def _guess_time(self) -> None:
        """Take the clock of the server for that of the source, where ours is plainly another."""
        found = _date_of(self._read)
        off = 0.0 if found is None else found - self._read.date
        self._offset = off if abs(off) > _OFF else 0.0

    async def _asked(self, text: str, by_head: bool) -> bool:
        url = urls.canonical(text, self._read.url)
        if url is None:
            return False
        try:
            read = await self._reader.read(url)
        except NotFetched:
            return False
        found = _date_of(read) if by_head else moment(read.body[:100].decode("latin-1"))
        if found is None:
            return False
        self._offset = found - read.date
        return True


def _past(listed: list[Track], look_back: float) -> frozenset[str]:
    """Return the names of tracks of periods before the last ones, which play so long."""
    found, seconds, period, enough = set(), 0.0, -1, False
    for each in reversed(listed):
        if each.period != period:
            period, enough = each.period, seconds >= look_back
            segments = each.window.segments
            seconds += segments[-1].duration * len(segments) if segments else 0.0
        if enough:
            found.add(each.name)
    return frozenset(found)


def _date_of(read: Read) -> float | None:
    """Return what a server's `Date` says, and what passed since in a cache (`Age`)."""
    headers = parse_head(read.head).headers
    try:
        found = parsedate_to_datetime(headers.text(b"date"))
        since = (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
        return since + min(number({"age": headers.text(b"age")}, "age"), TIMING_EVERY * 24)
    except (ValueError, TypeError, OverflowError):
        return None
