"""Progress on a terminal: one line that is refreshed, or a line now and then where none is."""

import shutil
from collections.abc import Callable
from typing import TextIO

_PERIOD = 5.0  # seconds between two lines when the output is not a terminal


class ProgressLine:
    """Shows the latest of a stream of one-line texts.

    Args:
        output: where to; standard error leaves standard output to results.
        clock: seconds.
    """

    def __init__(self, output: TextIO, clock: Callable[[], float]) -> None:
        self._output = output
        self._clock = clock
        self._live = output.isatty()
        self._shown = ""
        self._last = float("-inf")

    def show(self, text: str) -> None:
        """Show a text in place of the one before."""
        if self._live:
            width = shutil.get_terminal_size().columns - 1
            self._output.write("\r\x1b[K" + text[:width])
            self._shown = text
        elif text != self._shown and self._clock() - self._last >= _PERIOD:
            self._output.write(text + "\n")
            self._shown, self._last = text, self._clock()
        self._output.flush()

    def print(self, text: str = "") -> None:
        """Print lines that stay."""
        self.clear()
        self._output.write(text + "\n")
        self._output.flush()

    def clear(self) -> None:
        """Take the refreshed line away."""
        if self._live and self._shown:
            self._output.write("\r\x1b[K")
            self._shown = ""
