"""A slow reader slows the writer: memory stays bounded, and two floods do not lock each other."""

from collections import deque
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import Deferred, DeferredList
from twisted.internet.error import ConnectionDone
from twisted.internet.task import Clock
from twisted.python.failure import Failure

from hip import Agent, Limits, Peer, RemoteError, exposed
from hip.errors import Overloaded

KERNEL = 3000  # bytes that a narrow transport holds before its writer must wait
PIECE = 700  # bytes that it gives its reader at a time


class NarrowTransport:
    """One end of a connection whose buffers are small, driven by hand.

    Attributes:
        most: the most bytes that were ever in its buffer.
    """

    def __init__(self, protocol: Peer) -> None:
        self.protocol = protocol
        self.other: NarrowTransport = self
        self.buffer = bytearray()
        self.most = 0
        self.is_paused = False  # by its reader
        self.connected = True
        self._producer: Peer | None = None
        self._has_asked_to_wait = False
        self._is_closing = False
        protocol.transport = self

    def write(self, data: bytes) -> None:
        """Take bytes, and ask the writer to wait when there are many."""
        self.buffer += data
        self.most = max(self.most, len(self.buffer))
        if self._producer is not None and len(self.buffer) > KERNEL:
            self._has_asked_to_wait = True
            self._producer.pauseProducing()

    def deliver(self) -> bool:
        """Give the other end a piece of what was written, if it reads; tell whether it did."""
        if not self.connected or self.other.is_paused or not self.buffer:
            if self._is_closing and not self.buffer:
                self.abortConnection()
            return False
        piece = bytes(self.buffer[:PIECE])
        del self.buffer[:PIECE]
        self.other.protocol.dataReceived(piece)
        if not self.buffer and self._has_asked_to_wait and self._producer is not None:
            self._has_asked_to_wait = False
            self._producer.resumeProducing()
        return True

    def pauseProducing(self) -> None:
        self.is_paused = True

    def resumeProducing(self) -> None:
        self.is_paused = False

    def registerProducer(self, producer: Peer, streaming: bool) -> None:
        self._producer = producer

    def unregisterProducer(self) -> None:
        self._producer = None

    def loseConnection(self) -> None:
        self._is_closing = True

    def abortConnection(self) -> None:
        for end in (self, self.other):
            if end.connected:
                end.connected = False
                end.protocol.connectionLost(Failure(ConnectionDone()))

    def setTcpNoDelay(self, enabled: bool) -> None:
        pass

    def setTcpKeepAlive(self, enabled: bool) -> None:
        pass


class Methods:
    """What both ends answer."""

    def __init__(self) -> None:
        self.asked = 0
        self.told = 0
        self.waiting: deque[tuple[Deferred[bytes], int]] = deque()

    @exposed
    def echo(self, data: bytes, size: int) -> bytes:
        """Answer with so many bytes."""
        self.asked += 1
        return bytes(size)

    @exposed
    async def later(self, data: bytes, size: int) -> bytes:
        """Answer with so many bytes, when the test says so."""
        self.asked += 1
        deferred: Deferred[bytes] = Deferred()
        self.waiting.append((deferred, size))
        return await deferred

    @exposed
    def note(self, data: bytes) -> None:
        """Take a note."""
        self.told += 1


class End:
    """One end of a narrow link, and who calls over it."""

    def __init__(self, clock: Clock, name: str, limits: Limits, is_master: bool) -> None:
        self.methods = Methods()
        self.agent = Agent(clock, name, name, [self.methods], limits=limits)
        self.peer = self.agent.new_peer(is_master=is_master)
        self.transport = NarrowTransport(self.peer)
        self.answered = 0
        self.refused = 0
        self.failed: list[str] = []
        self.open = 0

    @property
    def held(self) -> int:
        """Bytes that this end holds: what came, and what has not gone."""
        return self.peer._session.held + len(self.peer._session.outbox) + len(self.transport.buffer)

    def call(self, method: str, **arguments: object) -> None:
        """Call, and count what comes of it."""
        self.open += 1
        self.peer.call(method, timeout=1e6, **arguments).addCallbacks(self._succeed, self._fail)

    def finish_one(self) -> None:
        """Let a method that works end, unless the peer is behind with its answers."""
        if self.methods.waiting and self.peer.deaf_since is None:
            deferred, size = self.methods.waiting.popleft()
            if not deferred.called:  # the caller may have given up
                deferred.callback(bytes(size))

    def _succeed(self, value: object) -> None:
        self.open -= 1
        self.answered += 1

    def _fail(self, failure: Failure) -> None:
        self.open -= 1
        if failure.check(Overloaded) or (
            failure.check(RemoteError) and failure.value.code == "overloaded"
        ):
            self.refused += 1
        else:
            self.failed.append(str(failure.value))


