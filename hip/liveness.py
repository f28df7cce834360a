"""Whether the peer is alive: it greets in time, and is never silent for long.

greeting due --greeted--> watched --silence--> given up
"""

from collections.abc import Callable
from typing import Any

from twisted.internet.interfaces import IReactorTime

from hip.limits import Limits


class Liveness:
    """Watches one link from its beginning to its end.

    Args:
        clock: tells the time.
        limits: how long is too long.
        beat: sends a heartbeat.
        give_up: called with the reason when the peer is taken for dead.
    """

    def __init__(
        self,
        clock: IReactorTime,
        limits: Limits,
        beat: Callable[[], None],
        give_up: Callable[[str], None],
    ) -> None:
        self._clock = clock
        self._limits = limits
        self._beat = beat
        self._give_up = give_up
        self._heard = self._spoke = clock.seconds()
        self._next: Any = None

    def begin(self) -> None:
        """Wait for the greeting."""
        self._heard = self._spoke = self._clock.seconds()
        late = f"no greeting in {self._limits.greeting_time:g} seconds"
        self._next = self._clock.callLater(self._limits.greeting_time, self._give_up, late)

    def greeted(self) -> None:
        """Watch for silence from now on."""
        self._next.cancel()
        self._next = self._clock.callLater(self._limits.heartbeat, self._look)

    def heard(self) -> None:
        """Note that the peer said something."""
        self._heard = self._clock.seconds()

    def spoke(self) -> None:
        """Note that we said something."""
        self._spoke = self._clock.seconds()

    def end(self) -> None:
        """Watch no more."""
        if self._next is not None and self._next.active():
            self._next.cancel()

    def _look(self) -> None:
        now = self._clock.seconds()
        if now - self._heard > self._limits.silence:
            self._give_up(f"silent for {self._limits.silence:g} seconds")
            return
        if now - self._spoke >= self._limits.heartbeat / 2:
            self._beat()
        self._next = self._clock.callLater(self._limits.heartbeat, self._look)
