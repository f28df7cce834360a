"""Deposits and reads without end, and remembers what was acknowledged; `test_history.py` runs it.

    python history.py '{"address": …, "master": …, "port": …, "directory": …}'

Words on standard input, each answered by a line: `pause` deposits nothing more once all that is
under way is acknowledged; `resume`; `verify` reads all that was ever acknowledged, and tells in
JSON what became of reads and deposits. It ends with standard input.
"""

import json
import random
import sys
from collections import Counter, defaultdict
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
from agents.consultation.index import IndexNode
from agents.consultation.locators import IndexLocator, Locator, MulticastLocator
from agents.consultation.structures import Structures
from agents.deposit import ContentSize, Placement
from anet.errors import AnetError
from anet.http import HttpClient
from anet.multicast import Groups
from anet.multicast import MulticastLocator as Multicast
from anet.tasks import sleep
from anet.together import together
from hip import Agent, HipError, Security, convert

WRITERS = READERS = 3
BATCH = 40  # captures
AGAIN = 5  # of them with a content that was met before
URLS = 3000
PATIENCE = 120.0  # seconds in which everything must be readable again
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
        self.client = HttpClient(
            reactor, connections=AT_ONCE, connect_timeout=2.0, response_timeout=5.0
        )
        word = secret(Path(settings.directory))
        self.headers = [(b"Authorization", f"Bearer {word}".encode())]
        groups = Groups(settings.port, interface=settings.address, ttl=1, secret=word)
        self.multicast = Multicast(reactor, groups)
        self.structures = Structures(self.client)
        self.ways: dict[str, Locator] = {
            "index": IndexLocator(IndexNode(reactor, self.link, 3.0).find),
            "multicast": MulticastLocator(self.multicast, 1.0),
        }
        self.acknowledged: list[Capture] = []
        self.seen: Counter[str] = Counter()
        self.chance = random.Random(7)
        self.serial = 0
        self.paused = False
        self.busy = 0

    async def run(self, ended: Deferred[None]) -> None:
        """Deposit and read until the end."""
        for service in (self.agent, self.client, self.multicast):
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
            self.acknowledged += [capture for capture, _ in batch]
            self.busy -= 1

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
        key = structure_key(capture.url)
        nodes = await locator.locate("structures", key)
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
        for node in nodes:
            answer = await self.client.request("GET", f"{node}/contents/{capture.content}")
            body = await answer.read(capture.size + 1000)
            if answer.head.status == 200 and sha256(body).hexdigest() == capture.content:
                return "right"
        return "no content"

    # The end

    async def pause(self) -> str:
        """Wait until all that was begun is acknowledged."""
        self.paused = True
        while self.busy:
            await sleep(self.clock, 0.05)
        return f"{len(self.acknowledged)}"

    async def verify(self) -> str:
        """Read everything by both ways; return what came."""
        deadline = self.clock.seconds() + PATIENCE
        left = {way: list(self.acknowledged) for way in self.ways}
        last: Counter[str] = Counter()
        while any(left.values()) and self.clock.seconds() < deadline:
            last.clear()
            for way, captures in left.items():
                left[way] = await self.unread(way, captures, last)
            await sleep(self.clock, 0.5)
        unread = {way: len(captures) for way, captures in left.items()}
        told = {"acknowledged": len(self.acknowledged), "unread": unread, "why": dict(last)}
        return json.dumps({**told, "seen": dict(self.seen)})

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
        """Do it, and say so."""
        if word == "pause":
            said = await self.history.pause()
        elif word == "verify":
            said = await self.history.verify()
        else:
            self.history.paused = False
            said = "resumed"
        self.sendLine(said.encode())

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
