"""What a feed aggregator counts, for its page."""

from collections import Counter, deque

from agents.page import Series

LINES = 100  # changes and errors remembered
EVERY = 5.0  # seconds between two points of a curve


class Tallies:
    """Counts since the start.

    Attributes:
        outcomes: looks by outcome.
        pages: pages told of, by `new` and `changed`.
        messages: messages of hubs taken; those that are not signed as agreed are not.
        requests: requests a second, as points.
        changes: the last feeds that changed: date, URL, pages new and changed, by whom.
        errors: the last failures, oldest first.
    """

    def __init__(self) -> None:
        self.outcomes: Counter[str] = Counter()
        self.pages: Counter[str] = Counter()
        self.messages = 0
        self.requests = Series()
        self.changes: deque[tuple[str, str, int, int, str]] = deque(maxlen=LINES)
        self.errors: deque[str] = deque(maxlen=LINES)
        self._before = 0

    def note(self, date: str, url: str, outcome: str, new: int, changed: int, pushed: bool) -> None:
        """Count what was told of a feed at a date."""
        self.outcomes[outcome] += 1
        if new or changed:
            self.pages.update(new=new, changed=changed)
            self.changes.appendleft((date, url, new, changed, "hub" if pushed else "look"))

    def sample(self, now: float, requests: int) -> None:
        """Add a point to the curves; to be called each `EVERY` seconds."""
        self.requests.add(now, (requests - self._before) / EVERY)
        self._before = requests
