"""Embargoes and takedowns: what the archive holds and does not show."""

from agents.consultation.readers.reader import Reader


class Rules:
    """What may not be shown."""

    def check(self, url: str, date: str = "", reader: Reader | None = None) -> None:
        """Check that a reader may see a URL, and its capture of a date when that is known.

        Raises:
            Faulted: they may not (451); the fault tells the reason.
        """
