"""Jobs that die, hang, eat memory or speak nonsense: each fails alone. The deaths are real."""

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import chores
import pytest
from helpers_of_processes import MIB, Watched, pipe, read, running, until, write
from pytest_twisted import ensureDeferred

from anet.errors import (
    WorkerDied,
    WorkerFailed,
    WorkersUnavailable,
    WorkerTooLarge,
    WorkerTooSlow,
)


@ensureDeferred
async def test_an_exception_fails_its_job_with_type_and_words() -> None:
    """The worker lives on."""
    async with running() as pool:
        pid = (await pool.run(chores.whoami))[0]
        with pytest.raises(WorkerFailed, match="chores:fail: ValueError: naïve") as raised:
            await pool.run(chores.fail, "naïve \udcff"[:6])
        assert (raised.value.type, raised.value.words) == ("ValueError", "naïve ")
        assert (await pool.run(chores.whoami))[0] == pid


@ensureDeferred
async def test_the_strangest_exceptions_are_told() -> None:
    """An end by `sys.exit`, and exceptions that cannot be shown or are too long, are failures."""
    async with running() as pool:
        with pytest.raises(WorkerFailed, match="SystemExit: 3"):
            await pool.run(chores.leave)
        with pytest.raises(WorkerFailed, match="cannot say"):
            await pool.run(chores.fail_speechless)
        with pytest.raises(WorkerFailed) as raised:
            await pool.run(chores.fail, "x" * 100_000)
        assert len(raised.value.words) == 1000


@ensureDeferred
async def test_a_killed_worker_fails_its_job_only(tmp_path: Path) -> None:
    """SIGKILL in the middle of one job; the other worker's job, and the next, are done."""
    dying, living, answer = (pipe(tmp_path, name) for name in ("dying", "living", "answer"))
    async with running(size=2) as pool:
        killed = pool.run(chores.announce_and_hang, dying)
        other = pool.run(chores.announce_and_listen, living, answer)
        await read(living)
        os.kill(int(await read(dying)), signal.SIGKILL)
        with pytest.raises(WorkerDied, match="announce_and_hang was killed by SIGKILL"):
            await killed
        assert await pool.run(chores.same, 1) == 1
        await write(answer, "alive")
        assert await other == "alive"


@pytest.mark.parametrize(
    ("chore", "words"),
    [
        (chores.crash, "SIGSEGV"),
        (chores.drop_dead, "exit code 3"),
        (chores.close_everything, "exit code 1"),
    ],
)
@ensureDeferred
async def test_a_worker_that_dies_by_itself_fails_its_job(
    chore: type[chores.crash], words: str
) -> None:
    """The error names the death and the limits, since one of them may be the reason."""
    async with running(memory=64 * MIB) as pool:
        pid = (await pool.run(chores.whoami))[0]
        with pytest.raises(WorkerDied, match=f"{words}.*64 MiB, 60 seconds"):
            await pool.run(chore)
        assert (await pool.run(chores.whoami))[0] != pid


@ensureDeferred
async def test_an_idle_worker_that_dies_is_replaced() -> None:
    """No job notices."""
    async with running() as pool:
        pid = (await pool.run(chores.whoami))[0]
        process = Watched(pid)
        os.kill(pid, signal.SIGKILL)
        await process.ended()
        await until(lambda: pid not in pool.pids)
        assert (await pool.run(chores.whoami))[0] != pid


@ensureDeferred
async def test_a_job_that_hangs_is_killed_when_its_time_is_over(tmp_path: Path) -> None:
    """The job's own limit goes before the pool's."""
    announced = pipe(tmp_path)
    async with running(time=60.0) as pool:
        hanging = pool.run(chores.announce_and_hang, announced, time=0.3)
        process = Watched(int(await read(announced)))
        with pytest.raises(WorkerTooSlow, match=r"announce_and_hang .* limit of 0\.3 seconds"):
            await hanging
        await process.ended()
        assert await pool.run(chores.same, 1) == 1


@ensureDeferred
async def test_the_time_does_not_count_while_a_job_waits(tmp_path: Path) -> None:
    """A job whose time is over before its turn comes is still done."""
    announced = pipe(tmp_path)
    async with running() as pool:
        hanging = pool.run(chores.announce_and_hang, announced, time=0.5)
        waiting = pool.run(chores.same, 1, time=0.4)
        await read(announced)
        with pytest.raises(WorkerTooSlow):
            await hanging
        assert await waiting == 1


@pytest.mark.parametrize("bomb", [(chores.eat, 2**40), (chores.eat, 200 * MIB)])
@ensureDeferred
async def test_a_job_that_eats_too_much_fails(bomb: tuple[type[chores.eat], int]) -> None:
    """The error names the limit; a job within it is done."""
    async with running(memory=64 * MIB) as pool:
        with pytest.raises(WorkerTooLarge, match="limit of 64 MiB"):
            await pool.run(*bomb)
        assert await pool.run(chores.eat, 48 * MIB) == 48 * MIB


@ensureDeferred
async def test_a_job_that_never_stops_eating_fails() -> None:
    """Small bites are counted like one large."""
    async with running(memory=64 * MIB) as pool:
        with pytest.raises(WorkerTooLarge, match="limit of 64 MiB"):
            await pool.run(chores.eat_for_ever)
        assert await pool.run(chores.same, 1) == 1


