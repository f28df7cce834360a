"""How far each track of a stream was followed, and what is missing of it."""

from attrs import define, field

from agents import dates
from anet.media.segments import Progress


@define(eq=False)
class Track:
    """A variant, rendition or representation that is followed.

    Attributes:
        name: tells it from the others of the stream.
        progress: which of its segments were seen.
        heard: date of the last segment that was kept; empty before the first.
        missing: seconds of signal that are missing since then.
        why: they are.
        failures: attempts to read its manifest in a row that brought nothing.
    """

    name: str
    progress: Progress
    heard: str = ""
    missing: float = 0.0
    why: str = ""
    failures: int = 0

    def miss(self, seconds: float, why: str) -> None:
        """Take note that something is missing; why it began to be is what counts."""
        if not self.why:
            self.why = why
        self.missing += seconds

    def kept(self, at: float) -> tuple[str, str, str] | None:
        """Take note of a segment that was kept; return the gap before it, if there was one.

        Args:
            at: when it came, in seconds since the epoch.

        Returns:
            Since when, until when, and why something is missing.
        """
        since, until = self.heard, dates.from_timestamp(at)
        self.heard = max(since, until)
        return self.gap(since or until, until)

    def gap(self, since: str, until: str) -> tuple[str, str, str] | None:
        """Return what is missing, and count anew."""
        if not self.why:
            return None
        why = f"{self.missing:.3f} s of {self.name}: {self.why}"
        self.missing, self.why = 0.0, ""
        return since, until, why


# URL, first byte, length; and of a segment its number, for some packagers use names in turn.
Name = tuple[str, int, int | None, int | None]


@define
class Wanted:
    """What was asked for already, so that nothing is fetched twice without need.

    Attributes:
        limit: how much is remembered.
    """

    limit: int = 20_000
    _since: dict[Name, float] = field(factory=dict)

    def is_new(self, key: Name, now: float, lasts: float | None = None) -> bool:
        """Tell whether something is to be fetched, and remember that it is.

        Args:
            key: its name.
            now: seconds.
            lasts: seconds after which it is to be fetched again; None: never.
        """
        since = self._since.get(key)
        if since is not None and (lasts is None or now < since + lasts):
            return False
        self._since.pop(key, None)
        self._since[key] = now
        if len(self._since) > self.limit:
            del self._since[next(iter(self._since))]
        return True

    def drop(self, key: Name) -> None:
        """Forget one that was not fetched."""
        self._since.pop(key, None)

    def forget(self) -> None:
        """Forget all: URLs may stand for other contents now."""
        self._since.clear()
