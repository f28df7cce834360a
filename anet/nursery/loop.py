"""The zygote's own life: one thread, no reactor, a loop over one socket and dying children."""

import gc
import importlib
import os
import select
import signal
import socket
import sys
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from anet.nursery import clean
from anet.nursery.messages import NurseryError, Reader, encode

Run = Callable[..., None]  # called with the argument of a fork, and the descriptors it came with

_GRACE = 10.0  # seconds that children have to end by themselves
_PASSED_AT_ONCE = 16  # descriptors taken from the channel in one reading


def live(
    channel: socket.socket,
    run: Run,
    preload: Sequence[str],
    title: str,
    grace: float = _GRACE,
) -> None:
    """Be a zygote until the other end of `channel` closes, then end all children.

    Args:
        channel: the socket to the keeper.
        run: what a child does, given the argument of its fork and the descriptors passed with
            it; it exits when this returns.
        preload: modules to import before any fork; none may install a reactor.
        title: the name of the process.
        grace: seconds that children have to end by themselves, when the keeper is gone.
    """
    os.setsid()  # the terminal's Ctrl-C is for the keeper, who ends us in good order
    clean.set_process_name(title)
    clean.reset_signals()
    clean.close_descriptors({channel.fileno()})
    clean.read_nothing()
    clean.forget_reactor()
    try:
        for module in preload:
            importlib.import_module(module)
        if clean.has_reactor():
            raise NurseryError(f"importing {', '.join(preload)} installs a reactor")
    except Exception as error:
        channel.sendall(encode({"broken": f"{type(error).__name__}: {error}"[:2000]}))
        return
    gc.collect()
    gc.freeze()  # what is shared stays shared: the collector would write to it
    _Loop(channel, run, grace).serve()


class _Loop:
    def __init__(self, channel: socket.socket, run: Run, grace: float) -> None:
        self._channel, self._run, self._grace = channel, run, grace
        self._children: set[int] = set()
        self._reader = Reader()
        self._passed: deque[int] = deque()  # descriptors whose fork is not done yet
        self._awake, wake = os.pipe()
        os.set_blocking(self._awake, False)
        os.set_blocking(wake, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        self._descriptors = (channel.fileno(), self._awake, wake)

    def serve(self) -> None:
        """Serve until the keeper closes its end; then end the children."""
        try:
            self._tell({"ready": os.getpid()})
            while self._turn():
                pass
        except (OSError, NurseryError):
            pass  # the keeper is gone or mad: end as if it had closed
        self._end_children()

    def _turn(self) -> bool:
        channel = self._channel.fileno()
        readable, _, _ = select.select([channel, self._awake], [], [])
        if self._awake in readable:
            os.read(self._awake, 4096)
        self._reap()
        if channel not in readable:
            return True
        data, passed, _, _ = socket.recv_fds(
            self._channel, 65_536, _PASSED_AT_ONCE, socket.MSG_CMSG_CLOEXEC
        )
        self._passed.extend(passed)
        for message in self._reader.feed(data):
            self._obey(message)
        return bool(data)

    def _obey(self, message: dict[str, Any]) -> None:
        if "fork" in message:
            passed = [self._passed.popleft() for _ in range(message.get("descriptors", 0))]
            self._fork(message["fork"], message["argument"], passed)
            for descriptor in passed:
                os.close(descriptor)
        elif "signal" in message and message["signal"] in self._children:
            os.kill(message["signal"], message["number"])

    def _fork(self, number: int, argument: dict[str, Any], passed: list[int]) -> None:
        zygote = os.getpid()
        try:
            pid = os.fork()
        except OSError as error:
            self._tell({"refused": number, "reason": str(error)})
            return
        if pid == 0:
            self._become(argument, passed, zygote)
        self._children.add(pid)
        self._tell({"forked": number, "pid": pid})

    def _become(self, argument: dict[str, Any], passed: list[int], zygote: int) -> None:
        """Be a child, to the end of this process."""
        status = 1
        try:
            clean.reset_signals()
            clean.die_with_parent(zygote)
            for descriptor in (*self._descriptors, *self._passed):
                os.close(descriptor)
            clean.reseed()
            self._run(argument, *passed)
            status = 0
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else int(end.code is not None)
            if isinstance(end.code, str):
                sys.stderr.write(f"{end.code}\n")
        except BaseException:  # nothing may unwind into the zygote's own frames
            sys.excepthook(*sys.exc_info())
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)

    def _reap(self) -> None:
        for pid in list(self._children):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                self._children.discard(pid)
                self._tell({"ended": pid, "status": os.waitstatus_to_exitcode(status)})

    def _tell(self, message: dict[str, Any]) -> None:
        self._channel.sendall(encode(message))

    def _end_children(self) -> None:
        deadline = time.monotonic() + self._grace
        self._signal_all(signal.SIGTERM)
        while self._children:
            remaining = deadline - time.monotonic()
            if remaining <= 0:
                self._signal_all(signal.SIGKILL)
            select.select([self._awake], [], [], max(remaining, 0.1))
            try:
                self._reap()
            except OSError:
                continue  # nobody listens any more; the child has been reaped all the same

    def _signal_all(self, number: signal.Signals) -> None:
        for pid in self._children:
            os.kill(pid, number)
