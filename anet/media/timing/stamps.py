"""Seconds gone by, told by stamps that wrap, jump and begin again."""

JUMP = 10  # seconds; what is further on was not broadcast in between
BACK = 1  # second by which a stamp may come too late


class Stamps:
    """Adds up the steps between stamps of one kind.

    A step forward of up to 10 s counts, for packets get lost. A jump takes the time of the last
    good step: a stamp says when a unit begins, and the unit before it was as long as others.

    Args:
        rate: stamps in a second.
        modulus: at which stamps begin with 0 again, or 0 where they do not.
        seconds: that have gone by before.
    """

    def __init__(self, rate: int, modulus: int = 0, seconds: float = 0.0) -> None:
        self._rate, self._modulus, self._before = rate, modulus, seconds
        self._last: int | None = None
        self._gone = self._usual = 0

    @property
    def seconds(self) -> float:
        """Gone by up to the last stamp."""
        return self._before + self._gone / self._rate

    def tick(self, stamp: int, *, jump: bool = False) -> None:
        """Take the next stamp; `jump` says that it has nothing to do with the one before."""
        if self._last is None:
            self._last = stamp
            return
        step = stamp - self._last
        if jump:
            step = self._usual
        elif not 0 < step <= self._rate:  # not as most are
            step = self._step(step)
            if step < 0:
                return
        else:
            self._usual = step
        self._gone += step
        self._last = stamp

    def skip(self, seconds: float) -> None:
        """Add seconds that no stamp tells."""
        self._before += seconds

    def _step(self, step: int) -> int:
        """Return what a difference of stamps stands for; negative for one that comes late."""
        if self._modulus:
            half = self._modulus // 2
            step = (step + half) % self._modulus - half
        if 0 < step <= JUMP * self._rate:
            self._usual = min(step, self._rate)
        elif not -BACK * self._rate <= step <= 0:
            return self._usual
        return step
