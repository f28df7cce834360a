"""Streams in segments of a server whose answers are written here."""

import gzip
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest
from attrs import define, evolve, field
from pytest_twisted import async_yield_fixture, ensureDeferred
from twisted.internet import reactor

from agents.stream import StreamState
from agents.stream_log import Begun, ClockEntry, Ended, GapEntry, MarkEntry, TitleEntry, read_log
from agents.streaming.following.choosing import Choice
from agents.streaming.recording import Recorder
from anet.http import HttpServer, Request, Response
from anet.tasks import sleep
from tests.agents.streaming.following.conftest import QUICK, House
from tests.live.radio import tone_file
from tests.live.television import needs_television

HEAD = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n"
OVER = "#EXT-X-ENDLIST\n"


@define
class Web:
    """A web server: by path, answers that are taken in turn, the last one for ever.

    An answer is a text, the bytes of a segment, a status, or a whole answer.
    """

    url: str = ""
    answers: dict[str, list[str | bytes | int | Response]] = field(factory=dict)
    asked: list[str] = field(factory=list)
    ranges: list[bytes] = field(factory=list)

    async def answer(self, request: Request) -> Response:
        self.asked.append(request.target)
        self.ranges += request.headers.get_all(b"range")
        listed = self.answers.get(request.target, [404])
        said = listed.pop(0) if len(listed) > 1 else listed[0]
        if isinstance(said, Response):
            return said
        if isinstance(said, int):
            return Response.text(said, "")
        body = said.encode() if isinstance(said, str) else said
        return Response(200, [(b"Content-Type", b"video/mp2t")], body)

    def put(self, path: str, *said: str | bytes | int | Response) -> None:
        """Have something answered."""
        self.answers[path] = list(said)

    def count(self, path: str) -> int:
        """Return how often something was asked for."""
        return self.asked.count(path)


@async_yield_fixture
async def web() -> AsyncIterator[Web]:
    """A web server."""
    web = Web()
    server = HttpServer(reactor, "127.0.0.1:0", web.answer, name="web")
    server.startService()
    web.url = f"http://{server.address}"
    yield web
    await server.stopService()


def listed(*names: str, first: int = 0, before: str = "") -> str:
    """Return a live playlist of segments of a second each."""
    lines = "".join(f"{before}#EXTINF:1,\n{name}\n" for name in names)
    return f"{HEAD}#EXT-X-MEDIA-SEQUENCE:{first}\n{lines}"


@ensureDeferred
async def test_each_segment_is_asked_for_once(web: Web, house: House) -> None:
    """However often it is listed; a manifest that is as it was is kept once."""
    web.put("/l", listed("a", "b"), listed("a", "b"), listed("b", "c", first=1) + OVER)
    for name in "abc":
        web.put(f"/{name}", name.encode())
    following = house.follow(f"{web.url}/l")
    await house.heard("ended")
    assert sorted(path for path in web.asked if path != "/l") == ["/a", "/b", "/c"]
    kept = [(each.url.removeprefix(web.url), body) for each, body in await house.kept()]
    assert [body for path, body in kept if path == "/l"] == [
        listed("a", "b").encode(),
        (listed("b", "c", first=1) + OVER).encode(),
    ]
    assert {("/a", b"a"), ("/b", b"b"), ("/c", b"c")} <= set(kept)
    status = following.status()
    assert (status.pieces, status.received, status.gaps, status.doing) == (3, 3, 0, "waiting")
    origin = next(each.origin for each, _ in await house.kept() if each.url.endswith("/a"))
    assert "site: site\n" in origin
    assert 'request: "GET /a HTTP/1.1' in origin


