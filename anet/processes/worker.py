"""One worker, as its pool sees it.

    starting ──ready──▶ idle ──give──▶ busy ──answer──▶ idle
        │                │              │
        └────────────────┴──────────────┴── killed, or its own death ──▶ ended

A worker has ended when its process is gone *and* its connection is: an answer that was sent before
a death still counts.
"""

import os
import socket
from collections.abc import Callable
from contextlib import suppress
from signal import SIGKILL, Signals
from typing import Any
from typing import Protocol as Interface

import attrs
from twisted.internet.defer import maybeDeferred
from twisted.internet.interfaces import IDelayedCall, ITCPTransport
from twisted.internet.protocol import Factory, Protocol, connectionDone
from twisted.python.failure import Failure

from anet.deadline import Deadline
from anet.errors import WorkerDied, WorkerTooSlow
from anet.nursery import NurseryError, Zygote
from anet.processes.child import Limits
from anet.processes.job import Job
from anet.processes.messages import Answer, Frames, Nonsense, decode_answer, framed

_PATIENCE = 60.0  # seconds that a worker has to start, and the fork server before it
_PARTING = 1.0  # seconds between the end of a process and that of its connection


class Owner(Interface):
    """Whoever keeps workers, and hears of what becomes of them."""

    def worker_ready(self, worker: "Worker") -> None:
        """A worker has started, and takes a job."""

    def worker_answered(self, worker: "Worker", job: Job, answer: Answer) -> None:
        """A worker has done its job; it takes another, unless it is ending."""

    def worker_ended(self, worker: "Worker") -> None:
        """A worker is no more."""


class Worker(Protocol):
    """One process that does one job at a time.

    Attributes:
        pid: its process, once it is forked.
        job: what it does now.
        ready: it has started, and was not broken from the beginning.
        ending: it is being killed, and takes no job any more.
        fate: how its process ended, in words.
    """

    transport: ITCPTransport  # of a UNIX socket, which can abort as TCP does

    def __init__(self, reactor: Any, owner: Owner, limits: Limits) -> None:
        self.pid: int | None = None
        self.job: Job | None = None
        self.ready = self.ending = False
        self.fate = ""
        self._reactor, self._owner, self._limits = reactor, owner, limits
        self._frames = Frames(limits.value)
        self._deadline = Deadline(reactor, self._late)
        self._connected = True
        self._parting: IDelayedCall | None = None

    def start(self, forker: Zygote, name: str) -> None:
        """Have the process forked, with a socket to us.

        Raises:
            OSError: we may open no more descriptors.
        """
        self._forker = forker
        ours, theirs = socket.socketpair()
        factory = Factory.forProtocol(lambda: self)
        with ours:  # the reactor has a duplicate
            try:
                self._reactor.adoptStreamConnection(ours.fileno(), socket.AF_UNIX, factory)
            except OSError:
                theirs.close()
                raise
        self._deadline.set(_PATIENCE)
        argument = {"name": name, "limits": attrs.asdict(self._limits)}
        forked = maybeDeferred(forker.fork, argument, [theirs.fileno()])

        def passed(result: Any) -> Any:
            theirs.close()
            return result

        forked.addBoth(passed)
        forked.addCallbacks(self._forked, lambda why: self.process_ended(why.getErrorMessage()))

    def give(self, job: Job) -> None:
        """Let the process, which is idle, do a job."""
        self.job = job
        self._deadline.set(job.seconds)
        self.transport.write(framed(job.payload))

    def take_away(self) -> Job | None:
        """Return the job that the process will not end any more, if it has one."""
        job, self.job = self.job, None
        self._deadline.lift()
        return job

    def kill(self) -> None:
        """End the process, whatever it does."""
        self.ending = True
        if self.pid is not None and not self.fate:
            with suppress(NurseryError):  # the fork server is gone, and took the process along
                self._forker.signal(self.pid, SIGKILL)

    def process_ended(self, fate: str) -> None:
        """Take note that the process is no more, or could not be forked."""
        if self.fate:
            return
        self.fate = fate
        self.ending = self.ending or self.job is None
        self._half_ended(self.transport.abortConnection)  # what it left behind may hold it open

    def dataReceived(self, data: bytes) -> None:
        """Take what the process says."""
        if self.ending:
            return
        try:
            frame = self._frames.feed(data)
            if frame is not None:
                self._said(frame)
        except Nonsense as error:
            self._fail_job(WorkerDied(f"a worker was killed because it spoke nonsense: {error}"))

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """Take note that the process says no more, and make sure that it ends."""
        self._connected = False
        self.ending = True
        self._half_ended(self.kill)

    def _forked(self, pid: int) -> None:
        self.pid = pid
        if self.ending:
            self.kill()

    def _said(self, frame: bytes) -> None:
        if not self.ready:
            if frame:
                raise Nonsense(f"{frame[:40]!r} before it was ready")
            self.ready = True
            self._deadline.lift()
            self._owner.worker_ready(self)
            return
        answer = decode_answer(frame)
        if self.job is None or self.job.number != answer.number:
            raise Nonsense("an answer to nothing")
        job = self.job
        self.take_away()
        if answer.last or self.fate:  # what it said is read, and it is no more
            self.kill()
        self._owner.worker_answered(self, job, answer)

    def _late(self) -> None:
        if self.job is not None:
            took = f"{self.job.function} took longer than its limit of {self.job.seconds:g} seconds"
            self._fail_job(WorkerTooSlow(took))
        elif self.pid is not None:
            self.kill()
        elif not self.fate:  # the fork server hangs; our child, so that the pid is still its own
            os.kill(self._forker.pid, SIGKILL)

    def _fail_job(self, error: Exception) -> None:
        self.kill()
        job = self.take_away()
        if job is not None:
            job.fail(error)

    def _half_ended(self, end_other_half: Callable[[], None]) -> None:
        if self._parting is not None and self._parting.active():
            self._parting.cancel()
        if self.fate and not self._connected:
            self._end()
        else:
            self._parting = self._reactor.callLater(_PARTING, end_other_half)

    def _end(self) -> None:
        self._deadline.stop()
        job = self.take_away()
        self._owner.worker_ended(self)
        if job is not None:
            job.fail(WorkerDied(f"the worker of {job.function} {self.fate} ({job.allowance})"))


def fate(status: int) -> str:
    """Say how a process ended, given its exit code, or -N for signal N."""
    if status >= 0:
        return f"ended with exit code {status}"
    try:
        return f"was killed by {Signals(-status).name}"
    except ValueError:
        return f"was killed by signal {-status}"
