"""The log of what was asked of the archive, by whom, and what was answered."""

from anet.http import Request


class Audit:
    """Notes what passes the doors."""

    def note(self, request: Request, outcome: str, date: str = "") -> None:
        """Note an answer.

        Args:
            request: its `asker` is who asked, if they were let in.
            outcome: as `Measures` counts it.
            date: of the capture that was given, or empty.
        """
