"""Small files of the operating system that change while we run."""

from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar

from twisted.internet.interfaces import IReactorTime

_LARGEST = 1_000_000  # bytes read of a file; what follows is passed over
_LOOK_AGAIN = 1.0  # seconds before a file is looked at again

_Value = TypeVar("_Value")


class Watched(Generic[_Value]):
    """What a small file says, read again when it has changed; a missing file is an empty one."""

    def __init__(self, clock: IReactorTime, path: Path, parse: Callable[[str], _Value]) -> None:
        self._clock = clock
        self._path = path
        self._parse = parse
        self._looked = float("-inf")
        self._state: tuple[int, ...] | None = None
        self._value = parse("")

    def value(self) -> _Value:
        """Return what the file says, looking at it once a second at most.

        The same object is returned as long as the file stays the same.
        """
        now = self._clock.seconds()
        if now >= self._looked + _LOOK_AGAIN:
            self._looked = now
            self._look()
        return self._value

    def _look(self) -> None:
        try:
            status = self._path.stat()
            state: tuple[int, ...] = (status.st_mtime_ns, status.st_size, status.st_ino)
            if state == self._state:
                return
            with self._path.open("rb") as file:
                text = file.read(_LARGEST).decode("utf-8", "replace")
        except OSError:
            state, text = (), ""
        if state != self._state:
            self._state, self._value = state, self._parse(text)
