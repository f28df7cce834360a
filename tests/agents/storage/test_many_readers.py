"""Many readers at once, through a proxy, of a small archive whose agents are all real processes."""

import asyncio
import re
import signal
from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import pytest
import pytest_twisted
from attrs import evolve
from killing import MASTER, PROXY, URLS, Depositor, Processes, until
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.defer import ensureDeferred as ensured
from twisted.internet.threads import deferToThread

from agents.capture import Capture
from anet.multicast import Groups, probe

NODES = ("storage-1", "storage-2")
READERS, ROUNDS = 300, 10
STALLED, LARGE = 50, 4 << 20  # readers who read nothing for a while, and bytes each of them wants
MEMORY = 64 << 20  # bytes that a proxy may take for all of them


class Archive:
    """An archive with one capture of each URL, and somebody who deposits there.

    Attributes:
        captures: small ones, and nothing else has their URLs.
        large: one of 4 MiB.
    """

    def __init__(self, directory: Path) -> None:
        self.processes = Processes(directory)
        self.captures: list[Capture] = []
        self.large: Capture

    async def start(self) -> None:
        """Start all but a proxy, and deposit."""
        self.processes.start(MASTER, "index-1", *NODES)
        self.depositor = depositor = Depositor(self.processes)
        await depositor.ready(len(NODES))
        depositing = Deferred.fromCoroutine(depositor.deposit_on())
        await depositor.told_at_least(URLS // 2)
        depositor.stopping = True
        await depositing
        self.captures = depositor.told[: URLS // 2]
        body = bytes(range(256)) * (LARGE // 256)
        self.large = evolve(
            self.captures[0],
            url="http://a.example/large",
            content=sha256(body).hexdigest(),
            size=LARGE,
        )
        await depositor.deposit([(self.large, body)])

    async def start_proxy(self, lookup: str) -> int:
        """Start the proxy anew, wait until it finds something, and return its port."""
        if PROXY in self.processes.children:
            self.processes.kill(PROXY)
        self.processes.settings["consultation"] = {"lookup": lookup, "connections": READERS}
        self.processes.start(PROXY)
        port = self.processes.base + 6
        await self.processes.listens(6)

        async def finds() -> bool:
            return await _in_thread(read_all(port, self.captures, 1, 1)) == {"right": 1}

        await until(finds, f"a proxy that looks up by {lookup}", 0.2)
        return port

    def memory(self) -> int:
        """Return the bytes of the proxy that are in memory."""
        pid = self.processes.children[PROXY].pid
        status = Path(f"/proc/{pid}/status").read_text()
        return 1024 * int(status.partition("VmRSS:")[2].split()[0])


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory):
    """Give a running archive without a proxy."""
    archive = Archive(tmp_path_factory.mktemp("archive"))
    try:
        pytest_twisted.blockon(ensured(archive.start()))
        yield archive
    finally:
        if MASTER in archive.processes.children:
            archive.processes.kill(MASTER)  # it may be stopped, and would not hear of the end
        pytest_twisted.blockon(ensured(archive.processes.stop()))


def _in_thread(coroutine):
    """Let readers have a loop of their own."""
    return deferToThread(asyncio.run, coroutine)


class Reader:
    """A browser, with one connection to the proxy."""

    def __init__(self, port: int) -> None:
        self._port = port

    async def connect(self) -> None:
        """Connect."""
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)

    async def ask(self, url: str) -> tuple[int, int]:
        """Ask for a URL; return the answer's status, and how long it is."""
        self._writer.write(f"GET {url} HTTP/1.1\r\nHost: a.example\r\n\r\n".encode())
        head = await self._reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"(?i)content-length: (\d+)", head)
        assert length is not None, head
        return int(head.split()[1]), int(length[1])

    async def judge(self, capture: Capture, status: int, length: int) -> str:
        """Read an answer, and tell in a word what it is."""
        body = await self._reader.readexactly(length)
        if status != 200:
            return str(status)
        return "right" if sha256(body).hexdigest() == capture.content else "wrong"

    async def close(self) -> None:
        """Go away."""
        self._writer.close()


