"""A radio, from the page that names it to the contents of an archive: an outage, and a kill.

Icecast has it on the air, ffmpeg plays tones that tell their second; real agents do the rest.
"""

import json
import os
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import groupby
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import urlopen

import pytest
from attrs import define, field
from conftest import Archive, Nginx, wait_for

from agents import dates
from agents.stream_log import Begun, Ended, TitleEntry, read_log
from agents.stream_offset import offset_of
from agents.stream_time import StreamEntry, place_at
from tests.live.radio import (
    SCALE,
    Feed,
    Icecast,
    decodes,
    frame_hashes,
    needs_radio,
    second_of,
    sound,
    tone_file,
)

pytestmark = [pytest.mark.slow, needs_radio]

MOUNT = "/tone.mp3"
LEAST = 8000  # bytes of a content in which a second can be told
CONFIGURATION = """
archive: {streaming: true, demonstration: false}
streaming:
  {piece_seconds: 6, log_interval: 2, capture_period: 4, retry_first: 0.5, retry_longest: 1}
"""


@define
class Story:
    """What happened, by the clock of whoever did it, and what was kept of it.

    Attributes:
        sent: all that the radio was fed.
        begun: when each feed began.
        titles: each with the moment at which it was said.
        outage: from when to when there was nothing on the air.
        killed: when the agent was.
        url: of the radio.
        captures: of it, in the order of dates.
        logs: of its pieces, each with its lines, in the order of dates.
        contents: of both, by key.
        archive: which runs.
    """

    url: str
    archive: Archive
    sent: bytes = b""
    begun: list[float] = field(factory=list)
    titles: list[tuple[float, str]] = field(factory=list)
    outage: tuple[float, float] = (0.0, 0.0)
    killed: float = 0.0
    captures: list[dict] = field(factory=list)
    logs: list[list] = field(factory=list)
    contents: dict[str, bytes] = field(factory=dict)

    @property
    def sessions(self) -> dict[str, bytes]:
        """What was heard without a break, by the date at which that began."""
        found: dict[str, bytes] = {}
        for begun, *_, ended in self.logs:
            found[begun.session] = found.get(begun.session, b"") + self.contents[ended.content]
        return found

    def entries(self) -> list[StreamEntry]:
        """Return the entries, as who reads the archive finds them."""
        found = [(each, offset_of(each["metadata"])) for each in self.captures]
        return [StreamEntry(each["date"], each["content"], at) for each, at in found if at]


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    """A page is collected that names a radio; it is listened to, breaks off, and is killed."""
    folder = tmp_path_factory.mktemp("radio")
    tone = tone_file(folder / "tone.mp3", 120)
    with Icecast(folder) as icecast, ExitStack() as stack:
        (folder / "html").mkdir()
        page = f'<audio src="{icecast.url(MOUNT)}"></audio>'
        (folder / "html" / "index.html").write_text(page)
        nginx = Nginx(folder / "html", folder / "nginx")
        stack.callback(nginx.stop)
        archive = Archive(tmp_path_factory.mktemp("archive"), CONFIGURATION)
        stack.callback(archive.stop)
        wait_for(lambda: "streaming" in archive.wait_until_whole(), "the streaming agent", 60)
        with Feed(icecast, MOUNT, tone, name="Radio 404", bitrate="128") as feed:
            story = Story(icecast.url(MOUNT), archive, begun=[time.time()])
            _live(story, archive, icecast, feed, nginx.url)
        yield story


def _live(story: Story, archive: Archive, icecast: Icecast, feed: Feed, page: str) -> None:
    archive.collect(page)
    wait_for(lambda: icecast.listeners(MOUNT), "a listener")
    for title in ("Raoul Petite - Fou de toi", "Été - L’œuvre «à part»"):
        time.sleep(4)
        icecast.title(MOUNT, title)
        story.titles.append((time.time(), title))
    time.sleep(4)
    feed.break_off()
    stopped = time.time()
    time.sleep(4)
    feed.go_on()
    story.begun.append(time.time())
    story.outage = (stopped, time.time())
    wait_for(lambda: icecast.listeners(MOUNT), "the listener to come back")
    time.sleep(8)
    os.kill(archive.agents()["streaming"]["pid"], signal.SIGKILL)
    story.killed = time.time()
    wait_for(lambda: not icecast.listeners(MOUNT), "Icecast to see that the listener is gone")
    wait_for(lambda: icecast.listeners(MOUNT), "the next listener")
    time.sleep(8)
    story.sent = bytes(feed.sent)
    wait_for(lambda: _read(story, archive), "three sessions to be deposited", pause=1.0)
    story.sent = bytes(feed.sent)


def _read(story: Story, archive: Archive) -> bool:
    """Read what is deposited; tell whether a piece of the third session is."""
    captures = archive.check_alive()
    story.captures = [each for each in captures if each["url"] == story.url]
    logs = [each for each in captures if each["url"] == f"stream-log:{story.url}"]
    found = [list(read_log(_content(archive, each["content"]))) for each in logs]
    story.logs = sorted(found, key=lambda lines: lines[0].date)
    if len({lines[0].session for lines in story.logs}) < 3:
        return False
    for lines in story.logs:
        story.contents[lines[-1].content] = _content(archive, lines[-1].content)
    return True


def _content(archive: Archive, key: str) -> bytes:
    """Return a content from whichever storage node has it."""
    for port in (archive.base + 11, archive.base + 12):
        try:
            with urlopen(f"http://127.0.0.1:{port}/contents/{key}", timeout=10) as answer:
                return bytes(answer.read())
        except HTTPError:
            continue
    raise AssertionError(f"{key} is nowhere")


