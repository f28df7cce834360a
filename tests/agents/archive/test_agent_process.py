"""The life of one agent's process, told by a clock and a process that is not there."""

from typing import Any

import pytest
from attrs import define, field
from twisted.internet.error import ProcessDone, ProcessTerminated
from twisted.internet.protocol import ProcessProtocol
from twisted.internet.task import Clock
from twisted.python.failure import Failure

from agents.archive.agent_process import AgentProcess
from agents.archive.config import ArchiveConfig


@define
class FakeTransport:
    """A process that notes the signals it gets."""

    pid: int
    signals: list[str] = field(factory=list)

    def signalProcess(self, name: str) -> None:
        self.signals.append(name)


@define
class FakeLog:
    """A log in memory."""

    written: bytes = b""
    closed: bool = False

    def write(self, data: bytes) -> None:
        self.written += data

    def close(self) -> None:
        self.closed = True


class Nursery:
    """Spawns processes that are not there."""

    def __init__(self) -> None:
        self.spawned: list[tuple[ProcessProtocol, FakeTransport]] = []

    def __call__(self, protocol: ProcessProtocol) -> Any:
        transport = FakeTransport(1000 + len(self.spawned))
        self.spawned.append((protocol, transport))
        return transport

    def say(self, data: bytes) -> None:
        self.spawned[-1][0].errReceived(data)

    def end(self, status: int | None = None, signal: int | None = None) -> None:
        reason = ProcessTerminated(status, signal) if status or signal else ProcessDone(0)
        self.spawned[-1][0].processEnded(Failure(reason))


@define
class Scene:
    """An agent with all that it needs."""

    clock: Clock = field(factory=Clock)
    nursery: Nursery = field(factory=Nursery)
    log: FakeLog = field(factory=FakeLog)
    refusals: list[str] = field(factory=list)
    agent: AgentProcess = field(init=False)

    def __attrs_post_init__(self) -> None:
        config = ArchiveConfig(restart_first=1.0, restart_longest=8.0, steady_after=60.0)
        self.agent = AgentProcess(
            "scheduler", self.nursery, self.clock, config, self.log, self.refusals.append
        )

    @property
    def state(self) -> str:
        return self.agent.status.state


@pytest.fixture
def scene() -> Scene:
    """Return an agent that was started."""
    scene = Scene()
    scene.agent.start()
    return scene


def test_an_agent_runs_once_it_answers(scene: Scene) -> None:
    """Started is not running: it must have answered."""
    assert (scene.state, scene.agent.pid) == ("starting", 1000)
    scene.agent.answered()
    assert scene.state == "running"


def test_an_agent_that_dies_is_started_again(scene: Scene) -> None:
    """A crash is followed by a wait and a new process, and its cause is kept."""
    scene.agent.answered()
    scene.nursery.say(b"Traceback\nValueError: no\n")
    scene.nursery.end(signal=9)
    assert (scene.state, scene.agent.pid) == ("waiting", None)
    assert scene.agent.status.last_end == "killed by SIGKILL: ValueError: no"
    assert scene.agent.last_words == "ValueError: no"
    scene.clock.advance(1.0)
    assert (scene.state, scene.agent.pid, scene.agent.status.starts) == ("starting", 1001, 2)


def test_an_agent_that_ends_by_itself_is_started_again(scene: Scene) -> None:
    """An agent is for ever; ending well is not a reason to stay away."""
    scene.nursery.end()
    scene.clock.advance(1.0)
    assert scene.state == "starting"


def test_waits_grow_and_are_forgiven(scene: Scene) -> None:
    """Each death in a row doubles the wait; a long life resets it."""
    for _ in range(5):
        scene.nursery.end(status=1)
        scene.clock.advance(8.0)
    scene.nursery.end(status=1)
    scene.clock.advance(3.9)
    assert scene.state == "waiting"
    scene.clock.advance(4.1)
    scene.agent.answered()
    scene.clock.advance(60.0)
    scene.nursery.end(status=1)
    scene.clock.advance(1.0)
    assert scene.state == "starting"


def test_a_refused_configuration_is_told_and_not_tried_again(scene: Scene) -> None:
    """Status 78 means that no restart helps."""
    scene.nursery.say(b"tree.yaml:2: scheduler.deley: unknown key\n")
    scene.nursery.end(status=78)
    assert scene.refusals == ["tree.yaml:2: scheduler.deley: unknown key"]
    scene.clock.advance(1000.0)
    assert (scene.state, len(scene.nursery.spawned)) == ("refused", 1)


def test_an_agent_is_asked_to_end(scene: Scene) -> None:
    """Stopping waits for the process."""
    stopped = scene.agent.stop()
    assert scene.nursery.spawned[0][1].signals == ["TERM"]
    assert not stopped.called
    scene.nursery.end(signal=15)
    assert stopped.called
    assert scene.log.closed
    assert not scene.clock.getDelayedCalls()


def test_an_agent_that_does_not_end_is_killed(scene: Scene) -> None:
    """The wait for a process is bounded."""
    stopped = scene.agent.stop()
    scene.clock.advance(15.0)
    assert scene.nursery.spawned[0][1].signals == ["TERM", "KILL"]
    scene.nursery.end(signal=9)
    assert stopped.called


def test_an_agent_that_waits_is_stopped_at_once(scene: Scene) -> None:
    """Nothing runs, so nothing is waited for, and nothing is started later."""
    scene.nursery.end(status=1)
    assert scene.agent.stop().called
    scene.clock.advance(100.0)
    assert len(scene.nursery.spawned) == 1


def test_what_is_said_is_kept_within_bounds(scene: Scene) -> None:
    """All output goes to the log; only the last lines are kept in memory, cut short."""
    scene.nursery.say(b"x" * 100_000 + b"\n" + b"y" * 3000 + b"\n")
    assert len(scene.log.written) == 103_002
    assert scene.agent.last_words == "y" * 500
