"""Processes that record until they are killed, and say after each flush what they have written.

python until_killed.py FOLDER: for each number on its input a process records, and recovers what the
one before left, which is killed. At the end of input one recovers, and ends in order.
The modules are loaded once for all of them.
"""

import os
import signal
import sys
from pathlib import Path
from typing import Any

from taping import DESCRIBED, STREAM

from agents.collected import Captures
from agents.stream_offset import StreamOffset
from agents.streaming.recording import Beginning, OpenPiece, Recorder
from anet.clock import wall
from anet.tasks import Tasks, every
from anet.workers import Workers

STREAMS = 8
CHUNK = 3000
EVERY = 0.01  # seconds between two flushes, so that much happens before a kill
LINE = 20  # bytes


def media(run: int, stream: int, begin: int, size: int) -> bytes:
    """Return a part of what a stream has in a run; no two lines are the same."""
    lines = range(begin // LINE, (begin + size) // LINE + 1)
    whole = b"".join(b"%05d %05d %07d\n" % (run, stream, line) for line in lines)
    return whole[begin % LINE :][:size]


class Radio:
    """A stream that is recorded in pieces of some 20 kB."""

    def __init__(self, recorder: Recorder, run: int, number: int, at: float) -> None:
        self.written = 0
        self._run, self._number = run, number
        self._piece: OpenPiece = recorder.begin(
            Beginning(f"{STREAM}/{number}", "radio.example", DESCRIBED, at)
        )

    def hear(self, at: float) -> None:
        """Write what came, with an entry; cut what is long enough."""
        data = media(self._run, self._number, self.written, CHUNK)
        self._piece.write(data, safe=self._piece.size + len(data) - 100)
        self.written += len(data)
        self._piece.enter(at, StreamOffset(self.written // 16, self._piece.size - 100))
        if self._piece.size > 20_000 + 1000 * self._number:
            place = StreamOffset(self.written // 16, self._piece.size - 70)
            self._piece = self._piece.turn(at, place, "size")


tasks = Tasks()


async def record(reactor: Any, folder: Path, run: int) -> None:
    """Record for ever, and recover meanwhile; with no number, only recover."""
    workers = Workers(reactor, 1)
    workers.startService()
    period = 0.05 if run else 0.0
    captures = Captures(reactor, workers, folder, "streaming-1", "streams", period, 10**9)
    recorder = Recorder(reactor, workers, folder / "open", captures, sync_every=0.05)
    await recorder.look()
    if not run:
        await recorder.recover()
        await captures.recover()
        await captures.sync()
        await workers.stopService()
        reactor.stop()
        return
    tasks.start(recorder.recover(), "recovering, while streams come in")
    radios = [Radio(recorder, run, number, wall(reactor)) for number in range(STREAMS)]

    async def tide() -> None:
        for radio in radios:
            radio.hear(wall(reactor))
        written = " ".join(str(radio.written) for radio in radios)
        await recorder.flush()
        os.write(1, f"{run} {written}\n".encode())  # at once, so that no kill tears a line
        await captures.sync()

    await every(reactor, EVERY, tide)


def child(folder: Path, run: int) -> int:
    """Begin a process that records; return its number."""
    number = os.fork()
    if number:
        return number
    from twisted.internet import reactor as installed
    from twisted.internet.defer import Deferred

    reactor: Any = installed

    def fail(failure: Any) -> None:
        failure.printTraceback(sys.stderr)
        os._exit(1)

    begin = record(reactor, folder, run)
    reactor.callWhenRunning(lambda: Deferred.fromCoroutine(begin).addErrback(fail))
    reactor.run()
    os._exit(0)


def main() -> None:
    """Do what is asked."""
    folder, running = Path(sys.argv[1]), 0
    for run in map(int, sys.stdin):
        if running:
            os.kill(running, signal.SIGKILL)
            os.waitpid(running, 0)
        running = child(folder, run)
    os.kill(running, signal.SIGKILL)
    os.waitpid(running, 0)
    _, status = os.waitpid(child(folder, 0), 0)
    sys.exit(os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    main()