def _seconds(date: str) -> float:
    return dates.to_datetime(date).timestamp()


def test_what_is_kept_is_what_was_on_the_air(story: Story) -> None:
    """Each session is a part of what was fed, without a hole; all of it decodes."""
    assert len(story.sessions) == 3
    for heard in story.sessions.values():
        assert len(heard) > 60_000
        assert heard in story.sent
    whole = [lines[-1].content for lines in story.logs if lines[-1].why == "time"]
    assert whole
    assert [decodes(story.contents[key]) for key in whole] == [""] * len(whole)


def test_its_packets_are_those_of_the_source(story: Story) -> None:
    """A piece is cut between two frames: its packets are a part of those that were fed."""
    fed = frame_hashes(story.sent)
    for lines in story.logs:
        if lines[-1].why == "time":
            kept = frame_hashes(story.contents[lines[-1].content])
            begins = [number for number, packet in enumerate(fed) if packet == kept[0]]
            assert kept in [fed[begin : begin + len(kept)] for begin in begins]


def test_a_date_leads_to_the_sound_of_that_second(story: Story) -> None:
    """At any date of reception, what is found was on the air then, to a second (INA §2.2.2)."""
    entries, asked = story.entries(), 0
    heard = {key: sound(each) for key, each in story.contents.items() if len(each) > LEAST}
    bursts = [_seconds(session) for session in story.sessions]
    for begun, *_, ended in story.logs:
        at = _seconds(begun.date) + 0.5
        while at < _seconds(ended.end) - 0.5:
            place = place_at(entries, dates.from_timestamp(at))
            fed = max(moment for moment in story.begun if moment <= at + 1)
            is_even = min(abs(at - burst) for burst in bursts) > 1.5
            if place is not None and place.content in heard and is_even:
                second = second_of(heard[place.content], place.offset.seconds)
                apart = (second - (at - fed) % 120) % SCALE
                assert min(apart, SCALE - apart) <= 1.5, (at - fed, second)
                asked += 1
            at += 1.0
    assert asked > 15


def test_titles_stand_where_they_were_said(story: Story) -> None:
    """Each at its date and byte, however it is written."""
    told = [line for lines in story.logs for line in lines if isinstance(line, TitleEntry)]
    named = [line for line in told if line.title]
    first = [next(group) for _, group in groupby(named, key=lambda line: line.title)]
    for (at, title), line in zip(story.titles, first, strict=False):
        assert line.title == title
        assert -0.5 < _seconds(line.at) - at < 3.0


def test_the_outage_is_the_gap(story: Story) -> None:
    """Nothing is filled in: the log says from when to when nothing came, and why."""
    begun = [lines[0] for lines in story.logs if isinstance(lines[0], Begun) and lines[0].gap]
    outage, kill = begun[0].gap, begun[1].gap
    assert outage is not None
    assert kill is not None
    assert abs(_seconds(outage.since) - story.outage[0]) < 2
    assert abs(_seconds(outage.until) - story.outage[1]) < 2.5
    assert -2.5 < _seconds(kill.since) - story.killed < 0.5
    assert [lines[-1].why for lines in story.logs if isinstance(lines[-1], Ended)].count("killed")
    middle = dates.from_timestamp(sum(story.outage) / 2)
    assert place_at(story.entries(), middle) is None


def test_the_captures_say_what_is_continued(story: Story) -> None:
    """Entries of one session and piece belong together; the first after a break tells of it."""
    sessions = {}
    for each in story.captures:
        lines = dict(line.split(": ", 1) for line in each["origin"].splitlines())
        session, piece = lines["stream"].split()
        sessions.setdefault(session, []).append((int(piece), each["date"], "gap" in lines))
    assert list(sessions) == list(story.sessions)
    for number, entries in enumerate(sessions.values()):
        assert [piece for piece, _, _ in entries] == sorted(piece for piece, _, _ in entries)
        assert [gap for _, _, gap in entries].count(True) == (1 if number else 0)


def test_the_proxy_plays_what_was_on_the_air_at_a_date(story: Story) -> None:
    """From its original URL, whole frames from that second on, over the seams of pieces."""
    begun = next(lines[0] for lines in story.logs if lines[0].session in story.sessions)
    at = dates.from_timestamp(_seconds(begun.date) + 3)
    fields, heard = story.archive.listen(story.url, 100_000, Accept_Datetime=at)
    assert abs(_seconds(fields["Dlweb-Date"]) - _seconds(at)) < 1
    assert heard in story.sent
    assert decodes(heard[:90_000]) == ""
    place = place_at(story.entries(), fields["Dlweb-Date"])
    assert place is not None
    kept = sound(story.contents[place.content])
    assert second_of(sound(heard), 0.3) == second_of(kept, place.offset.seconds + 0.3)


def test_the_harbor_finds_its_titles(story: Story) -> None:
    """A title that was said is found by its words, with the date at which it was said."""
    url = f"http://127.0.0.1:{story.archive.base + 7}/streams?format=json&words="

    def found(words: str) -> list[dict]:
        with urlopen(url + quote(words), timeout=10) as answer:
            return json.load(answer)["found"]

    told = wait_for(lambda: found("petite raoul"), "the title in the catalogue")
    assert {each["url"] for each in told} == {story.url}
    assert min(abs(_seconds(each["date"]) - story.titles[0][0]) for each in told) < 3
    assert found("oeuvre ete") or found("œuvre ete")
