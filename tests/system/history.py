"""Deposits and reads without end, and remembers what was acknowledged; `cluster.py` runs it.

    python history.py '{"address": …, "master": …, "port": …, "directory": …}'

Words on standard input, each answered by a line of JSON:

    resume          deposit; it deposits nothing before; the number of captures acknowledged so far
    pause           deposit nothing more once all that is under way is acknowledged; their number
    count           their number
    verify [WAY]    read all of them, by `index`, by `multicast`, or by both; what became of that,
                    and of reads and deposits so far
    master METHOD   call a method of the storage master; what it answers, or null

Each capture is also written to the file `acknowledged` in the directory, as a line of JSON. All
ends with standard input.
"""

import json
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any

from attrs import frozen
from twisted.internet import stdio
from twisted.internet.defer import Deferred
from twisted.internet.task import react
from twisted.protocols.basic import LineReceiver

from agents.bundle import pack
from agents.capture import Capture, structure_key
from agents.configuration import secret
from agents.consultation.errors import LookupFailed, NodesFailed
from agents.consultation.lookup.index import IndexNode
from agents.consultation.lookup.locators import IndexLocator, Locator, MulticastLocator
from agents.consultation.lookup.structures import Structures
from agents.deposit import ContentSize, Placement
from anet.errors import AnetError
from anet.http import HttpClient, PipelinedClient
from anet.multicast import Groups
from anet.multicast import MulticastLocator as Multicast
from anet.tasks import sleep
from anet.together import together
from hip import Agent, HipError, Security, convert

WRITERS, READERS = 2, 2
BATCH = 100  # captures
AGAIN = 12  # of them with a content that was met before
PAUSE = 0.3  # seconds after each batch, so that all that is read in the end is not too much
URLS = 2000
PATIENCE = 240.0  # seconds in which everything must be readable again, on a busy machine too
AT_ONCE = 16  # reads while verifying

_failures = (AnetError, HipError, LookupFailed, NodesFailed)


@frozen
class Settings:
    """What the test says."""

    address: str
    master: str
    port: int
    directory: str


