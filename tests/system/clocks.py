"""Clocks that tests set, each for some processes only, by Debian's faketime.

The time of day is wrong by what a file says, which faketime reads again while processes run; what
the system counts from its start goes on as it does on a machine whose clock somebody sets.
"""

from pathlib import Path

FAKETIME = next(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"), None)


class WrongClock:
    """The clock of all processes that run in its environment.

    Attributes:
        environment: variables to run them with.
    """

    def __init__(self, file: Path, offset: str = "+0") -> None:
        """Keep in `file` by what the clock is wrong: "-40d", "+1y"."""
        self._file = file
        self.environment = {
            "LD_PRELOAD": str(FAKETIME),
            "FAKETIME_TIMESTAMP_FILE": str(file),
            "FAKETIME_CACHE_DURATION": "1",  # seconds until the file is read again
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            # Or threads that wait for one another do so by sleeping, and Python's crawl.
            "FAKETIME_FORCE_MONOTONIC_FIX": "0",
        }
        self.set(offset)

    def set(self, offset: str) -> None:
        """Be wrong by so much, within a second."""
        written = self._file.with_suffix(".new")
        written.write_text(f"{offset}\n")
        written.replace(self._file)


def forget(pid: int) -> None:
    """Take away what faketime left of a process that was killed."""
    for path in Path("/dev/shm").glob(f"*faketime_s*_{pid}"):
        path.unlink()
