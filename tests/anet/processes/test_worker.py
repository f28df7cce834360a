"""One worker as its pool sees it, in memory: whatever its process says, the pool goes on."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport
from twisted.python.failure import Failure

from anet.errors import TaskFailed, WorkerDied
from anet.processes.child import Limits
from anet.processes.job import Job
from anet.processes.messages import (
    Answer,
    NotSent,
    Raised,
    Returned,
    TooLarge,
    encode,
    framed,
)
from anet.processes.worker import Worker, fate

LIMITS = Limits(memory=2**20, value=100, tasks=10)
READY = framed(b"")
ANSWERS = st.builds(
    Answer,
    st.integers(6, 8),
    st.booleans(),
    st.sampled_from([Returned(b"value"), Raised("E", "words"), TooLarge(), NotSent("words")]),
).map(lambda answer: framed(encode(answer)))


class Owner:
    """Takes note of what it hears of its worker."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def worker_ready(self, worker: Worker) -> None:
        self.heard.append("ready")

    def worker_answered(self, worker: Worker, job: Job, answer: Answer) -> None:
        self.heard.append("answered")
        job.end(answer.outcome)

    def worker_ended(self, worker: Worker) -> None:
        self.heard.append("ended")


def connected() -> tuple[Clock, Owner, Worker]:
    """Return a worker whose process is said to have been forked."""
    clock, owner = Clock(), Owner()
    worker = Worker(clock, owner, LIMITS)
    worker.makeConnection(StringTransport())
    return clock, owner, worker


def job() -> tuple[Job, list[Any]]:
    """Return job number 7, and the list that its result comes to."""
    results: list[Any] = []
    result: Deferred[Any] = Deferred()
    result.addBoth(results.append)
    return Job(7, "module:name", b"payload", 5.0, LIMITS, result), results


@given(st.lists(st.binary(max_size=20) | ANSWERS, max_size=6), st.booleans())
def test_whatever_a_process_says_its_job_ends_once(pieces: list[bytes], ready: bool) -> None:
    """Any bytes lead to one result or one typed error, and the worker's end is told once."""
    clock, owner, worker = connected()
    work, results = job()
    if ready:
        worker.dataReceived(READY)
        worker.give(work)
    for piece in pieces:
        worker.dataReceived(piece)
    worker.connectionLost()
    worker.process_ended("ended")
    worker.process_ended("ended again")
    assert owner.heard.count("ended") == 1
    assert owner.heard.count("answered") <= 1
    assert len(results) == ready
    for result in results:
        assert result == b"value" or result.check(TaskFailed)
    assert not clock.getDelayedCalls()


def test_an_answer_sent_before_a_death_counts() -> None:
    """The process is known to be gone before its last words are read."""
    _, owner, worker = connected()
    work, results = job()
    worker.dataReceived(READY)
    worker.give(work)
    worker.process_ended("was killed by SIGKILL")
    worker.dataReceived(framed(encode(Answer(7, False, Returned("last words")))))
    worker.connectionLost()
    assert results == ["last words"]
    assert worker.ending  # it is given no other job
    assert owner.heard == ["ready", "answered", "ended"]


def test_a_connection_that_outlives_its_process_is_cut() -> None:
    """A process that a job left behind may hold the socket; the job fails after a second."""
    clock, _, worker = connected()
    work, results = job()
    worker.dataReceived(READY)
    worker.give(work)
    worker.process_ended("was killed by SIGKILL")
    assert not results
    clock.advance(1.0)
    assert isinstance(worker.transport, StringTransport)
    assert worker.transport.disconnected
    worker.connectionLost()
    assert isinstance(results[0], Failure)
    assert results[0].check(WorkerDied)


def test_fates_in_words() -> None:
    """Exit codes and signals are told by their names, where they have one."""
    assert fate(3) == "ended with exit code 3"
    assert fate(-11) == "was killed by SIGSEGV"
    assert fate(-99) == "was killed by signal 99"
