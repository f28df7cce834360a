"""What a pool of processes does with work that goes well, and with what it refuses."""

import operator
import os
import signal
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import chores
import pytest
from helpers_of_processes import MIB, Watched, pipe, read, running, until, write
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import CancelledError, Deferred, gatherResults

from anet.errors import NotSendable, Overloaded, Stopped
from anet.processes import Processes


@ensureDeferred
async def test_values_come_through_unharmed() -> None:
    """Bytes, text, numbers, dates, None and nested values come back as they went."""
    value = {
        "bytes": bytes(range(256)),
        "text": "naïve 𝄞 \x00",
        "numbers": [0, -(2**63), 2**64 - 1, 1.5],
        "date": datetime(2004, 2, 29, tzinfo=UTC),
        "nothing": None,
    }
    async with running() as pool:
        assert await pool.run(chores.same, value) == value
        assert await pool.run(operator.getitem, [b"a", b"b"], 1) == b"b"  # not even Python


@ensureDeferred
async def test_workers_start_when_needed_and_are_used_again() -> None:
    """Nothing runs before the first job; jobs one after another are done by one process."""
    async with running(size=2) as pool:
        assert not pool.pids
        pids = {(await pool.run(chores.whoami))[0] for _ in range(5)}
        assert pids == pool.pids
        assert len(pids) == 1


@ensureDeferred
async def test_as_many_jobs_run_at_once_as_there_are_workers(tmp_path: Path) -> None:
    """Two workers do two jobs side by side, and a third waits."""
    first, second = pipe(tmp_path, "1"), pipe(tmp_path, "2")
    answers = pipe(tmp_path, "answer 1"), pipe(tmp_path, "answer 2")
    async with running(size=2) as pool:
        results = [
            pool.run(chores.announce_and_listen, first, answers[0]),
            pool.run(chores.announce_and_listen, second, answers[1]),
            pool.run(chores.same, 3),
        ]
        assert {int(await read(first)), int(await read(second))} == pool.pids
        assert (pool.working, pool.waiting) == (2, 1)
        for answer in answers:
            await write(answer, "yes")
        assert await gatherResults(results) == ["yes", "yes", 3]


@ensureDeferred
async def test_a_worker_shares_nothing_with_the_agent() -> None:
    """It has no reactor and one socket, its own name, and the modules that were preloaded."""
    async with running(size=2, preload=["wave"], name="parsers") as pool:
        both = await gatherResults([pool.run(chores.surroundings) for _ in range(2)])
        expected = {"reactor": False, "sockets": 1, "name": "parsers", "preloaded": True}
        assert both == [expected, expected]


@ensureDeferred
async def test_what_a_job_prints_does_no_harm(capfd: pytest.CaptureFixture[str]) -> None:
    """Whatever goes to standard output goes to standard error, and the answer comes."""
    async with running() as pool:
        assert await pool.run(chores.chat) == "said"
        assert await pool.run(chores.same, 1) == 1
    printed = capfd.readouterr()
    assert "from a shell" in printed.err
    assert "the last line has no end" in printed.err
    assert not printed.out


@ensureDeferred
async def test_ctrl_c_is_for_the_agent() -> None:
    """A worker takes no notice of SIGINT."""
    async with running() as pool:
        assert await pool.run(chores.interrupt_itself) == "still here"


@ensureDeferred
async def test_a_worker_is_replaced_after_so_many_jobs() -> None:
    """With two jobs to a worker, five jobs take three workers."""
    async with running(tasks=2) as pool:
        pids = [(await pool.run(chores.whoami))[0] for _ in range(5)]
        assert pids[0] == pids[1] != pids[2] == pids[3] != pids[4]


@ensureDeferred
async def test_a_full_queue_refuses_more() -> None:
    """With a worker busy and two jobs waiting, the next is refused and the others are done."""
    async with running(queue_limit=2) as pool:
        await pool.run(chores.same, 0)
        accepted = [pool.run(chores.same, number) for number in range(3)]
        with pytest.raises(Overloaded, match="2 jobs"):
            await pool.run(chores.same, 3)
        assert await gatherResults(accepted) == [0, 1, 2]


@ensureDeferred
async def test_a_waiting_job_that_is_cancelled_never_runs(tmp_path: Path) -> None:
    """It leaves the queue; the jobs before and behind it are done."""
    trace = tmp_path / "trace"
    async with running() as pool:
        await pool.run(chores.same, 0)
        before = pool.run(chores.same, 1)
        cancelled = pool.run(chores.announce, str(trace))
        behind = pool.run(chores.same, 2)
        cancelled.cancel()
        assert pool.waiting == 1
        with pytest.raises(CancelledError):
            await cancelled
        assert [await before, await behind] == [1, 2]
        assert not trace.exists()


@ensureDeferred
async def test_a_running_job_that_is_cancelled_is_killed(tmp_path: Path) -> None:
    """Its process ends, whatever it does, and another does the next job."""
    announced = pipe(tmp_path)
    async with running() as pool:
        cancelled = pool.run(chores.announce_and_hang, announced)
        pid = int(await read(announced))
        process = Watched(pid)
        cancelled.cancel()
        with pytest.raises(CancelledError):
            await cancelled
        assert (await pool.run(chores.whoami))[0] != pid
        await process.ended()


def _closure() -> Any:
    return lambda: None


def not_of_its_module() -> None:
    """Be renamed."""


not_of_its_module.__qualname__ = "elsewhere"