@ensureDeferred
async def test_parts_of_files_are_asked_for_by_range(web: Web, house: House) -> None:
    """Each range is a capture of its own."""
    text = (
        HEAD + '#EXT-X-MAP:URI="all",BYTERANGE="2@0"\n'
        "#EXTINF:1,\n#EXT-X-BYTERANGE:3@2\nall\n#EXTINF:1,\n#EXT-X-BYTERANGE:4\nall\n" + OVER
    )
    web.put("/l", text)
    parts = [b"in", b"one", b"more"]
    web.put("/all", *(Response(206, [(b"Content-Range", b"bytes 0-1/9")], each) for each in parts))
    house.follow(f"{web.url}/l", evolve(QUICK, hands=1))
    await house.heard("ended")
    assert web.ranges == [b"bytes=0-1", b"bytes=2-4", b"bytes=5-8"]
    found = [(each.status, body) for each, body in await house.kept() if each.url.endswith("/all")]
    assert found == [(206, part) for part in parts]


@ensureDeferred
async def test_keys_are_kept_and_renewed(web: Web, house: House) -> None:
    """A key is fetched when its URL is new, and again after a while."""
    key = '#EXT-X-KEY:METHOD=AES-128,URI="{}"\n'
    web.put(
        "/l",
        listed("a", before=key.format("k")),
        listed("a", "b", before=key.format("k")),
        listed("b", "c", first=1, before=key.format("m")) + OVER,
    )
    web.put("/k", bytes(16))
    web.put("/m", bytes(range(16)))
    for name in "abc":
        web.put(f"/{name}", name.encode())
    house.follow(f"{web.url}/l", evolve(QUICK, renew=0.1))
    await house.heard("ended")
    assert (web.count("/k"), web.count("/m")) == (2, 1)
    kept = {each.url.removeprefix(web.url): body for each, body in await house.kept()}
    assert (kept["/k"], kept["/m"]) == (bytes(16), bytes(range(16)))


@ensureDeferred
async def test_what_is_missing_is_named(web: Web, house: House) -> None:
    """Segments that are gone, that the manifest calls gaps, and that lead nowhere."""
    web.put("/l", listed("a", "#EXT-X-GAP\nx", "no", "file:///etc/passwd", "b") + OVER)
    web.put("/a", b"a")
    web.put("/b", b"b")
    house.follow(f"{web.url}/l", evolve(QUICK, hands=1))
    await house.heard("ended")
    gaps = [line.gap.why for line in house.logs.lines() if isinstance(line, GapEntry)]
    assert web.count("/no") == 4
    assert "/x" not in web.asked
    seconds = sum(float(why.partition(" ")[0]) for why in gaps)
    assert seconds == 3.0
    assert house.followed[0].status().gaps == len(gaps)


@ensureDeferred
async def test_low_latency_is_followed_only_if_it_is_wanted(web: Web, house: House) -> None:
    """Then parts are kept, and the server is asked to hold its answer back."""
    text = (
        HEAD + "#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES\n#EXT-X-PART-INF:PART-TARGET=0.5\n"
        '#EXTINF:1,\na\n#EXT-X-PART:DURATION=0.5,URI="b.1"\n'
    )
    after = HEAD + '#EXTINF:1,\na\n#EXT-X-PART:DURATION=0.5,URI="b.1"\n#EXTINF:1,\nb\n' + OVER
    for path in ("/a", "/b", "/b.1"):
        web.put(path, path.encode())
    web.put("/l", text)
    web.put("/l?_HLS_msn=1&_HLS_part=1", after)
    house.follow(f"{web.url}/l", evolve(QUICK, parts=True))
    await house.heard("ended")
    assert web.asked.count("/b.1") == 1
    names = [each.url.removeprefix(web.url) for each, _ in await house.kept()]
    assert names.count("/l") == 2  # under its own name, whatever was asked for
    web.asked.clear()
    web.put("/l", text, after)
    house.news.clear()
    house.follow(f"{web.url}/l")
    await house.heard("ended")
    assert "/b.1" not in web.asked


