"""ZeroMQ by pyzmq: DEALER and ROUTER that block, MessagePack, no futures.

ZeroMQ carries messages, not calls: a request is `[number, method, arguments]` and an answer
`[number, value]`, the least with which methods can be told apart and answered in any order.
"""

import time
from typing import Any

import msgpack
import zmq
from measuring import (
    SERVE,
    VALUE,
    Window,
    announce,
    check,
    find_server,
    percentiles,
    report,
    take_job,
)


def echo(url: str, depth: int, status: int) -> dict[str, Any]:
    """Give back what it is given."""
    return {"url": url, "depth": depth, "status": status}


METHODS = {"echo": echo}


def main() -> None:
    """Do the job of this process."""
    job = take_job()
    context = zmq.Context()
    if job.task == SERVE:
        serve(unlimited(context, zmq.ROUTER))
    server = find_server()
    caller = Caller(context, server.port)
    caller.ask()
    check(caller.take_answer())
    window = Window(server)
    measure = throughput if job.task == "throughput" else latency
    for _ in range(job.in_flight if measure is throughput else 0):
        caller.ask()
    measure(caller, window, job.warm_up)
    window.open()
    found = measure(caller, window, job.seconds)
    report({**window.close(), **found})
    context.destroy(linger=0)


def unlimited(context: Any, kind: int) -> Any:
    """Return a socket that never waits for its queues: those who call wait for answers."""
    made = context.socket(kind)
    made.set_hwm(0)
    return made


def serve(router: Any) -> None:
    """Answer whoever asks."""
    announce(router.bind_to_random_port("tcp://127.0.0.1"))
    while True:
        caller, request = router.recv_multipart()
        number, method, arguments = msgpack.unpackb(request)
        answer = [number, METHODS[method](**arguments)]
        router.send_multipart((caller, msgpack.packb(answer)))


class Caller:
    """Makes calls, and knows which wait for an answer."""

    def __init__(self, context: Any, port: int) -> None:
        self._dealer = unlimited(context, zmq.DEALER)
        self._dealer.connect(f"tcp://127.0.0.1:{port}")
        self._number = 0
        self._waiting: set[int] = set()

    def ask(self) -> None:
        """Make a call."""
        self._number += 1
        self._waiting.add(self._number)
        self._dealer.send(msgpack.packb([self._number, "echo", VALUE]))

    def take_answer(self) -> Any:
        """Wait for the next answer."""
        number, value = msgpack.unpackb(self._dealer.recv())
        self._waiting.remove(number)
        return value


def throughput(caller: Caller, window: Window, seconds: float) -> dict[str, float]:
    """Make a new call for each answer, for a while."""
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for _ in range(100):
            caller.take_answer()
            caller.ask()
        window.calls += 100
    return {}


def latency(caller: Caller, window: Window, seconds: float) -> dict[str, float]:
    """Make one call after the other, for a while."""
    latencies: list[float] = []
    end = time.perf_counter() + seconds
    while (begun := time.perf_counter()) < end:
        caller.ask()
        caller.take_answer()
        latencies.append(time.perf_counter() - begun)
    window.calls += len(latencies)
    return percentiles(latencies)


if __name__ == "__main__":
    main()