class Link:
    """Two ends, and a clock that does not advance: only what is due at once happens."""

    def __init__(self, limits: Limits) -> None:
        self.clock = Clock()
        self.ends = [
            End(self.clock, "master", limits, is_master=True),
            End(self.clock, "slave", limits, is_master=False),
        ]
        one, other = (end.transport for end in self.ends)
        one.other, other.other = other, one
        for end in self.ends:
            end.peer.connectionMade()
        self.settle()

    def step(self) -> bool:
        """Let each end hear a piece; tell whether anything happened."""
        moved = [end.transport.deliver() for end in self.ends]
        self.clock.advance(0)
        return any(moved)

    def settle(self) -> None:
        """Let everything happen that can without anybody calling."""
        still = 0
        while still < 5:
            for end in self.ends:
                end.finish_one()
            is_working = any(end.methods.waiting for end in self.ends)
            still = 0 if self.step() or is_working else still + 1


LIMITS = Limits(frame=4000, in_flight=50, line=100, unsent=20_000)


def flood(link: Link, random: Random, steps: int) -> None:
    """Let both ends call, tell and hear in any order."""
    for _ in range(steps):
        end = random.choice(link.ends)
        match random.randrange(6):
            case 0 | 1:
                for _ in range(random.randrange(20)):
                    data = bytes(random.choice([0, 10, 500, 2000]))
                    size = random.choice([0, 10, 500, 3000])
                    end.call(random.choice(["echo", "later"]), data=data, size=size)
            case 2:
                if end.peer.drained.called and end.peer.is_open:
                    end.peer.notify("note", data=bytes(random.choice([0, 500, 3000])))
            case 3:
                end.finish_one()
            case 4:
                end.transport.deliver()
            case 5:
                link.clock.advance(0)


@settings(max_examples=60)
@given(st.integers(0, 2**32), st.integers(0, 600))
def test_two_floods_do_not_lock_each_other(seed, steps):
    """However both ends flood each other, all is answered or refused once they stop."""
    link = Link(LIMITS)
    flood(link, Random(seed), steps)
    link.settle()
    for end in link.ends:
        assert end.failed == []
        assert end.open == 0
        assert end.peer.is_open
        assert end.peer.deaf_since is None
        assert end.held == 0


@settings(max_examples=30)
@given(st.integers(0, 2**32))
def test_memory_stays_bounded_in_a_flood(seed):
    """What one end holds never passes what its limits say, whoever floods."""
    limits = Limits(frame=4000, in_flight=50, line=100, unsent=70_000)  # more than goes at once
    link, random = Link(limits), Random(seed)
    for _ in range(300):
        flood(link, random, 1)
        for end in link.ends:
            assert len(end.peer._session.outbox) <= limits.unsent + limits.frame
            assert end.peer._backlog is None or end.peer._backlog.size <= limits.unsent
            assert end.peer._session.held <= limits.frame + 4
            assert len(end.transport.buffer) <= KERNEL + limits.unsent


def deafen(link: Link) -> tuple[End, End]:
    """Return the ends of a link whose slave takes nothing, which its master has noticed."""
    master, slave = link.ends
    slave.transport.is_paused = True
    master.call("echo", data=bytes(3000), size=0)
    master.call("echo", data=bytes(3000), size=0)
    link.step()
    assert master.peer.deaf_since is not None
    return master, slave


def test_requests_of_a_peer_that_does_not_read_wait_until_it_does():
    """They are answered in their order once the peer has read."""
    link = Link(LIMITS)
    master, slave = deafen(link)
    for _ in range(5):
        slave.call("echo", data=b"", size=1)
    link.settle()
    assert (master.methods.asked, slave.answered) == (0, 0)
    slave.transport.is_paused = False
    link.settle()
    assert (master.methods.asked, slave.answered) == (5, 5)


def test_requests_beyond_the_limit_are_refused_and_not_run():
    """A peer that asks and asks, and does not read, is told so when it does."""
    link = Link(LIMITS)
    master, slave = deafen(link)
    for _ in range(20):
        slave.call("echo", data=bytes(2000), size=0)
        link.settle()
    slave.transport.is_paused = False
    link.settle()
    assert slave.answered == master.methods.asked
    assert 5 <= slave.answered <= 10
    assert slave.answered + slave.refused == 20


def test_all_but_requests_are_heard_while_the_peer_does_not_read():
    """Answers, notifications and goodbyes behind requests that wait are taken at once."""
    link = Link(LIMITS)
    master, slave = deafen(link)
    slave.call("echo", data=b"", size=0)
    slave.peer.notify("note", data=b"")
    link.settle()
    assert (master.methods.asked, master.methods.told) == (0, 1)
    slave.peer.close("enough")
    link.settle()
    assert not master.peer.is_open
    assert master.methods.asked == 0