@ensureDeferred
async def test_titles_are_logged(web: Web, house: House) -> None:
    """What manifests say of what is on the air, each once."""
    span = '#EXT-X-DATERANGE:ID="1",START-DATE="2026-11-22T07:00:00Z",X-TITLE="The news"\n'
    text = HEAD + "#EXTINF:1,Somebody - Something\na\n#EXTINF:1,Somebody - Something\nb\n" + span
    web.put("/l", text, text, text + "#EXTINF:1,Another\nc\n" + OVER)
    for name in "abc":
        web.put(f"/{name}", b"")
    following = house.follow(f"{web.url}/l")
    await house.heard("ended")
    titles = [line.title for line in house.logs.lines() if isinstance(line, TitleEntry)]
    assert titles == ["Somebody - Something", "The news", "Another"]
    assert following.status().titles == 3
    assert house.news[-1].state.title == "Another"


@pytest.mark.parametrize("problem", ["", "no answer"])
@ensureDeferred
async def test_a_break_before_is_told(web: Web, house: House, problem: str) -> None:
    """What was not heard since the agent was there last is a gap, with its cause if it is known."""
    web.put("/l", listed("a") + OVER)
    web.put("/a", b"a")
    state = StreamState(heard="20261101000000000000", problem=problem)
    house.follow(f"{web.url}/l", state=state)
    await house.heard("ended")
    gap = house.logs.begun[0].beginning.gap
    assert gap is not None
    assert (gap.since, gap.why) == (state.heard, problem or "the agent was not listening")


@ensureDeferred
async def test_hostile_manifests_are_followed_within_limits(web: Web, house: House) -> None:
    """Bodies without end, redirections without end, bombs in codings: it fails, and says why."""
    limit = 4 * 2**20
    bomb = Response(200, [(b"Content-Encoding", b"gzip")], _bomb(limit * 2))
    answers: dict[str, tuple[Response | str, str]] = {
        "/long": (HEAD + "#" * limit, "passes"),
        "/bomb": (bomb, "longer than"),
        "/round": (Response.redirect("/round2"), "redirect"),
        "/ftp": (Response.redirect("ftp://127.0.0.1/"), "nowhere"),
        "/page": ("<html>", "#EXTM3U"),
    }
    web.put("/round2", Response.redirect("/round"))
    for path, (answer, problem) in answers.items():
        web.put(path, answer)
        house.news.clear()
        house.follow(f"{web.url}{path}")
        news = await house.heard("failing")
        assert problem in news.state.problem


def _bomb(size: int) -> bytes:
    return gzip.compress(b"#EXTM3U\n" + b"#" * size)


@ensureDeferred
async def test_a_master_playlist_leads_to_what_is_chosen(web: Web, house: House) -> None:
    """A variant that is dead does not silence the others; renditions come with theirs."""
    web.put(
        "/m",
        '#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="x",URI="sound"\n'
        '#EXT-X-STREAM-INF:BANDWIDTH=900000,AUDIO="a"\nhigh\n'
        '#EXT-X-STREAM-INF:BANDWIDTH=100000,AUDIO="a"\nlow\n'
        "#EXT-X-STREAM-INF:BANDWIDTH=50000\nleast\n",
    )
    web.put("/high", listed("h1"), listed("h1", "h2"), listed("h1", "h2", "h3") + OVER)
    web.put("/sound", listed("s1") + OVER)
    for name in ("h1", "h2", "h3", "s1"):
        web.put(f"/{name}", name.encode())
    following = house.follow(f"{web.url}/m", evolve(QUICK, choice=Choice(3)))
    await house.until(lambda: following.status().pieces == 4)
    assert "/least" not in web.asked
    assert web.count("/low") >= 3
    assert following.status().state.bitrate == 900


@ensureDeferred
async def test_a_server_that_is_gone_says_so(web: Web, house: House) -> None:
    """410 is for ever; nothing more is asked."""
    web.put("/l", 410)
    house.follow(f"{web.url}/l")
    await house.heard("gone")
    asked = len(web.asked)
    await sleep(reactor, 0.3)
    assert len(web.asked) == asked


