"""The `dlweb` command, for people: one module a verb."""

import gc
import signal
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; ends the process with its exit status.

    Until everything is loaded there is nothing to leave in order, so that Ctrl-C just ends the
    process; Python would show where in its imports it was.
    """
    handler = signal.getsignal(signal.SIGINT)
    if handler is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    gc.disable()  # loading makes no garbage, and looking for it takes a tenth of the start
    from twisted.internet import reactor

    from agents.archive.command.performing import perform_line

    def loaded() -> None:
        gc.enable()
        signal.signal(signal.SIGINT, handler)

    perform_line(reactor, arguments, loaded)


__all__ = ["main"]
