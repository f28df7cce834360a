"""The fork server of a pool: a zygote in a fresh interpreter, beside a reactor that runs."""

import os
import socket
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from signal import SIGKILL
from typing import Any

from twisted.internet.defer import Deferred, DeferredList

from anet.nursery import Zygote, clean
from anet.nursery.loop import live
from anet.processes.child import work

_PROGRAM = "from anet.processes.forker import main; main()"


class Forker:
    """One fork server at a time; another is started when it is needed after the last one ended."""

    def __init__(
        self,
        reactor: Any,
        preload: Sequence[str],
        name: str,
        on_exit: Callable[[int, int], None],
        on_lost: Callable[[], None],
    ) -> None:
        """Make what starts fork servers; none runs before `zygote` is asked for.

        Args:
            reactor: an `IReactorSocket` and `IReactorTime`.
            preload: modules whose memory the workers share.
            name: of the process, as `ps` shows it.
            on_exit: called with pid and exit code (-N for signal N) of each worker that ended.
            on_lost: called when the fork server died; its workers die with it.
        """
        self._reactor, self._preload, self._name = reactor, preload, name
        self._on_exit, self._on_lost = on_exit, on_lost
        self._zygote: Zygote | None = None
        self._leaving: set[Deferred[None]] = set()

    def zygote(self) -> Zygote:
        """Return the fork server; what it is asked for waits until it has loaded its modules.

        Raises:
            OSError: the system allows no more processes or descriptors.
        """
        if self._zygote is None:
            self._zygote = zygote = _start(self._preload, self._name)
            try:
                zygote.attach(self._reactor, self._on_exit, self._lost)
            except OSError:
                self.kill()
                self._leave()
                raise
        return self._zygote

    def kill(self) -> None:
        """End the fork server, even if it hangs; the kernel ends its workers."""
        if self._zygote is not None:  # not yet waited for, so that the pid is still its own
            with suppress(ProcessLookupError):
                os.kill(self._zygote.pid, SIGKILL)

    async def close(self) -> None:
        """End the fork server, and wait until it and the former ones have ended."""
        self.kill()  # even if it hangs
        self._leave()
        await DeferredList(list(self._leaving))

    def _lost(self) -> None:
        self.kill()  # if it only closed its socket
        self._leave()
        self._on_lost()

    def _leave(self) -> None:
        zygote, self._zygote = self._zygote, None
        if zygote is not None:
            leaving = Deferred.fromCoroutine(zygote.close())
            self._leaving.add(leaving)
            leaving.addBoth(lambda _: self._leaving.discard(leaving))


def _start(preload: Sequence[str], name: str) -> Zygote:
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
    clean.die_with_parent(os.getppid(), SIGKILL)  # also while a module that it loads hangs
    with socket.socket(fileno=os.dup(0)) as channel:
        live(channel, work, preload, name, grace=0.0)  # nobody waits for what they do
