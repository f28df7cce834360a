"""The fork server of a pool: a zygote in a fresh interpreter, beside a reactor that runs."""

import os
import socket
import sys
from collections.abc import Sequence

from anet.nursery import Zygote
from anet.nursery.loop import live
from anet.processes.child import work

_PROGRAM = "from anet.processes.forker import main; main()"


def start_forker(preload: Sequence[str], name: str) -> Zygote:
    """Start a fork server; forks that it is asked for wait until it has loaded its modules.

    Args:
        preload: modules whose memory the workers share.
        name: of the process, as `ps` shows it.

    Returns:
        the fork server, to be attached to a reactor and, at last, closed.

    Raises:
        OSError: the system allows no more processes or descriptors.
    """
    ours, theirs = socket.socketpair()
    # -P: it imports from where the agent does, and not from the folder it happens to start in
    command = [sys.executable, "-P", "-c", _PROGRAM, name, *preload]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(entry or "." for entry in sys.path)}
    standard_input = (os.POSIX_SPAWN_DUP2, theirs.fileno(), 0)
    with theirs:
        try:
            pid = os.posix_spawn(
                sys.executable, command, environment, file_actions=[standard_input]
            )
        except OSError:
            ours.close()
            raise
    return Zygote(pid, ours)


def main() -> None:
    """Be a fork server on the socket that is standard input, until its other end closes."""
    name, *preload = sys.argv[1:]
    with socket.socket(fileno=os.dup(0)) as channel:
        live(channel, work, preload, name, grace=0.0)  # nobody waits for what they do