def test_a_request_that_waits_is_not_run_when_it_is_cancelled():
    """Its caller wants no answer any more; the others are answered."""
    link = Link(LIMITS)
    master, slave = deafen(link)
    calls = [slave.peer.call("echo", data=b"", size=size) for size in range(5)]
    link.settle()
    calls[2].addErrback(lambda _: None)
    calls[2].cancel()
    link.settle()
    slave.transport.is_paused = False
    link.settle()
    assert master.methods.asked == 4
    assert [call.result for call in calls if call is not calls[2]] == [
        bytes(n) for n in (0, 1, 3, 4)
    ]


def test_a_peer_that_reads_slowly_is_not_taken_for_deaf():
    """What waits goes in pieces, and each that has gone shows that the peer reads."""
    link = Link(Limits())
    master, slave = deafen(link)
    for _ in range(8):
        master.peer.notify("note", data=bytes(100_000))
    slave.transport.is_paused = False
    since, most = {master.peer.deaf_since}, 0
    while master.peer.deaf_since is not None:
        link.clock.advance(0.01)
        assert link.step()
        since.add(master.peer.deaf_since)
        most = max(most, len(master.transport.buffer))
    assert len(since) > 5
    assert most <= 200_000
    assert slave.methods.told == 8


def test_a_heartbeat_waits_behind_what_a_deaf_peer_has_not_read():
    """It is no way round the limit of what may wait."""
    link = Link(LIMITS)
    master, _ = deafen(link)
    master.peer.notify("note", data=bytes(1000))
    before = len(master.transport.buffer)
    master.peer.beat()
    assert len(master.transport.buffer) == before


def test_a_request_that_waits_is_not_run_after_the_link_has_ended():
    """Nobody is left to answer."""
    link = Link(LIMITS)
    master, slave = deafen(link)
    for _ in range(40):
        slave.call("echo", data=b"", size=0)
    link.settle()
    master.transport.abortConnection()
    link.settle()
    link.clock.advance(100)
    assert master.methods.asked == 0
    assert slave.open == 0


def test_calls_and_notifications_to_a_peer_that_does_not_read_have_an_end():
    """Calls are refused at half of what may wait; notifications end the link at the whole."""
    link = Link(LIMITS)
    master, _ = deafen(link)
    for _ in range(30):
        master.call("echo", data=bytes(1000), size=0)
    assert 0 < master.refused < 30
    assert len(master.peer._session.outbox) <= LIMITS.unsent // 2 + 1100
    for _ in range(70):
        master.peer.notify("note", data=bytes(1000))
    assert not master.peer.is_open
    assert master.open == 0


def test_who_waits_until_the_peer_has_read_does_not_run_ahead():
    """A notifier that awaits `drained` goes as fast as its reader, and holds next to nothing."""
    link = Link(LIMITS)
    master, slave = link.ends
    told = most = 0
    while told < 500:
        if master.peer.drained.called:
            master.peer.notify("note", data=bytes(1000))
            told += 1
        else:
            assert link.step()
        most = max(most, master.held)
    link.settle()
    assert slave.methods.told == 500
    assert most <= KERNEL + 66 * 1024  # what is written at once, and one note more


def test_who_waits_is_told_when_the_link_ends():
    """Nobody waits for ever for a peer that is gone."""
    link = Link(LIMITS)
    master, _ = deafen(link)
    waiting = master.peer.drained
    assert not waiting.called
    master.transport.abortConnection()
    assert waiting.called


@ensureDeferred
async def test_two_floods_over_real_sockets():
    """Thirty megabytes each way at once, through ends that hold a quarter of one: none locks."""
    limits = Limits(frame=64 * 1024, in_flight=200, unsent=256 * 1024)
    master = Agent(reactor, "master", "master", [Methods()], limits=limits)
    slave = Agent(reactor, "slave", "slave", [Methods()], limits=limits)
    listener = master.listen("127.0.0.1:0")
    master.startService()
    link = slave.connect(f"127.0.0.1:{listener.port}")
    slave.startService()
    peers = [await link.connected(), master.slaves["slave"]]
    data, most = bytes(16 * 1024), 0
    answered = refused = 0
    while answered < 3600:
        calls = [peer.call("echo", data=data, size=len(data)) for peer in peers for _ in range(150)]
        for success, result in await DeferredList(calls, consumeErrors=True):
            assert success or result.check(Overloaded, RemoteError), result
            answered, refused = answered + success, refused + (not success)
            most = max(most, *(len(peer._session.outbox) for peer in peers))
    assert most <= limits.unsent + limits.frame
    assert all(peer.is_open for peer in peers)
    await slave.stopService()
    await master.stopService()
