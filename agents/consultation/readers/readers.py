"""What each reader chose in the harbor (*INA §2.4.3*)."""

from collections import OrderedDict
from typing import Any

from attrs import evolve

from agents.consultation.readers.reader import PLAIN, Choice
from agents.consultation.readers.visits import Visits
from anet.http import Request, Response


class Readers:
    """The choices of readers; the least recently seen reader is forgotten first.

    Attributes:
        changes: how often something was chosen.
    """

    def __init__(self, limit: int, visits: Visits | None = None) -> None:
        """Remember at most `limit` readers.

        Args:
            limit: of readers.
            visits: know readers by a cookie; without them the doors alone know readers.
        """
        self.changes = 0
        self._limit = limit
        self._visits = visits
        self._choices: OrderedDict[str, Choice] = OrderedDict()

    def detour(self, request: Request, url: str) -> Response | None:
        """Know the reader of a request in `request.asker`, or lead them round to be known.

        Returns:
            A redirection or a page, or None to answer the request itself.
        """
        return None if self._visits is None else self._visits.detour(request, url)

    def choice_of(self, key: str) -> Choice:
        """Return what the reader of a key chose."""
        choice = self._choices.get(key)
        if choice is None:
            return PLAIN
        self._choices.move_to_end(key)
        return choice

    def choose(self, key: str, **changes: Any) -> None:
        """Change fields of the reader's choice; a date that is empty means the newest."""
        self.changes += 1
        choice = evolve(self._choices.pop(key, PLAIN), **changes)
        if choice == PLAIN:
            return
        self._choices[key] = choice
        while len(self._choices) > self._limit:
            self._choices.popitem(last=False)

    def forget(self, key: str) -> None:
        """Forget what the reader of a key chose."""
        self.changes += 1
        self._choices.pop(key, None)

    def all(self) -> dict[str, Choice]:
        """Return every choice by its reader's key, those seen least recently first."""
        return dict(self._choices)

    def restore(self, choices: dict[str, Choice]) -> None:
        """Take choices that were kept, in the order of `all`; what was chosen since stands."""
        for key, choice in choices.items():
            if key not in self._choices:
                self.choose(key, date=choice.date, live=choice.live, language=choice.language)

    def __len__(self) -> int:
        return len(self._choices)
