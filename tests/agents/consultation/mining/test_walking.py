"""The archive is followed to its end, goes on where it was, and no document stops it."""

import lmdb
import pytest_twisted
from pytest_twisted import ensureDeferred

from agents.archive.kept_records import name_of
from agents.capture import content_key
from agents.consultation.harbor import listing
from agents.consultation.harbor.listing import Listings
from agents.consultation.mining.extracting import Extracting
from agents.consultation.mining.extraction import Extracted
from agents.consultation.mining.graph import Graph
from agents.consultation.mining.records import Position
from agents.consultation.mining.walking import Walk
from anet.errors import WorkersUnavailable, WorkerTooLarge
from anet.tasks import Tasks, sleep
from anet.workers import Workers

TARGET = "http://target.example/"
PAGE = b'<a href="http://target.example/">there</a>'
OLD, NEW = "20200101000000000000", "20260101000000000000"


class Reading(Extracting):
    """Reads documents, notes which, and fails at those it is told to."""

    def __init__(self, reactor) -> None:
        super().__init__(reactor)
        self.read: list[str] = []
        self.fails: set[str] = set()

    async def extract(self, capture, content) -> Extracted:
        self.read.append(capture.url)
        if capture.url in self.fails:
            content.close()
            raise WorkerTooLarge("too much")
        return await super().extract(capture, content)


class Follower:
    """Follows an archive as the agent does."""

    def __init__(self, archive, reactor, folder) -> None:
        self.archive, self.reactor = archive, reactor
        self.path = folder / "mining.lmdb"
        self.workers = Workers(reactor, 1)
        self.reading = Reading(reactor)
        for service in (self.workers, self.reading):
            service.startService()
        self.begin()

    def begin(self) -> None:
        """Take up the file as it is."""
        self.graph, self.tasks = Graph(self.path), Tasks()
        self.graph.open()
        listings = Listings(self.archive.client, self.archive.locator.all_nodes)
        retrieval = self.archive.retrieval
        self.walk = Walk(self.reactor, listings, retrieval, self.reading, 1000.0, pause=0.05)

    def go(self) -> None:
        """Begin to follow."""
        self.tasks.start(self.walk.run(self.graph, self.workers), "walk")

    async def until(self, condition) -> None:
        """Wait for a condition."""
        for _ in range(1000):
            if condition():
                return
            await sleep(self.reactor, 0.01)
        raise AssertionError("it did not come about")

    async def whole(self) -> None:
        """Wait until a new round came to its end."""
        before = self.walk.position.whole if self.walk.position else ""
        await self.until(lambda: self.walk.position and self.walk.position.whole > before)

    async def kill(self) -> None:
        """Stop at once, as by kill -9: only what was noted stays."""
        await self.tasks.stop()
        self.graph.close()

    def backlinks(self) -> set[tuple[str, str, str]]:
        found, _ = self.graph.backlinks(TARGET, "", 100)
        return {(link.url, link.first, link.last) for link in found}

    async def stop(self) -> None:
        await self.kill()
        await self.reading.stopService()
        await self.workers.stopService()


@pytest_twisted.async_yield_fixture
async def follower(archive, reactor, tmp_path):
    """What follows an archive of one page that links."""
    archive.add("http://a.example/", PAGE, date=OLD)
    follower = Follower(archive, reactor, tmp_path)
    yield follower
    await follower.stop()


@ensureDeferred
async def test_what_comes_later_is_found(follower, archive):
    """A new round finds new captures; the same content is not read again, but known for longer."""
    follower.go()
    await follower.whole()
    assert follower.backlinks() == {("http://a.example/", OLD, OLD)}
    archive.add("http://a.example/", PAGE, date=NEW)
    archive.add("http://b.example/", PAGE, date=NEW)
    archive.add("http://b.example/picture", b"\x89PNG", head=b"HTTP/1.1 200 OK\r\n\r\n")
    await follower.until(lambda: len(follower.backlinks()) == 2)
    await follower.whole()
    assert follower.backlinks() == {
        ("http://a.example/", OLD, NEW),
        ("http://b.example/", NEW, NEW),
    }
    assert follower.reading.read == ["http://a.example/", "http://b.example/"]


@ensureDeferred
async def test_records_of_imports_are_not_read(follower, archive, monkeypatch):
    """However many there are, the walk goes on after them."""
    monkeypatch.setattr(listing, "PART_SIZE", 2)
    monkeypatch.setattr(listing, "SCAN_LIMIT", 1)
    for number in range(40):
        archive.add(name_of(f"{number}.warc.gz", "0123456789abcdef"), PAGE + b"%d" % number)
    follower.go()
    await follower.whole()
    assert follower.reading.read == ["http://a.example/"]


