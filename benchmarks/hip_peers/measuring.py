"""What the peers of benchmarks/hip.py share: the job they are given, and how they are measured.

A peer is run twice, as a server and as a client, each with its job as JSON in its only argument.
A server prints where it is, and ends when its standard input does. A client reads where the
server is, measures both processes, and prints the result. Both lines are JSON.
"""

import json
import os
import signal
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, NoReturn

VALUE = {"url": "http://example.org/", "depth": 3, "status": 200}  # goes each way in each call
SERVE = "serve"


class Job(NamedTuple):
    """What a process has to do.

    Attributes:
        task: `serve`, or the part of the benchmark that a client measures.
        variant: of the peer; what it may be, the peer knows.
        core: to run on.
        seconds: that are measured.
        warm_up: seconds before them.
        in_flight: calls that wait for an answer at any moment, in the throughput part.
        connections: in the part with many slaves, each of which makes one call a second.
        certificates: folder of the certificates of the two sides.
    """

    task: str
    variant: str
    core: int
    seconds: float
    warm_up: float
    in_flight: int
    connections: int
    certificates: str


class Server(NamedTuple):
    """Where a server is."""

    pid: int
    port: int


def take_job() -> Job:
    """Return this process's job, having gone to its core."""
    job = Job(**json.loads(sys.argv[1]))
    os.sched_setaffinity(0, {job.core})
    return job


def announce(port: int) -> None:
    """Tell where this server listens, and let it end together with who started it."""
    print(json.dumps(Server(os.getpid(), port)._asdict()), flush=True)

    def wait() -> None:
        sys.stdin.read()
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, daemon=True).start()


def find_server() -> Server:
    """Return where the server is, once it has started."""
    return Server(**json.loads(sys.stdin.readline()))


def report(result: dict[str, float]) -> None:
    """Say what was measured."""
    print(json.dumps(result), flush=True)


def check(answer: object) -> None:
    """End the process unless an answer is what was sent."""
    if answer != VALUE:
        fail(f"a wrong answer: {answer!r}")


def fail(reason: object) -> NoReturn:
    """End the process at once: what is measured after an error is worth nothing."""
    text = getattr(reason, "getTraceback", reason.__str__)()
    print(text, file=sys.stderr, flush=True)
    os._exit(1)


class Window:
    """Counts calls, and says what those between `open` and `close` have cost.

    Attributes:
        calls: that were answered; whoever makes the calls adds to it.
        closed: whether enough was measured.
    """

    def __init__(self, server: Server) -> None:
        self.calls = 0
        self.closed = False
        self._server = server

    def open(self) -> None:
        """Begin to measure."""
        self._before = self._look()

    def close(self) -> dict[str, float]:
        """Return how many calls were answered, in how much time and processor time."""
        after = self._look()
        self.closed = True
        return {what: after[what] - before for what, before in self._before.items()}

    def fail(self, reason: object) -> None:
        """End the process because of an error, unless enough was measured before it."""
        if not self.closed:
            fail(reason)

    def _look(self) -> dict[str, float]:
        return {
            "seconds": time.perf_counter(),
            "calls": self.calls,
            "server": processor_time(self._server.pid),
            "client": time.process_time(),
            "waited": waited(self._server.pid) + waited(os.getpid()),
        }


def processor_time(pid: int) -> float:
    """Return the seconds of processor time of a process, all threads; as clock_getcpuclockid."""
    return time.clock_gettime((~pid << 3) | 2)


def waited(pid: int) -> float:
    """Return the seconds that a process's first thread waited for a core that others had."""
    with suppress(OSError):  # a kernel without this file says nothing
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[1]) / 1e9
    return 0.0


def percentiles(latencies: list[float]) -> dict[str, float]:
    """Return the median and the 99th percentile, in seconds."""
    ordered = sorted(latencies)
    if not ordered:
        fail("no call was answered in time to be measured")
    return {"p50": ordered[len(ordered) // 2], "p99": ordered[len(ordered) * 99 // 100]}


def memory(pid: int) -> dict[str, int]:
    """Return the bytes of memory that a process has: in all, and those that are its own."""
    sizes = {"Rss": 0, "Private_Clean": 0, "Private_Dirty": 0}
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        name, _, rest = line.partition(":")
        if name in sizes:
            sizes[name] = int(rest.split()[0]) * 1024
    return {"rss": sizes["Rss"], "private": sizes["Private_Clean"] + sizes["Private_Dirty"]}


def grown(before: dict[str, int], after: dict[str, int]) -> dict[str, int]:
    """Return by how many bytes a process has grown."""
    return {what: after[what] - before[what] for what in before}
