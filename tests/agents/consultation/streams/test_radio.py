"""A radio at a date: where it begins, at which pace it goes on, and where it ends."""

from typing import Any

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from agents.consultation.access.rules import Rules
from agents.consultation.errors import Faulted
from agents.consultation.streams.listeners import Listeners
from agents.consultation.streams.playing import Pace
from agents.consultation.streams.radio import Radio, Tuned
from anet.tasks import sleep
from tests.agents.consultation.streams.recorded import RADIO, Recorded, keep_piece, moment
from tests.live.radio import decodes, duration, needs_radio, second_of, sound, tone_file

PLAIN = b"HTTP/1.1 200 OK\r\nContent-Type: audio/x-plain\r\n\r\n"


class Listener:
    """Takes what a radio gives, as time is made to pass."""

    def __init__(self, reactor: Any, clock: Clock, tuned: Tuned) -> None:
        self.data = b""
        self.ended = False
        self.tuned = tuned
        self._reactor, self._clock = reactor, clock
        self.listening = Deferred.fromCoroutine(self._listen())

    async def _listen(self) -> None:
        async for piece in self.tuned.sound:
            self.data += piece
        self.ended = True

    async def hear(self, seconds: float) -> bytes:
        """Return what comes within some seconds."""
        before = len(self.data)
        await self._settle()
        for _ in range(int(seconds * 2)):
            self._clock.advance(0.5)
            await self._settle()
        return self.data[before:]

    async def _settle(self) -> None:
        """Wait until it sleeps, or is at its end."""
        while not self._clock.getDelayedCalls() and not self.listening.called:
            await sleep(self._reactor, 0.001)

    async def leave(self) -> None:
        """Listen no more."""
        self.listening.addErrback(lambda _: None)
        self.listening.cancel()
        await self.tuned.sound.aclose()  # type: ignore[attr-defined]


class Studio:
    """A radio whose clock the test holds."""

    def __init__(self, reactor: Any, archive: Any, burst: float = 4.0, limit: int = 3) -> None:
        self.clock, self.reactor, self.archive = Clock(), reactor, archive
        self.given = 0
        self.listeners = Listeners(limit)
        pace = Pace(self.clock, burst, 30.0)
        self.radio = Radio(archive.retrieval, Rules(), self.listeners, pace, self._gave)

    def _gave(self, size: int) -> None:
        self.given += size

    async def tune(self, date: str, **how: Any) -> Tuned | None:
        """Tune in to the radio at a date, as the proxy does."""
        nearest = await self.archive.retrieval.find(RADIO, date)
        return await self.radio.tune(nearest, date, **how)

    async def listen(self, date: str, **how: Any) -> Listener:
        """Listen at a date."""
        tuned = await self.tune(date, **how)
        assert tuned is not None
        return Listener(self.reactor, self.clock, tuned)


@pytest.fixture
def studio(reactor: Any, archive: Any) -> Studio:
    """A radio before the archive in memory."""
    return Studio(reactor, archive)