@ensureDeferred
async def test_a_reception_that_breaks_off_goes_on(web: Web, house: House) -> None:
    """Broken is told, then the next session begins where the window allows."""
    web.put("/l", listed("a"), 503, 503, listed("c", "d", first=2) + OVER)
    for name in "acd":
        web.put(f"/{name}", name.encode())
    house.follow(f"{web.url}/l")
    await house.heard("ended")
    assert [news.outcome for news in house.news] == ["receiving", "broken", "receiving", "ended"]
    assert "503" in house.news[1].state.problem
    (gap,) = [line.gap for line in house.logs.lines() if isinstance(line, GapEntry)]
    assert gap.why.startswith(f"1.000 s of {web.url}/l: ")
    first, second = house.logs.begun
    assert second.beginning.session > first.beginning.session
    statuses = [each.status for each, _ in await house.kept() if each.url.endswith("/l")]
    assert statuses == [200, 503, 200]


@ensureDeferred
async def test_dash_changes_its_periods(web: Web, house: House) -> None:
    """A new period has tracks of its own; what cannot be reached by xlink is left alone."""

    def manifest(*periods: str, type_: str = "dynamic") -> str:
        return (
            f'<MPD type="{type_}" availabilityStartTime="2026-01-01T00:00:00Z" '
            'minimumUpdatePeriod="PT0.1S" xmlns:xlink="http://www.w3.org/1999/xlink">'
            + "".join(periods) + "</MPD>"
        )  # fmt: skip

    def period(name: str, runs: int) -> str:
        return (
            f'<Period id="{name}" start="PT0S"><BaseURL>{name}/</BaseURL><AdaptationSet>'
            '<SegmentTemplate media="$Time$" initialization="i"><SegmentTimeline>'
            f'<S t="0" d="1" r="{runs - 1}"/></SegmentTimeline></SegmentTemplate>'
            '<Representation id="v" bandwidth="1"/></AdaptationSet></Period>'
        )

    link = '<Period xlink:href="/elsewhere"/>'
    web.put(
        "/l.mpd",
        manifest(period("one", 2), link),
        manifest(period("one", 3), period("two", 1)),
        manifest(period("two", 2), type_="static"),
    )
    paths = ["/one/i", "/one/0", "/one/1", "/one/2", "/two/i", "/two/0", "/two/1"]
    for path in paths:
        web.put(path, path.encode())
    house.follow(f"{web.url}/l.mpd")
    await house.heard("ended")
    assert sorted(path for path in web.asked if path != "/l.mpd") == sorted(paths)
    assert not [line for line in house.logs.lines() if isinstance(line, GapEntry | MarkEntry)]


def _spots(*numbers: int, type_: str = "dynamic") -> str:
    """Return a channel of periods without names, of two segments of a second each."""
    periods = "".join(
        f'<Period start="PT{2 * number}S" duration="PT2S"><AdaptationSet><SegmentTemplate '
        f'media="{number}-$Time$"><SegmentTimeline><S t="0" d="1" r="1"/></SegmentTimeline>'
        '</SegmentTemplate><Representation id="v" bandwidth="1"/></AdaptationSet></Period>'
        for number in numbers
    )
    return (
        f'<MPD type="{type_}" availabilityStartTime="2026-01-01T00:00:00Z" '
        f'minimumUpdatePeriod="PT0.1S">{periods}</MPD>'
    )


@ensureDeferred
async def test_periods_follow_on_each_other(web: Web, house: House) -> None:
    """Though they have no names and the oldest go, nothing begins anew, and no time is lost."""
    web.put("/l.mpd", _spots(1, 2), _spots(2, 3, 4), _spots(4, 5, type_="static"))
    paths = [f"/{number}-{time}" for number in range(1, 6) for time in (0, 1)]
    for path in paths:
        web.put(path, path.encode())
    following = house.follow(f"{web.url}/l.mpd")
    await house.heard("ended")
    assert sorted(path for path in web.asked if path != "/l.mpd") == paths
    assert len(house.logs.begun) == 1
    assert following.status().signal == 10.0