@ensureDeferred
async def test_memory_that_a_job_leaves_behind_does_not_count_against_the_next() -> None:
    """Leaking jobs are all done, by workers that are replaced once they have lost too much."""
    async with running(memory=64 * MIB) as pool:
        pids = [await pool.run(chores.leak, 40 * MIB) for _ in range(6)]
        assert pids[0] == pids[1] != pids[2] == pids[3] != pids[4]


NONSENSE = {
    "not a frame": b"GET / HTTP/1.1\r\n\r\n",
    "a length over the limit": b"\xff\xff\xff\xff",
    "not an answer": b"\x00\x00\x00\x01\xc0",
    "another's answer": b"\x00\x00\x00\x10\x93\x64\xc2\x92\xa8returned\xc0"[:20].ljust(20, b"\xc0"),
    "two frames": b"\x00\x00\x00\x00\x00\x00\x00\x00",
}


@pytest.mark.parametrize("data", NONSENSE.values(), ids=NONSENSE.keys())
@ensureDeferred
async def test_a_worker_that_speaks_nonsense_is_killed(data: bytes) -> None:
    """Its job fails, and another worker does the next."""
    async with running() as pool:
        pid = (await pool.run(chores.whoami))[0]
        process = Watched(pid)
        with pytest.raises(WorkerDied, match="nonsense"):
            await pool.run(chores.babble, data)
        await process.ended()
        assert await pool.run(chores.same, 1) == 1


@ensureDeferred
async def test_a_job_that_returns_twice_is_not_mistaken_for_the_next(tmp_path: Path) -> None:
    """The second answer, to a number that was answered, costs the worker and no more."""
    again = pipe(tmp_path)
    async with running() as pool:
        pid = (await pool.run(chores.whoami))[0]
        assert await pool.run(chores.return_twice, again) is False
        await write(again, "")
        await until(lambda: pid not in pool.pids)
        assert await pool.run(chores.same, 1) == 1


@ensureDeferred
async def test_a_fork_server_that_dies_is_replaced(tmp_path: Path) -> None:
    """Its workers go with it, whatever they do; the next job starts another."""
    announced = pipe(tmp_path)
    async with running(size=2) as pool:
        pid, forker = await pool.run(chores.whoami)
        hanging = pool.run(chores.announce_and_hang, announced)
        process = Watched(int(await read(announced)))
        os.kill(forker, signal.SIGKILL)
        with pytest.raises(WorkerDied, match="fork server"):
            await hanging
        await process.ended()
        assert (await pool.run(chores.whoami))[1] != forker


@ensureDeferred
async def test_a_fork_server_that_we_cannot_talk_to_is_replaced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """When no descriptor is left for its socket, it ends, and a later one does the jobs."""

    def refuse(*_: object) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    async with running() as pool:
        with monkeypatch.context() as patch:
            patch.setattr("twisted.internet.unix.socket.fromfd", refuse)
            result = pool.run(chores.same, 1)
        assert await result == 1


@ensureDeferred
async def test_modules_that_do_not_load_are_told_to_those_who_wait() -> None:
    """After some tries, further apart each time, what waits fails with the reason."""
    async with running(size=2, preload=["no_such_module"]) as pool:
        first, second = pool.run(chores.same, 1), pool.run(chores.same, 2)
        for result in (first, second):
            with pytest.raises(WorkersUnavailable, match="no_such_module"):
                await result


@ensureDeferred
async def test_a_fork_server_that_hangs_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A module that never ends loading costs the patience with a start, not more."""
    monkeypatch.setattr("anet.processes.worker._PATIENCE", 0.3)
    monkeypatch.setattr("anet.processes.pool._FAILED_STARTS", 1)
    async with running(preload=["endless"]) as pool:
        with pytest.raises(WorkersUnavailable, match="ended with its fork server|is gone"):
            await pool.run(chores.same, 1)


@ensureDeferred
async def test_workers_that_die_at_start_are_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While every child dies jobs wait, then fail; once children live, jobs are done."""
    curse = tmp_path / "curse"
    curse.touch()
    monkeypatch.setenv("STILLBORN", str(curse))
    async with running(preload=["stillborn"]) as pool:
        with pytest.raises(WorkersUnavailable, match="exit code 7"):
            await pool.run(chores.same, 1)
        waiting = pool.run(chores.same, 2)
        curse.unlink()
        assert await waiting == 2


AGENT = """
import os, sys
from twisted.internet import reactor
from anet.processes import Processes
import chores
pool = Processes(reactor, 2)
pool.startService()
def known(pids):
    print(*pids, flush=True)
    pool.run(chores.announce_and_hang, sys.argv[1])
reactor.callWhenRunning(lambda: pool.run(chores.whoami).addCallback(known))
reactor.run()
"""


def test_no_process_outlives_an_agent_that_is_killed(tmp_path: Path) -> None:
    """The fork server and its workers end with the agent, idle or hanging."""
    announced = pipe(tmp_path)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    agent = subprocess.Popen(
        [sys.executable, "-c", AGENT, announced], stdout=subprocess.PIPE, env=environment, text=True
    )
    with agent:
        assert agent.stdout is not None
        processes = [Watched(int(pid)) for pid in agent.stdout.readline().split()]
        processes.append(Watched(int(Path(announced).read_text())))
        agent.kill()
        for process in processes:
            process.wait()