class History:
    """The depositors, the readers, and what they saw."""

    def __init__(self, reactor: Any, settings: Settings) -> None:
        security = Security(insecure=True)
        self.clock = reactor
        self.agent = Agent(reactor, "connectivity", "connectivity", security=security)
        self.link = self.agent.connect(settings.master)
        self.console = Agent(reactor, "console", "console", security=security)
        self.master = self.console.connect(settings.master)
        self.client = HttpClient(
            reactor, connections=AT_ONCE, connect_timeout=2.0, response_timeout=5.0
        )
        word = secret(Path(settings.directory))
        self.headers = [(b"Authorization", f"Bearer {word}".encode())]
        groups = Groups(settings.port, interface=settings.address, ttl=1, secret=word)
        self.multicast = Multicast(reactor, groups)
        self.quick = PipelinedClient(reactor, connect_timeout=2.0, silence=5.0)
        self.structures = Structures(self.client, self.quick)
        self.ways: dict[str, Locator] = {
            "index": IndexLocator(IndexNode(reactor, self.link, 3.0).find),
            "multicast": MulticastLocator(self.multicast, 1.0),
        }
        self.log = Path(settings.directory, "acknowledged")
        self.acknowledged: list[Capture] = []
        self.seen: Counter[str] = Counter()
        self.chance = random.Random(7)
        self.serial = self.busy = self.reads = 0
        self.paused = True

    async def run(self, ended: Deferred[None]) -> None:
        """Deposit and read until the end."""
        for service in (self.agent, self.console, self.client, self.quick, self.multicast):
            service.startService()
        for _ in range(WRITERS):
            Deferred.fromCoroutine(self.write()).addErrback(self.broken)
        for name in self.ways:
            for _ in range(READERS):
                Deferred.fromCoroutine(self.read(name)).addErrback(self.broken)
        await ended

    def broken(self, failure: Any) -> None:
        """Count an error that nobody expects."""
        self.seen[f"broken: {failure.value!r}"] += 1

    # Deposits

    async def write(self) -> None:
        """Deposit batch after batch, each repeated until it is acknowledged."""
        while True:
            while self.paused:
                await sleep(self.clock, 0.05)
            batch = [self.capture() for _ in range(BATCH)]
            self.busy += 1
            while not await self.deposited(batch):
                self.seen["repeated"] += 1
                await sleep(self.clock, 0.2)
            self.note([capture for capture, _ in batch])
            self.busy -= 1
            await sleep(self.clock, PAUSE)

    def note(self, captures: list[Capture]) -> None:
        """Remember what was acknowledged."""
        self.acknowledged += captures
        with self.log.open("a") as log:
            for each in captures:
                told = {"url": each.url, "date": each.date, "content": each.content}
                log.write(json.dumps(told) + "\n")

    def capture(self) -> tuple[Capture, bytes]:
        """Return a new capture, now and then of a content met before."""
        self.serial += 1
        again = self.serial % (BATCH // AGAIN) == 0 and self.acknowledged
        number = self.chance.randrange(self.serial) if again else self.serial
        body = b"%d" % number + b"x" * (number % 3000)
        capture = Capture(
            f"http://a.example/{self.serial % URLS}",
            f"20260101000000{self.serial:06}",
            sha256(body).hexdigest(),
            len(body),
            200,
            b"HTTP/1.1 200 OK\r\nX-Serial: %d\r\n\r\n" % self.serial,
        )
        return capture, body

    async def deposited(self, batch: list[tuple[Capture, bytes]]) -> bool:
        """Deposit; tell whether that was acknowledged."""
        bodies = {capture.content: body for capture, body in batch}
        sizes = [ContentSize(key, len(body)) for key, body in bodies.items()]
        try:
            answer = await self.link.call("place", timeout=5.0, contents=sizes)
            stored = await self.stored(convert(answer, list[Placement]), bodies)
            captures = [capture for capture, _ in batch]
            count = await self.link.call("record", timeout=15.0, captures=captures, stored=stored)
        except _failures:
            return False
        return bool(count == len(batch))

    async def stored(
        self, placements: list[Placement], bodies: dict[str, bytes]
    ) -> dict[str, list[str]]:
        """Send new contents to their nodes; return which nodes took each.

        Raises:
            AnetError: one was taken by none.
        """
        keys: dict[str, list[str]] = defaultdict(list)
        for placement in placements:
            for node in placement.nodes:
                keys[node].append(placement.key)
        stored: dict[str, list[str]] = defaultdict(list)
        for node, mine in keys.items():
            bundle = pack((key, bodies[key]) for key in mine)
            try:
                answer = await self.client.request("POST", f"{node}/contents", self.headers, bundle)
                said = json.loads(await answer.read(10**6))
            except (AnetError, ValueError):
                continue
            if answer.head.status == 200:
                for key in set(mine) - set(said["refused"]):
                    stored[key].append(node)
        if any(not each.known and each.key not in stored for each in placements):
            raise AnetError("no node took a content")
        return dict(stored)

    # Reads

    async def read(self, way: str) -> None:
        """Read captures at random, and count what comes."""
        while True:
            await sleep(self.clock, 0.01)
            if not self.acknowledged or self.paused:
                continue
            capture = self.chance.choice(self.acknowledged)
            try:
                outcome = await self.outcome(self.ways[way], capture)
            except _failures:
                outcome = "no answer"
            self.seen[f"{way}: {outcome}"] += 1

    async def outcome(self, locator: Locator, capture: Capture) -> str:
        """Return what the archive gives for a capture."""
        self.reads += 1
        key = structure_key(capture.url)
        nodes = await locator.locate("structures", key)
        if not nodes:
            return "denied"
        nearest = await self.structures.nearest(nodes, key, capture.date)
        if nearest is None:
            return "not there"
        if nearest.capture.date != capture.date:
            return "another date"
        if (nearest.capture.content, nearest.capture.head) != (capture.content, capture.head):
            return "WRONG"
        return await self.content(await locator.locate("contents", capture.content), capture)

    async def content(self, nodes: list[str], capture: Capture) -> str:
        """Return whether a node gives the bytes that a capture names."""
        if not nodes:
            return "content denied"
        for node in nodes:
            try:
                answer = await self.client.request("GET", f"{node}/contents/{capture.content}")
                body = await answer.read(capture.size + 1000)
            except AnetError:
                continue
            if answer.head.status == 200 and sha256(body).hexdigest() == capture.content:
                return "right"
        return "no content"

    # The end

    def count(self) -> int:
        """Return how much was acknowledged."""
        return len(self.acknowledged)

    def resume(self) -> int:
        """Deposit."""
        self.paused = False
        return self.count()

    async def pause(self) -> int:
        """Wait until all that was begun is acknowledged."""
        self.paused = True
        while self.busy:
            await sleep(self.clock, 0.05)
        return self.count()

    async def ask(self, method: str) -> Any:
        """Call a method of the storage master."""
        try:
            return await self.master.call(method, timeout=5.0)
        except HipError:
            return None

    async def verify(self, ways: Iterable[str]) -> dict[str, Any]:
        """Read everything; return what came."""
        deadline = self.clock.seconds() + PATIENCE
        left = {way: list(self.acknowledged) for way in ways}
        last: Counter[str] = Counter()
        while any(left.values()) and self.clock.seconds() < deadline:
            last.clear()
            outcomes = await together(self.unread(*each, last) for each in left.items())
            for way, outcome in zip(left, outcomes, strict=True):
                if isinstance(outcome, Exception):
                    raise outcome
                left[way] = outcome
            await sleep(self.clock, 0.5 if any(left.values()) else 0.0)
        return {
            "operations": self.count() + self.reads,
            "acknowledged": self.count(),
            "unread": {way: len(captures) for way, captures in left.items()},
            "why": dict(last),
            "seen": dict(self.seen),
        }

    async def unread(self, way: str, captures: list[Capture], why: Counter[str]) -> list[Capture]:
        """Return those captures that are not given as they were."""
        unread: list[Capture] = []
        waiting = list(captures)

        async def reader() -> None:
            while waiting:
                capture = waiting.pop()
                try:
                    outcome = await self.outcome(self.ways[way], capture)
                except _failures as error:
                    outcome = str(error)[:200]
                if outcome != "right":
                    why[f"{way}: {outcome}"] += 1
                    unread.append(capture)

        for outcome in await together(reader() for _ in range(AT_ONCE)):
            if isinstance(outcome, Exception):
                raise outcome
        return unread


class Words(LineReceiver):
    """Takes the words of the test, and answers them."""

    delimiter = b"\n"

    def __init__(self, history: History, ended: Deferred[None]) -> None:
        self.history, self.ended = history, ended

    def lineReceived(self, line: bytes) -> None:
        """Do what a word says."""
        Deferred.fromCoroutine(self.answer(line.decode()))

    async def answer(self, word: str) -> None:
        """Do it, and say what came of it."""
        name, _, rest = word.partition(" ")
        history = self.history
        said: Any
        if name == "master":
            said = await history.ask(rest)
        elif name == "verify":
            said = await history.verify([rest] if rest else history.ways)
        elif name == "pause":
            said = await history.pause()
        else:
            said = {"resume": history.resume, "count": history.count}[name]()
        self.sendLine(json.dumps(said).encode())

    def connectionLost(self, reason: Any = None) -> None:
        """End."""
        self.ended.callback(None)


def main(reactor: Any) -> Any:
    """Run until standard input ends."""
    history = History(reactor, Settings(**json.loads(sys.argv[1])))
    ended: Deferred[None] = Deferred()
    stdio.StandardIO(Words(history, ended), reactor=reactor)
    return Deferred.fromCoroutine(history.run(ended))


if __name__ == "__main__":
    react(main)