@ensureDeferred
async def test_of_periods_that_are_long_past_nothing_is_fetched(web: Web, house: House) -> None:
    """What is before the reception is taken only as far back as is wanted."""
    web.put("/l.mpd", _spots(*range(1, 30), type_="static"))
    following = house.follow(f"{web.url}/l.mpd", evolve(QUICK, look_back=3.0))
    await house.heard("ended")
    assert {path for path in web.asked if path != "/l.mpd"} <= {
        f"/{number}-{time}" for number in (27, 28, 29) for time in (0, 1)
    }
    assert following.status().signal <= 6.0


@ensureDeferred
async def test_a_clock_that_is_wrong_is_told_by_the_date_of_the_answer(
    web: Web, house: House
) -> None:
    """Where a manifest names no clock, its server's is better than none."""
    began = datetime.now(UTC) - timedelta(seconds=3600)
    said = format_datetime(began + timedelta(seconds=20), usegmt=True)
    text = (
        '<MPD type="dynamic" availabilityStartTime="{}" minimumUpdatePeriod="PT1S" '
        'timeShiftBufferDepth="PT4S"><Period><AdaptationSet><SegmentTemplate media="$Number$" '
        'duration="2"/><Representation id="v"/></AdaptationSet></Period></MPD>'
    )
    body = text.format(f"{began:%Y-%m-%dT%H:%M:%SZ}").encode()
    head = f"HTTP/1.1 200 OK\r\nDate: {said}\r\n\r\n".encode()
    web.put("/l.mpd", Response(200, [], body, raw_head=head))
    house.follow(f"{web.url}/l.mpd")
    await house.until(lambda: len(web.asked) > 1)
    assert web.asked[1] in ("/8", "/9")


@ensureDeferred
async def test_an_outage_of_dash_is_told(web: Web, house: House) -> None:
    """By a manifest that is not given, whatever the clock says meanwhile."""
    text = (
        '<MPD type="{}" availabilityStartTime="2026-01-01T00:00:00Z" minimumUpdatePeriod="PT0S" '
        'timeShiftBufferDepth="PT2S"><Period><AdaptationSet><SegmentTemplate media="$Number$" '
        'duration="1"/><Representation id="v"/></AdaptationSet></Period></MPD>'
    )
    web.put("/l.mpd", text.format("dynamic"), 503, 503, text.format("static"))
    house.follow(f"{web.url}/l.mpd")
    await house.heard("broken")
    await house.heard("ended")


@pytest.mark.parametrize("stop", [lambda web: None, lambda web: web.put("/a", 503)])
@ensureDeferred
async def test_a_stop_ends_all(web: Web, house: House, stop: Callable[[Web], None]) -> None:
    """Whatever is under way, nothing is asked for afterwards."""
    web.put("/l", listed("a"))
    web.put("/a", b"a")
    stop(web)
    following = house.follow(f"{web.url}/l")
    await house.until(lambda: "/a" in web.asked)
    await following.stop()
    asked = len(web.asked)
    await sleep(reactor, 0.3)
    assert len(web.asked) == asked
    assert house.logs.begun[0].ended


def _id3(title: str) -> bytes:
    """Return timed metadata as it stands in streams of AAC (ID3 2.4)."""
    text = b"\x03" + title.encode()
    frame = b"TIT2" + len(text).to_bytes(4, "big") + b"\0\0" + text
    return b"ID3\x04\0\0" + len(frame).to_bytes(4, "big") + frame


@needs_television
@ensureDeferred
async def test_titles_within_segments_are_logged(web: Web, house: House, tmp_path: Path) -> None:
    """Timed metadata between the frames of a stream of sound."""
    frames = tone_file(tmp_path / "tone.aac", 1).read_bytes()
    web.put("/l", listed("a", "b") + OVER)
    web.put("/a", _id3("First") + frames)
    web.put("/b", _id3("Second") + frames)
    house.follow(f"{web.url}/l", evolve(QUICK, hands=1))
    await house.heard("ended")
    titles = [line.title for line in house.logs.lines() if isinstance(line, TitleEntry)]
    assert titles == ["First", "Second"]