def numbered(size: int, mark: int) -> bytes:
    """Return bytes that tell their place: a thousand of them for each second."""
    return b"".join(b"%d %06d\n" % (mark, place) for place in range(size // 9 + 1))[:size]


@ensureDeferred
async def test_it_begins_at_the_byte_of_the_date_and_goes_on_in_true_time(
    archive: Any, studio: Studio
) -> None:
    """A burst comes at once, and then what each second brought, on into the next piece."""
    first, second = numbered(60_000, 1), numbered(60_000, 2)
    keep_piece(archive, Recorded(0, 60, first), head=PLAIN)
    keep_piece(archive, Recorded(60, 60, second, session=0), head=PLAIN)
    listener = await studio.listen(moment(40))
    assert (await listener.hear(0)) == first[40_000:44_000]
    assert (await listener.hear(10)) == first[44_000:54_000]
    came = await listener.hear(20)
    assert came == first[54_000:] + second[: len(came) - 6000]
    assert abs(len(came) - 20_000) <= 1
    assert listener.tuned.date == moment(40)
    assert dict(listener.tuned.fields)[b"Dlweb-Stream"] == b"0040000@00040000"
    assert studio.given == len(listener.data)
    await listener.leave()
    assert studio.listeners.count == 0


@ensureDeferred
async def test_of_two_agents_that_received_at_once_one_is_given(
    archive: Any, studio: Studio
) -> None:
    """While a stream moves both receive: nothing is given twice, and nothing is missing."""
    first, second = numbered(60_000, 1), numbered(60_000, 2)
    keep_piece(archive, Recorded(0, 60, first), head=PLAIN)
    keep_piece(archive, Recorded(47, 60, second), head=PLAIN)
    expected = {
        40: first[40_000:] + second[13_000:33_000],
        50: second[3000:33_000],
        57: second[10_000:33_000],
        60: second[13_000:33_000],
        70: second[23_000:33_000],
    }
    for begin, data in expected.items():
        listener = await studio.listen(moment(begin))
        await listener.hear(80 - begin)
        assert listener.tuned.date == moment(begin)
        assert listener.data[: len(data)] == data, begin
        await listener.leave()
    long_ago = await studio.tune("00010101000000000000")
    assert long_ago is not None
    assert long_ago.date == moment(0)


@ensureDeferred
async def test_many_entries_hide_no_date(archive: Any, studio: Studio) -> None:
    """Where agents make one each second, there are hundreds beside a date."""
    data = numbered(300_000, 1)
    keep_piece(archive, Recorded(0, 300, data), head=PLAIN, every=1.0)
    listener = await studio.listen(moment(200.5))
    assert (await listener.hear(0))[:1000] == data[200_500:201_500]
    await listener.leave()


@ensureDeferred
async def test_a_slow_encoder_is_followed_by_the_entries_not_by_a_rate(
    archive: Any, studio: Studio
) -> None:
    """What took longer to come is given as slowly, since dates and bytes are those of entries."""
    data = numbered(30_000, 1)
    for second, byte in ((0, 0), (10, 20_000), (30, 30_000)):
        metadata = f"{second * 1000:07}@{byte:08}"
        archive.add(RADIO, data, head=PLAIN, date=moment(second), metadata=metadata)
    listener = await studio.listen(moment(0))
    assert len(await listener.hear(0)) == 8000
    assert len(await listener.hear(6)) == 12_000
    assert len(await listener.hear(10)) == 5000
    await listener.leave()


@ensureDeferred
async def test_a_short_gap_is_waited_out_in_silence(archive: Any, studio: Studio) -> None:
    """Where nothing was received nothing is sent, and then what was."""
    first, second = numbered(10_000, 1), numbered(10_000, 2)
    keep_piece(archive, Recorded(0, 10, first), head=PLAIN)
    keep_piece(archive, Recorded(30, 10, second), head=PLAIN, gap=(10, 30))
    listener = await studio.listen(moment(0))
    assert await listener.hear(6) == first
    assert await listener.hear(19.5) == b""
    assert await listener.hear(1.5) == second[:1000]
    await listener.hear(10)
    assert (listener.data, listener.ended) == (first + second, True)
    assert studio.listeners.count == 0


@ensureDeferred
async def test_a_long_gap_ends_the_stream(archive: Any, studio: Studio) -> None:
    """A gap of more than the patience is not waited out."""
    keep_piece(archive, Recorded(0, 10, numbered(10_000, 1)), head=PLAIN)
    keep_piece(archive, Recorded(41, 10, numbered(10_000, 2)), head=PLAIN)
    listener = await studio.listen(moment(5))
    await listener.hear(6)
    assert (len(listener.data), listener.ended) == (5000, True)


@pytest.mark.parametrize(
    ("second", "byte", "gap"),
    [
        (25, 0, (10, 30)),
        (12, 0, (10, 30)),
        (-50, 0, (None, 0)),
        (90, 0, (40, None)),
    ],
)
@ensureDeferred
async def test_a_date_at_which_nothing_was_received_leads_to_what_came_next(
    archive: Any, studio: Studio, second: float, byte: int, gap: tuple[float | None, float | None]
) -> None:
    """In a gap and before the first it is what came next, after the last the last piece."""
    keep_piece(archive, Recorded(0, 10, numbered(10_000, 1)), head=PLAIN)
    keep_piece(archive, Recorded(30, 10, numbered(10_000, 2)), head=PLAIN)
    tuned = await studio.tune(moment(second))
    assert tuned is not None
    said = dict(tuned.fields)
    assert int(said[b"Dlweb-Stream"].partition(b"@")[2]) == byte
    assert said[b"Dlweb-Gap"] == " ".join("-" if at is None else moment(at) for at in gap).encode()
    await tuned.sound.aclose()  # type: ignore[attr-defined]


@ensureDeferred
async def test_without_a_date_the_last_piece_is_played(archive: Any, studio: Studio) -> None:
    """The newest is the beginning of the last piece, and no gap is told of."""
    keep_piece(archive, Recorded(0, 10, numbered(10_000, 1)), head=PLAIN)
    keep_piece(archive, Recorded(10, 100, numbered(100_000, 2)), head=PLAIN)
    tuned = await studio.tune("")
    assert tuned is not None
    assert tuned.date == moment(10)
    assert b"Dlweb-Gap" not in dict(tuned.fields)
    await tuned.sound.aclose()  # type: ignore[attr-defined]


@ensureDeferred
async def test_one_listener_too_many_is_asked_to_come_back(archive: Any, studio: Studio) -> None:
    """The limit is answered with 503, and a place that is left is another's."""
    keep_piece(archive, Recorded(0, 100, numbered(100_000, 1)), head=PLAIN)
    seated = [await studio.tune(moment(0)) for _ in range(3)]
    with pytest.raises(Faulted) as refused:
        await studio.tune(moment(0))
    assert refused.value.fault.status == 503
    assert seated[0] is not None
    await seated[0].sound.aclose()  # type: ignore[attr-defined]
    await seated[0].sound.aclose()  # type: ignore[attr-defined]
    assert studio.listeners.count == 2
    assert await studio.tune(moment(0)) is not None


@ensureDeferred
async def test_a_radio_of_years_is_looked_up_part_by_part(archive: Any, studio: Studio) -> None:
    """However many entries there are, no list is longer than is needed."""
    for piece in range(40):
        keep_piece(archive, Recorded(600 * piece, 600, numbered(6000, piece)), head=PLAIN)
    for node in (archive.first, archive.second):
        node.asked.clear()
    listener = await studio.listen(moment(12_000))
    await listener.hear(60)
    lists = [target for target in archive.first.asked if target.startswith("/structures/")]
    assert lists
    assert all("limit=" in target and "from=" in target for target in lists)
    assert len(lists) <= 4
    await listener.leave()


@needs_radio
@ensureDeferred
async def test_what_is_played_from_the_middle_decodes_and_is_that_moment(
    archive: Any, studio: Studio, tmp_path: Any
) -> None:
    """Whole frames of MP3 come first: ffmpeg finds no error, and the tone tells the second."""
    data = tone_file(tmp_path / "tone.mp3", 60).read_bytes()
    keep_piece(archive, Recorded(0, 60, data))
    listener = await studio.listen(moment(23.4))
    await listener.hear(10)
    await listener.leave()
    assert decodes(listener.data) == ""
    assert second_of(sound(listener.data), 0.15) == 23
    assert second_of(sound(listener.data), 8.8) == 32
    assert 13 < duration(listener.data) < 14.2


@needs_radio
@pytest.mark.parametrize("kind", [".ogg", ".opus", ".webm"])
@ensureDeferred
async def test_what_needs_a_preamble_gets_it(
    archive: Any, studio: Studio, tmp_path: Any, kind: str
) -> None:
    """From the midst of a container a decoder is given what it needs first."""
    data = tone_file(tmp_path / f"tone{kind}", 40).read_bytes()
    media = "audio/webm" if kind == ".webm" else "application/ogg"
    head = b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\n\r\n" % media.encode()
    keep_piece(archive, Recorded(0, 40, data), head=head)
    listener = await studio.listen(moment(20))
    await listener.hear(10)
    await listener.leave()
    samples = sound(listener.data)
    heard = second_of(samples, 0.3)
    assert abs(heard - 20) <= 6  # a page or a cluster holds some seconds
    assert second_of(samples, 4.3) == heard + 4


@needs_radio
@ensureDeferred
async def test_titles_are_put_back_where_they_were(
    archive: Any, studio: Studio, tmp_path: Any
) -> None:
    """A listener who asks for titles gets them at their bytes, also that of before they began."""
    data = tone_file(tmp_path / "tone.mp3", 60).read_bytes()
    keep_piece(archive, Recorded(0, 60, data, titles={2: "Before", 25: "After"}))
    listener = await studio.listen(moment(20), metaint=4000)
    await listener.hear(10)
    await listener.leave()
    media, titles = parted(listener.data, 4000)
    assert media in data
    assert [title for _, title in titles] == [b"StreamTitle='Before';", b"StreamTitle='After';"]
    place = data.index(media) + titles[1][0]
    assert abs(place - len(data) * 25 / 60) <= 4000 + 16_000 / 2


def parted(data: bytes, metaint: int) -> tuple[bytes, list[tuple[int, bytes]]]:
    """Return media and titles of a stream in which they alternate."""
    media, titles = b"", []
    while len(data) > metaint:
        media, length = media + data[:metaint], data[metaint] * 16
        if length:
            titles.append((len(media), data[metaint + 1 : metaint + 1 + length].rstrip(b"\0")))
        data = data[metaint + 1 + length :]
    return media + data, titles


@ensureDeferred
async def test_a_stream_that_breaks_off_all_the_time_has_its_log_and_its_last_piece(
    archive: Any, studio: Studio
) -> None:
    """However many short pieces came before within the time that one may take."""
    for number in range(600):
        piece = Recorded(12 * number, 10, numbered(1000, number), titles={1: f"Title {number}"})
        keep_piece(archive, piece, head=PLAIN)
    listener = await studio.listen(moment(12 * 599 + 2), metaint=256)
    await listener.hear(3)
    await listener.leave()
    assert b"Title 599" in listener.data
    tuned = await studio.tune("", head_only=True)
    assert tuned is not None
    assert tuned.date == moment(12 * 599)
