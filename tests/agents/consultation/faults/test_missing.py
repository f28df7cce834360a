"""The log of holes is bounded, and counts each URL once."""

import resource
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import Deferred

from agents.consultation.faults.fault import missing_content, unknown_url, unreachable
from agents.consultation.faults.missing import TEXT_LIMIT, Missing
from agents.consultation.faults.missing_log import MissingLog
from agents.consultation.faults.reporting import Reporting
from agents.missed import MissedLink
from anet.workers import Workers
from hip import Agent, CallRefused, exposed

DATE, LATER = "20261121073000000000", "20261122073000000000"


def test_a_url_asked_again_is_counted():
    """The same hole is one entry with its count, and becomes the newest."""
    missing = Missing(10)
    for url in ("http://a/", "http://b/", "http://a/"):
        missing.note(unknown_url(url), "http://page/", DATE)
    assert [(hole.url, hole.times) for hole in missing.newest(10)] == [
        ("http://a/", 2),
        ("http://b/", 1),
    ]


def test_the_page_that_links_there_is_kept():
    """A later request that does not say its page does not wipe it."""
    missing = Missing(10)
    missing.note(unknown_url("http://a/"), "http://page/", DATE)
    missing.note(unknown_url("http://a/"), "", DATE)
    assert missing.newest(1)[0].page == "http://page/"


def test_the_log_is_bounded():
    """The oldest holes leave, and long URLs are cut."""
    missing = Missing(3)
    for number in range(10):
        missing.note(unknown_url(f"http://a/{number}/" + "x" * 5000), "y" * 5000, DATE)
    holes = missing.newest(100)
    assert len(missing) == len(holes) == 3
    assert all(len(hole.url) == len(hole.page) == TEXT_LIMIT for hole in holes)


def test_what_is_found_later_is_noted():
    """A URL that is given at last is no more to be told; missed again it is as before."""
    missing = Missing(3)
    missing.note(unknown_url("http://a/"), "", DATE)
    missing.found("http://a/", LATER)
    missing.found("http://b/", LATER)
    assert missing.newest(1)[0].found == LATER and not missing.due(9)
    missing.note(unknown_url("http://a/"), "", LATER)
    assert (missing.newest(1)[0].found, missing.newest(1)[0].times) == ("", 2)


def test_the_scheduler_hears_in_ever_longer_steps():
    """At once, and then whenever it was asked for twice as often."""
    missing, told = Missing(3), []
    for _ in range(20):
        missing.note(unknown_url("http://a/"), "", DATE)
        for hole in missing.due(9):
            told.append(hole.times)
            missing.told([hole])
    assert told == [1, 2, 4, 8, 16]


def test_only_what_can_be_collected_is_told():
    """Neither what the archive lost itself, nor answers to requests with a body."""
    missing = Missing(9)
    missing.note(missing_content("http://a/", "", "f" * 64), "", DATE)
    missing.note(unreachable("http://b/", "", "no"), "", DATE)
    missing.note(unknown_url("http://c/?__wb_method=POST&a=1"), "", DATE)
    assert not missing.due(9)


def test_a_log_outlives_its_process(tmp_path):
    """The last line of a URL counts; a line cut off by a kill is left out, and spoils none."""
    path, missing = tmp_path / "missing", Missing(3)
    log = MissingLog(path, 3)
    for number in (1, 2, 1):
        missing.note(unknown_url(f"http://a/{number}"), "", DATE)
        log.add(missing.changed.values())
    with path.open("ab") as file:
        file.write(b'{"url": "http://a/3", "sta')
    reborn = Missing(3)
    after = MissingLog(path, 3)
    reborn.recall(after.read())
    assert reborn.newest(9) == missing.newest(9)
    reborn.note(unknown_url("http://a/4"), "", LATER)
    after.add(reborn.changed.values())
    assert MissingLog(path, 3).read()[-1].url == "http://a/4"


