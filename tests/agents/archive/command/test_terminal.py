"""Progress on terminals and elsewhere."""

import io

from agents.archive.command.terminal import ProgressLine


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_shows_one_line_that_is_refreshed() -> None:
    """The line is rewritten in place, and taken away before lines that stay."""
    terminal = Terminal()
    line = ProgressLine(terminal, lambda: 0.0)
    line.show("1 page")
    line.show("2 pages")
    line.print("done")
    assert terminal.getvalue() == "\r\x1b[K1 page\r\x1b[K2 pages\r\x1b[Kdone\n"


def test_a_file_gets_a_line_now_and_then() -> None:
    """Elsewhere a new line comes every few seconds, and only when something changed."""
    output, now = io.StringIO(), [0.0]
    line = ProgressLine(output, lambda: now[0])
    for second in range(12):
        now[0] = float(second)
        line.show(f"{second // 4} pages")
    line.print("done")
    assert output.getvalue() == "0 pages\n1 pages\n2 pages\ndone\n"
