"""A bounded store of what is known until a time."""

from collections import OrderedDict
from typing import Generic, TypeVar

_Value = TypeVar("_Value")


class Cache(Generic[_Value]):
    """Keeps at most `size` values by name; the one longest unused gives way.

    A value whose time is up stays until then, for who has nothing better.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._kept: OrderedDict[str, tuple[_Value, float]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, name: str) -> tuple[_Value, float] | None:
        """Return what is kept under a name, and until when it is good."""
        kept = self._kept.get(name)
        if kept is not None:
            self._kept.move_to_end(name)
        return kept

    def put(self, name: str, value: _Value, until: float) -> None:
        """Keep a value under a name."""
        self._kept[name] = (value, until)
        self._kept.move_to_end(name)
        if len(self._kept) > self._size:
            self._kept.popitem(last=False)

    def clear(self) -> None:
        """Keep nothing more."""
        self._kept.clear()
