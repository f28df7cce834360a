"""The life of one agent's process, as a machine.

idle ──start──▶ starting ──answered──▶ running
                   │ ended                │ ended
                   ▼                      ▼
                waiting ◀─────────────────┘      due ──▶ starting
starting, running ──refused──▶ refused           (its configuration: never started again)
starting, running ──stop──▶ stopping ──ended──▶ stopped
idle, waiting, refused ──stop──▶ stopped
"""

from typing import Protocol

from automat import TypeMachineBuilder


class Body(Protocol):
    """What the machine moves: the process itself, and the clocks about it."""

    def enter(self, state: str) -> None:
        """Note the state that the agent is in now."""

    def spawn(self) -> None:
        """Start the process."""

    def wait(self) -> None:
        """See to it that `due` comes when the back-off is over."""

    def give_up(self) -> None:
        """Tell the supervisor that the agent refuses its configuration."""

    def terminate(self) -> None:
        """Ask the process to end, and later make it."""

    def gone(self) -> None:
        """Nothing of the agent runs any more, and nothing will."""


class Life(Protocol):
    """What happens to an agent."""

    def start(self) -> None:
        """The archive starts."""

    def answered(self) -> None:
        """The agent answers on its address."""

    def ended(self) -> None:
        """Its process ended."""

    def refused(self) -> None:
        """Its process ended because of its configuration."""

    def due(self) -> None:
        """It is time to start it again."""

    def stop(self) -> None:
        """The archive stops."""


_builder = TypeMachineBuilder(Life, Body)  # type: ignore[type-abstract]

_idle = _builder.state("idle")
_starting = _builder.state("starting")
_running = _builder.state("running")
_waiting = _builder.state("waiting")
_refused = _builder.state("refused")
_stopping = _builder.state("stopping")
_stopped = _builder.state("stopped")

for _state in (_running, _waiting, _refused, _stopping, _stopped):
    _state.upon(Life.answered).loop().returns(None)
for _state in (_starting, _running, _stopping, _stopped):
    _state.upon(Life.due).loop().returns(None)
for _state in (_stopping, _stopped):
    _state.upon(Life.stop).loop().returns(None)


@_idle.upon(Life.start).to(_starting)
@_waiting.upon(Life.due).to(_starting)
def _spawn(_life: Life, body: Body) -> None:
    body.enter("starting")
    body.spawn()


@_starting.upon(Life.answered).to(_running)
def _runs(_life: Life, body: Body) -> None:
    body.enter("running")


@_starting.upon(Life.ended).to(_waiting)
@_running.upon(Life.ended).to(_waiting)
def _wait(_life: Life, body: Body) -> None:
    body.enter("waiting")
    body.wait()


@_starting.upon(Life.refused).to(_refused)
@_running.upon(Life.refused).to(_refused)
def _give_up(_life: Life, body: Body) -> None:
    body.enter("refused")
    body.give_up()


@_starting.upon(Life.stop).to(_stopping)
@_running.upon(Life.stop).to(_stopping)
def _terminate(_life: Life, body: Body) -> None:
    body.enter("stopping")
    body.terminate()


@_idle.upon(Life.stop).to(_stopped)
@_waiting.upon(Life.stop).to(_stopped)
@_refused.upon(Life.stop).to(_stopped)
@_stopping.upon(Life.ended).to(_stopped)
@_stopping.upon(Life.refused).to(_stopped)
def _gone(_life: Life, body: Body) -> None:
    body.enter("stopped")
    body.gone()


life = _builder.build()
"""Make the machine of one agent: `life(body)`."""