@ensureDeferred
async def test_a_redirection_links_too(follower, archive):
    """Where a redirection leads is told by its head alone."""
    head = b"HTTP/1.1 302 Found\r\nLocation: http://target.example/\r\n\r\n"
    archive.add("http://c.example/", b"", head=head, date=NEW)
    follower.go()
    await follower.whole()
    assert ("http://c.example/", NEW, NEW) in follower.backlinks()


@ensureDeferred
async def test_it_goes_on_after_a_kill(follower, archive):
    """What was noted is not read again, and the next process goes on from there."""
    for number in range(120):
        archive.add(f"http://n.example/{number}", PAGE + b"%d" % number, date=NEW)
    follower.go()
    await follower.until(lambda: follower.graph.position().after)
    await follower.kill()
    read = len(follower.reading.read)
    follower.begin()
    noted = follower.graph.position().documents
    assert 0 < noted <= read < 121
    follower.go()
    await follower.whole()
    assert len(follower.backlinks()) == 100  # a page of them
    assert len(set(follower.reading.read)) == 121
    assert len(follower.reading.read) - 121 == read - noted


@ensureDeferred
async def test_a_damaged_file_is_made_anew(follower):
    """All of it is in the archive."""
    follower.go()
    await follower.whole()
    await follower.kill()
    follower.path.write_bytes(b"not a database" * 1000)
    follower.begin()
    assert follower.graph.position() == Position()
    follower.go()
    await follower.whole()
    assert follower.backlinks() == {("http://a.example/", OLD, OLD)}


@ensureDeferred
async def test_a_document_that_cannot_be_read_is_left(follower, archive):
    """It is tried once, and the archive counts as followed."""
    archive.add("http://bomb.example/", PAGE + b"!", date=NEW)
    follower.reading.fails.add("http://bomb.example/")
    follower.go()
    await follower.whole()
    await follower.whole()
    assert follower.reading.read.count("http://bomb.example/") == 1
    assert len(follower.backlinks()) == 1


@ensureDeferred
async def test_a_node_that_is_silent_leaves_it_unfinished(follower, archive):
    """What a silent node alone holds may be missing, and is not said to be there."""
    archive.locator.down = 1
    follower.go()
    await follower.until(lambda: len(follower.backlinks()) == 1)
    await follower.until(lambda: not follower.walk.position.after)
    assert follower.walk.position.whole == ""
    archive.locator.down = 0
    await follower.whole()


@ensureDeferred
async def test_a_lost_content_leaves_it_unfinished(follower, archive):
    """A document whose content no node gives is tried again in the next round."""
    url = "http://lost.example/"
    archive.add(url, PAGE + b"?", date=NEW)
    key = content_key(PAGE + b"?")
    bodies = [node.contents.pop(key) for node in (archive.first, archive.second)]
    follower.go()
    await follower.until(lambda: len(follower.backlinks()) == 1)
    assert follower.walk.position is None or follower.walk.position.whole == ""
    archive.first.contents[key] = bodies[0]
    await follower.whole()
    assert len(follower.backlinks()) == 2


@ensureDeferred
async def test_an_archive_that_does_not_answer_is_waited_for(follower, archive):
    """Nothing is lost while no index node can be asked."""
    archive.locator.broken = True
    follower.go()
    await follower.until(lambda: follower.walk.position is not None)
    archive.locator.broken = False
    await follower.whole()
    assert len(follower.backlinks()) == 1


@ensureDeferred
async def test_a_full_disk_is_waited_for(follower, monkeypatch):
    """Nothing can be noted for a while; then all of it is."""
    note, refusals = Graph.note, iter([lmdb.DiskError("No space left on device")] * 3)

    def full(graph, seen, position):
        for refusal in refusals:
            raise refusal
        note(graph, seen, position)

    monkeypatch.setattr(Graph, "note", full)
    follower.go()
    await follower.whole()
    assert follower.backlinks() == {("http://a.example/", OLD, OLD)}


@ensureDeferred
async def test_without_a_worker_no_document_is_given_up(follower, monkeypatch):
    """That no process could be started says nothing of the document: it is tried again."""
    refusals = iter([WorkersUnavailable("no memory for a process")] * 2)
    extract = follower.reading.extract

    async def unavailable(capture, content):
        for refusal in refusals:
            content.close()
            raise refusal
        return await extract(capture, content)

    monkeypatch.setattr(follower.reading, "extract", unavailable)
    follower.go()
    await follower.whole()
    assert follower.backlinks() == {("http://a.example/", OLD, OLD)}


@ensureDeferred
async def test_a_url_of_many_contents_is_read_in_several_rounds(follower, archive, monkeypatch):
    """Contents that are known already do not count against those that are read in one round."""
    monkeypatch.setattr("agents.consultation.mining.walking._CONTENTS", 2)
    for number in range(5):
        archive.add(
            "http://often.example/", PAGE + b"%d" % number, date=f"202401{number + 10:02}{'0' * 12}"
        )
    follower.go()
    await follower.whole()
    assert follower.reading.read.count("http://often.example/") == 5
