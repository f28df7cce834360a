"""How peers that stand on Twisted are run and measured."""

import time
from collections.abc import Callable
from typing import Any

from measuring import (
    SERVE,
    Job,
    Server,
    Window,
    announce,
    check,
    find_server,
    grown,
    memory,
    percentiles,
    report,
    take_job,
)
from twisted.internet import task
from twisted.internet.defer import Deferred, gatherResults

Call = Callable[[], Deferred[Any]]  # makes one call; fires with the answer
Keep = Callable[[Call, Window, int], None]  # keeps that many calls in flight while a window opens
AT_ONCE = 40  # connections that are being made; a listener's backlog is 50


class Peer:
    """One of the peers: how it listens and connects.

    Attributes:
        keep_calling: how it keeps calls in flight, its quickest way.
    """

    def __init__(self, reactor: Any, job: Job) -> None:
        self.reactor = reactor
        self.job = job
        self.keep_calling: Keep = by_callbacks

    async def listen(self) -> int:
        """Begin to serve; return the port."""
        raise NotImplementedError

    async def connect(self, port: int, number: int) -> Call:
        """Return how to call over a new connection, the `number`th."""
        raise NotImplementedError


def run(build: Callable[[Any, Job], Peer]) -> None:
    """Do the job of this process."""
    job = take_job()
    parts = {"throughput": throughput, "latency": latency, "slaves": slaves}

    async def begin(reactor: Any) -> None:
        peer = build(reactor, job)
        if job.task == SERVE:
            announce(await peer.listen())
            await Deferred()  # until the process is ended
        else:
            report(await parts[job.task](peer, find_server()))

    task.react(begin)


def sleep(reactor: Any, seconds: float) -> Deferred[None]:
    """Return what fires after a while."""
    return task.deferLater(reactor, seconds)


def by_callbacks(call: Call, window: Window, count: int) -> None:
    """Keep calls in flight, each of which makes the next when it is answered."""

    def again(_: object) -> None:
        window.calls += 1
        if not window.closed:
            call().addCallbacks(again, window.fail)

    for _ in range(count):
        call().addCallbacks(again, window.fail)


async def throughput(peer: Peer, server: Server) -> dict[str, float]:
    """Measure calls over one connection."""
    call = await peer.connect(server.port, 1)
    check(await call())
    window = Window(server)
    peer.keep_calling(call, window, peer.job.in_flight)
    await sleep(peer.reactor, peer.job.warm_up)
    window.open()
    await sleep(peer.reactor, peer.job.seconds)
    return window.close()


async def latency(peer: Peer, server: Server) -> dict[str, float]:
    """Measure calls that are made one after the other."""
    call = await peer.connect(server.port, 1)
    check(await call())
    window = Window(server)
    latencies: list[float] = []

    def timed() -> Deferred[Any]:
        begun = time.perf_counter()

        def ended(answer: object) -> None:
            latencies.append(time.perf_counter() - begun)

        return call().addCallback(ended)

    peer.keep_calling(timed, window, 1)
    await sleep(peer.reactor, peer.job.warm_up)
    latencies.clear()
    window.open()
    await sleep(peer.reactor, peer.job.seconds)
    return {**window.close(), **percentiles(latencies)}


async def slaves(peer: Peer, server: Server) -> dict[str, float]:
    """Measure many connections: their memory at rest, then one call a second on each."""
    empty = memory(server.pid)
    calls: list[Call] = []
    while len(calls) < peer.job.connections:
        numbers = range(len(calls), min(len(calls) + AT_ONCE, peer.job.connections))
        opening = [peer.connect(server.port, number) for number in numbers]
        calls += await gatherResults([Deferred.fromCoroutine(each) for each in opening])
    await sleep(peer.reactor, peer.job.warm_up)  # until all have come to rest
    full = memory(server.pid)
    window = Window(server)
    pacer = task.LoopingCall(Pace(calls, window).catch_up)
    pacer.start(0.0005).addErrback(window.fail)  # for the next call or two that are due
    await sleep(peer.reactor, peer.job.warm_up)
    window.open()
    await sleep(peer.reactor, peer.job.seconds)
    result = window.close()
    pacer.stop()
    return {**result, **grown(empty, full), "connections": peer.job.connections}


class Pace:
    """Makes one call a second on each connection, evenly spread over the second."""

    def __init__(self, calls: list[Call], window: Window) -> None:
        self._calls = calls
        self._window = window
        self._begun = time.perf_counter()
        self._made = 0

    def catch_up(self) -> None:
        """Make the calls that are due."""
        due = (time.perf_counter() - self._begun) * len(self._calls)
        while self._made < due:
            call = self._calls[self._made % len(self._calls)]
            self._made += 1
            call().addCallbacks(self._count, self._window.fail)

    def _count(self, _: object) -> None:
        self._window.calls += 1