async def read_all(
    port: int, captures: Sequence[Capture], readers: int = READERS, rounds: int = ROUNDS
) -> Counter[str]:
    """Have all readers, who are there together, read one capture after the other."""
    told: Counter[str] = Counter()
    meeting = asyncio.Barrier(readers)

    async def read(number: int) -> None:
        reader = Reader(port)
        await reader.connect()
        await meeting.wait()
        for turn in range(rounds):
            capture = captures[(7 * number + 13 * turn) % len(captures)]
            told[await reader.judge(capture, *await reader.ask(capture.url))] += 1
        await meeting.wait()
        if number == 0 and readers == READERS:
            told["closed"] += await is_closed(port, captures[0].url)
        await meeting.wait()
        await reader.close()

    await asyncio.gather(*(read(number) for number in range(readers)))
    return told


async def is_closed(port: int, url: str) -> bool:
    """Tell whether the proxy closes one reader too many without an answer."""
    reader = Reader(port)
    try:
        await reader.connect()
        await reader.ask(url)
    except (ConnectionError, asyncio.IncompleteReadError):
        return True
    await reader.close()
    return False


@pytest.mark.slow
@pytest.mark.parametrize("lookup", ["index", "multicast"])
@ensureDeferred
async def test_hundreds_of_readers_are_answered(archive: Archive, lookup: str) -> None:
    """All answers are right, none is lost; one reader too many is sent away, and costs nothing."""
    if lookup == "multicast" and not await probe(reactor, Groups(archive.processes.base)):
        pytest.skip("this machine's loopback carries no multicast")
    port = await archive.start_proxy(lookup)
    before = archive.memory()
    for _ in range(2):
        told = await _in_thread(read_all(port, archive.captures))
        assert told == {"right": READERS * ROUNDS, "closed": 1}
    assert archive.memory() - before < MEMORY


@pytest.mark.slow
@ensureDeferred
async def test_readers_who_do_not_read_cost_no_memory(archive: Archive) -> None:
    """What they have asked for stays on the storage nodes until they go on, and comes whole."""
    port = await archive.start_proxy("index")
    before, seen = archive.memory(), []

    async def stall() -> list[str]:
        readers = [Reader(port) for _ in range(STALLED)]
        for reader in readers:
            await reader.connect()
        begun = await asyncio.gather(*(reader.ask(archive.large.url) for reader in readers))
        told = await read_all(port, archive.captures, readers=20)
        assert told == {"right": 20 * ROUNDS}, "others are not answered meanwhile"
        seen.append(archive.memory())
        ends = []
        for reader, answer in zip(readers, begun, strict=True):
            ends.append(await reader.judge(archive.large, *answer))
            await reader.close()
        return ends

    assert await _in_thread(stall()) == ["right"] * STALLED
    assert seen[0] - before < MEMORY < STALLED * LARGE


@pytest.mark.slow
@ensureDeferred
async def test_the_master_is_never_in_the_way(archive: Archive) -> None:
    """While it does not answer, or is dead, all is read, and known contents are recorded anew."""
    port = await archive.start_proxy("index")
    link = archive.depositor.link
    for day, way in ((2, signal.SIGSTOP), (3, signal.SIGKILL)):
        archive.processes.children[MASTER].send_signal(way)
        if way == signal.SIGKILL:
            archive.processes.children.pop(MASTER).wait()
        again = [evolve(each, date=f"202601{day:02}" + each.date[8:]) for each in archive.captures]
        count = await link.call("record", timeout=20.0, captures=again, stored={})
        assert count == len(again)
        told = await _in_thread(read_all(port, again, readers=20))
        assert told == {"right": 20 * ROUNDS}
        assert await newest(port, again[0].url) == again[0].date


async def newest(port: int, url: str) -> str:
    """Return the date of what the proxy gives."""

    async def ask() -> str:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(f"HEAD {url} HTTP/1.1\r\nHost: a.example\r\n\r\n".encode())
        head = await reader.readuntil(b"\r\n\r\n")
        writer.close()
        return head.partition(b"Dlweb-Date: ")[2].split()[0].decode()

    return await _in_thread(ask())
