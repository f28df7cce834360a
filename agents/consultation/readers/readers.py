"""What each reader chose in the harbor (*INA §2.4.3*)."""

from collections import OrderedDict
from typing import Any

from attrs import evolve

from agents.consultation.readers.reader import PLAIN, Choice


class Readers:
    """The choices of readers; the least recently seen reader is forgotten first."""

    def __init__(self, limit: int) -> None:
        """Remember at most `limit` readers."""
        self._limit = limit
        self._choices: OrderedDict[str, Choice] = OrderedDict()

    def choice_of(self, key: str) -> Choice:
        """Return what the reader of a key chose."""
        choice = self._choices.get(key)
        if choice is None:
            return PLAIN
        self._choices.move_to_end(key)
        return choice

    def choose(self, key: str, **changes: Any) -> None:
        """Change fields of the reader's choice; a date that is empty means the newest."""
        choice = evolve(self._choices.pop(key, PLAIN), **changes)
        if choice == PLAIN:
            return
        self._choices[key] = choice
        while len(self._choices) > self._limit:
            self._choices.popitem(last=False)

    def __len__(self) -> int:
        return len(self._choices)