def test_a_line_that_a_full_disk_cut_off_spoils_none(tmp_path):
    """What is written once there is room again begins a line of its own."""
    path, missing = tmp_path / "missing", Missing(9)
    log = MissingLog(path, 9)
    missing.note(unknown_url("http://a/0"), "", DATE)
    log.add(missing.changed.values())
    missing.note(unknown_url("http://a/1"), "", DATE)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 20, limits[1]))
    try:
        with pytest.raises(OSError):
            log.add(missing.changed.values())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    log.add([missing.newest(1)[0]])
    assert MissingLog(path, 9).read() == missing.newest(9)[::-1]


@ensureDeferred
async def test_what_a_full_disk_keeps_waiting_is_bounded(monkeypatch):
    """Holes that cannot be written wait in memory, never more than are kept at all."""
    missing = Missing(5)

    class Full:
        """A log on a full disk; readers go on meanwhile."""

        def __init__(self):
            self.numbers = count()

        def add(self, holes):
            for number in self.numbers:
                missing.note(unknown_url(f"http://a/{number}"), "", DATE)
                if number % 4 == 3:
                    raise OSError("No space left on device")

    workers = Workers(reactor, 1)
    workers.startService()
    link = Agent(reactor, kind="consultation", name="c").connect("127.0.0.1:1")
    reporting = Reporting(reactor, missing, Full(), link, workers)
    missing.note(unknown_url("http://b/"), "", DATE)
    for _ in range(10):
        await reporting._write()
    await workers.stopService()
    assert list(missing.changed.values()) == missing.newest(5)[::-1]
    assert "No space" in reporting.problem


def test_a_log_does_not_grow_for_ever(tmp_path):
    """Written anew, it holds each hole once."""
    path, missing = tmp_path / "missing", Missing(2)
    log = MissingLog(path, 2)
    long = False
    for number in range(9):
        missing.note(unknown_url(f"http://a/{number % 2}"), "", DATE)
        long = log.add(missing.changed.values())
        missing.changed.clear()
    assert long
    log.renew(missing.newest(2)[::-1])
    assert len(path.read_text().splitlines()) == 2
    assert MissingLog(path, 2).read() == missing.newest(2)[::-1]


@given(st.binary(max_size=300))
def test_any_file_can_be_read(tmp_path_factory, data):
    """Whatever stands in it."""
    path = tmp_path_factory.mktemp("log") / "missing"
    path.write_bytes(data)
    assert isinstance(MissingLog(path, 3).read(), list)


class Scheduler:
    """Takes what it is told, once it does."""

    def __init__(self):
        self.links, self.refusals = [], 1

    @exposed
    def missed(self, links: list[MissedLink]) -> None:
        """Hear of links."""
        if self.refusals:
            self.refusals -= 1
            raise CallRefused("not-now", "the test says so")
        self.links += links


@ensureDeferred
async def test_what_the_scheduler_does_not_take_is_told_again(tmp_path, monkeypatch):
    """Nothing is lost while it is away, or refuses; told, it is written down as such."""
    monkeypatch.setattr("agents.consultation.faults.reporting.EVERY", 0.02)
    scheduler, agent = Scheduler(), Agent(reactor, kind="scheduler", name="scheduler")
    agent.methods.add(scheduler)
    listener = agent.listen("127.0.0.1:0")
    slave = Agent(reactor, kind="consultation", name="consultation")
    missing, workers, told = Missing(1000), Workers(reactor, 1), Deferred()
    note_told = missing.told
    monkeypatch.setattr(missing, "told", lambda holes: told.callback(note_told(holes)))
    for number in range(3):
        missing.note(unknown_url(f"http://a.org/{number}"), "http://a.org/", DATE)
    missing.note(unknown_url("http://a.org/" + "x" * 5000), "", DATE)
    agent.startService()
    link = slave.connect(f"127.0.0.1:{listener.port}")
    reporting = Reporting(reactor, missing, MissingLog(tmp_path / "log", 9), link, workers)
    services = (reporting, slave)
    for service in services:
        service.startService()
    await told.addTimeout(20, reactor)
    for service in reversed(services):
        await service.stopService()
    await agent.stopService()
    assert [(link.url[-1], link.page) for link in scheduler.links[:3]] == [
        (str(number), "http://a.org/") for number in range(3)
    ]
    holes = MissingLog(tmp_path / "log", 9).read()
    assert len(holes) == 4 and all(hole.reported for hole in holes)
