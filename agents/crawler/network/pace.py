"""How much slower to go with a server whose answers slow down. Pure: times are passed in.

What a server usually takes until its answer begins is followed: quickly when it gets faster, slowly
when it gets slower, so that a server under load is spared for as long as it suffers and one that
has simply become slower is not spared for ever.
"""

FASTER = 1 / 4  # how far the usual time moves towards a shorter one
SLOWER = 1 / 64  # and towards a longer one
TOLERANCE = 0.2  # seconds that are never called late; the crawler's own turns take some of them
LONGEST = 60.0  # seconds owed for one late answer


class Pace:
    """Follows the answers of one server.

    Attributes:
        usual: seconds that it usually takes until an answer begins; None before the first.
    """

    __slots__ = ("usual",)

    def __init__(self) -> None:
        self.usual: float | None = None

    def late(self, seconds: float) -> float:
        """Note how long an answer took to begin; return by how many seconds it was late.

        An answer is late that takes twice the usual time and `TOLERANCE` more.
        """
        usual = self.usual
        if usual is None:
            self.usual = seconds
            return 0.0
        self.usual = usual + (seconds - usual) * (SLOWER if seconds > usual else FASTER)
        return seconds - usual if seconds > 2 * usual + TOLERANCE else 0.0


def owed_for(late: float, slow_down: float) -> float:
    """Return the seconds owed to a server for an answer.

    Args:
        late: seconds by which it was late.
        slow_down: seconds owed for each of them.
    """
    return min(LONGEST, late * slow_down)
