"""`python -m agents.archive.child PARENT twistd-arguments…`: an agent that dies with its parent.

The operating system sends it SIGTERM when the parent is gone, even by `kill -9`, so that no agent
outlives its archive. It leaves the terminal's process group too: a Ctrl-C reaches the parent
only, which then stops its agents in good order.
"""

import ctypes
import os
import signal
import sys
from contextlib import suppress

_PR_SET_PDEATHSIG = 1


def follow_parent(parent: int) -> None:
    """Have this process get SIGTERM when the process `parent` ends.

    Raises:
        SystemExit: the parent has ended already.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM) != 0:
        raise OSError(ctypes.get_errno(), "prctl")
    if os.getppid() != parent:
        raise SystemExit(1)


def command(arguments: list[str]) -> list[str]:
    """Return the command line that runs twistd with these arguments, as a child of ours."""
    return [sys.executable, "-m", "agents.archive.child", str(os.getpid()), *arguments]


def main() -> None:
    """Run twistd as a child."""
    follow_parent(int(sys.argv[1]))
    with suppress(PermissionError):  # already at the head of a session
        os.setsid()
    sys.argv = ["twistd", "--nodaemon", "--pidfile=", "--logger=anet.logs.observer", *sys.argv[2:]]
    from twisted.scripts.twistd import run

    run()


if __name__ == "__main__":
    main()