@pytest.mark.parametrize("function", [_closure(), not_of_its_module, object(), pytest])
@ensureDeferred
async def test_what_a_worker_cannot_import_is_refused(function: Any) -> None:
    """Functions are sent by name: closures and the like have none."""
    async with running() as pool:
        with pytest.raises(NotSendable, match="import"):
            await pool.run(function)
        assert not pool.pids


@pytest.mark.parametrize("argument", [object(), 2**64, "\udcff", pytest])
@ensureDeferred
async def test_arguments_that_are_no_messagepack_are_refused(argument: Any) -> None:
    """No worker is bothered with them."""
    async with running() as pool:
        with pytest.raises(NotSendable, match="argument of chores:same"):
            await pool.run(chores.same, argument)
        assert not pool.pids


@ensureDeferred
async def test_arguments_over_the_limit_are_refused() -> None:
    """The limit is named."""
    async with running(value_limit=MIB) as pool:
        with pytest.raises(NotSendable, match="limit of 1048576"):
            await pool.run(chores.same, bytes(MIB))
        assert len(await pool.run(chores.same, bytes(MIB - 100))) == MIB - 100


@pytest.mark.parametrize("kind", ["object", "circle", "integer", "surrogate", "coroutine"])
@ensureDeferred
async def test_results_that_are_no_messagepack_fail_their_job(kind: str) -> None:
    """The worker lives on."""
    async with running() as pool:
        pid = (await pool.run(chores.whoami))[0]
        with pytest.raises(NotSendable, match="the result cannot be sent"):
            await pool.run(chores.unsendable, kind)
        assert (await pool.run(chores.whoami))[0] == pid


@ensureDeferred
async def test_a_result_over_the_limit_fails_its_job() -> None:
    """It never leaves the worker, which lives on; the limit is named."""
    async with running(value_limit=MIB) as pool:
        pid = (await pool.run(chores.whoami))[0]
        with pytest.raises(NotSendable, match="limit of 1048576"):
            await pool.run(chores.big, MIB)
        assert len(await pool.run(chores.big, MIB - 100)) == MIB - 100
        assert (await pool.run(chores.whoami))[0] == pid


@ensureDeferred
async def test_a_pool_that_does_not_run_refuses_work() -> None:
    """Before its start, and after its stop, until it is started again."""
    pool = Processes(reactor, 1)
    with pytest.raises(Stopped):
        await pool.run(chores.same, 1)
    for _ in range(2):
        pool.startService()
        assert await pool.run(chores.same, 1) == 1
        await pool.stopService()
        with pytest.raises(Stopped):
            await pool.run(chores.same, 1)


@ensureDeferred
async def test_a_stop_lets_running_jobs_end_and_refuses_those_that_wait(tmp_path: Path) -> None:
    """The running job returns its result; then no process is left."""
    announced, answer = pipe(tmp_path), pipe(tmp_path, "answer")
    async with running() as pool:
        _, forker = await pool.run(chores.whoami)
        working = pool.run(chores.announce_and_listen, announced, answer)
        waiting = pool.run(chores.same, 1)
        processes = [Watched(int(await read(announced))), Watched(forker)]
        stopped = Deferred.fromCoroutine(pool.stopService())
        with pytest.raises(Stopped):
            await waiting
        await write(answer, "done")
        assert await working == "done"
        await stopped
        for process in processes:
            await process.ended()
        assert not pool.pids


@ensureDeferred
async def test_who_hears_of_one_jobs_end_may_give_up_the_others() -> None:
    """A job that was cancelled while others are refused is not refused too; all come to an end."""
    async with running() as pool:
        results = [pool.run(chores.same, number) for number in range(4)]
        fates: dict[int, object] = {}

        def ended(why: Any, number: int) -> None:
            fates[number] = why.type
            results[2].cancel()

        for number, result in enumerate(results):
            result.addErrback(ended, number)
        await pool.stopService()
        assert fates == {0: Stopped, 1: Stopped, 2: CancelledError, 3: Stopped}


@ensureDeferred
async def test_a_stop_ends_an_idle_fork_server_that_hangs() -> None:
    """It has no workers any more, and does not hear that it is to end."""
    async with running(tasks=1) as pool:
        _, forker = await pool.run(chores.whoami)
        await until(lambda: not pool.pids)
        os.kill(forker, signal.SIGSTOP)
        process = Watched(forker)
        await pool.stopService()
        await process.ended()


@ensureDeferred
async def test_a_stop_kills_what_does_not_end_within_the_grace(tmp_path: Path) -> None:
    """A job that never ends fails, and no process is left."""
    announced = pipe(tmp_path)
    async with running(size=2, grace=0.1) as pool:
        _, forker = await pool.run(chores.whoami)
        working = pool.run(chores.announce_and_hang, announced)
        processes = [Watched(int(await read(announced))), Watched(forker)]
        stopped = Deferred.fromCoroutine(pool.stopService())
        with pytest.raises(Stopped, match="announce_and_hang"):
            await working
        await stopped
        for process in processes:
            await process.ended()


@ensureDeferred
async def test_a_stop_while_workers_start_leaves_nothing() -> None:
    """The job fails, and the stop ends."""
    async with running(size=2) as pool:
        refused = [pool.run(chores.same, number) for number in range(2)]
        stopped = Deferred.fromCoroutine(pool.stopService())
        for result in refused:
            with pytest.raises(Stopped):
                await result
        await stopped
        assert not pool.pids


@ensureDeferred
async def test_a_stop_ends_a_fork_server_that_hangs() -> None:
    """The stop takes no longer than the grace."""
    async with running(preload=["endless"], grace=0.1) as pool:
        refused = pool.run(chores.same, 1)
        await pool.stopService()
        with pytest.raises(Stopped):
            await refused