@ensureDeferred
async def test_a_channel_that_is_silent_for_long_is_given_up(web: Web, house: House) -> None:
    """After a while without a manifest it fails, and is followed no more."""
    web.put("/l", listed("a"), 503)
    web.put("/a", b"a")
    house.follow(f"{web.url}/l", evolve(QUICK, give_up=1.0))
    news = await house.heard("failing")
    assert [each.outcome for each in house.news] == ["receiving", "broken", "failing"]
    assert "503" in news.state.problem


@ensureDeferred
async def test_of_more_than_may_wait_the_last_are_fetched(web: Web, house: House) -> None:
    """What is before them is missing, and told."""
    names = [f"s{number}" for number in range(50)]
    web.put("/l", listed(*names) + OVER)
    for name in names:
        web.put(f"/{name}", b"s")
    following = house.follow(f"{web.url}/l", evolve(QUICK, waiting=8))
    await house.heard("ended")
    assert sorted(web.asked[1:]) == [f"/{name}" for name in names[-8:]]
    assert following.status().gaps == 1
    (gap,) = [line.gap for line in house.logs.lines() if isinstance(line, GapEntry)]
    assert gap.why.startswith("42.000 s of ")


@ensureDeferred
async def test_the_log_is_a_content_of_its_own(web: Web, house: House) -> None:
    """By the agent's own recorder: it goes into the archive under the name of the stream's logs."""
    folder = house.crawls / "tv.open"
    recorder = Recorder(reactor, house.workers, folder, house.captures)
    web.put("/l", listed("a") + OVER)
    web.put("/a", b"a")
    house.follow(f"{web.url}/l", recorder=recorder)
    await house.heard("ended")
    await recorder.flush()
    await recorder.stop()
    (log,) = [body for each, body in await house.kept() if each.url == f"stream-log:{web.url}/l"]
    begun, entry, ended = read_log(log)
    assert isinstance(begun, Begun)
    assert (begun.stream, begun.protocol, begun.media_type) == (f"{web.url}/l", "hls", "video/mp2t")
    assert isinstance(entry, ClockEntry)
    assert isinstance(ended, Ended)
    assert (entry.ms, ended.ms, ended.why, ended.content) == (1000, 1000, "stopped", "")


@ensureDeferred
async def test_names_that_are_used_again_stand_for_new_segments(web: Web, house: House) -> None:
    """Some packagers have a few names, and use them in turn."""
    web.put("/l", listed("a", "b"), listed("a", "b", first=2) + OVER)
    for name in "ab":
        web.put(f"/{name}", name.encode(), name.encode() * 2)
    house.follow(f"{web.url}/l", evolve(QUICK, hands=1))
    await house.heard("ended")
    found = {body for each, body in await house.kept() if not each.url.endswith("/l")}
    assert found >= {b"a", b"b", b"aa", b"bb"}


@ensureDeferred
async def test_a_variant_that_comes_back_is_followed_again(web: Web, house: House) -> None:
    """Its playlist was refused for a while; the others went on."""
    variants = "".join(f"#EXT-X-STREAM-INF:BANDWIDTH={9 - n}\n{n}\n" for n in (1, 2))
    web.put("/m", "#EXTM3U\n" + variants)
    web.put("/1", listed("a"), *[404] * 5, listed("a", "b") + OVER)
    web.put("/2", *(listed("c", "d", first=n) for n in range(3)), listed("e", first=4) + OVER)
    for name in "abcde":
        web.put(f"/{name}", name.encode())
    house.follow(f"{web.url}/m")
    await house.heard("ended")
    assert web.count("/b") == 1
    assert web.count("/m") == 1
