"""What a forked process must let go of, so that it shares nothing with its parent but memory."""

import ctypes
import os
import random
import signal
import sys
from collections.abc import Collection
from pathlib import Path

from twisted.logger import globalLogPublisher

_PR_SET_PDEATHSIG = 1
_PR_SET_NAME = 15
_NAME_LIMIT = 15  # bytes that Linux keeps of a process's name

_REACTOR = "twisted.internet.reactor"


def set_process_name(name: str) -> None:
    """Name this process as `ps -e` and `top` show it; without effect where that is not known."""
    _prctl(_PR_SET_NAME, ctypes.create_string_buffer(name.encode()[:_NAME_LIMIT]))


def die_with_parent(parent: int, number: signal.Signals = signal.SIGTERM) -> None:
    """Ask the kernel to signal this process when its parent ends; end now if it has already."""
    _prctl(_PR_SET_PDEATHSIG, int(number))
    if os.getppid() != parent:
        os._exit(0)


def reset_signals() -> None:
    """Give every signal the behaviour that a new process has."""
    signal.set_wakeup_fd(-1)
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        if callable(signal.getsignal(number)):
            signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])


def close_descriptors(keep: Collection[int]) -> None:
    """Close every file descriptor but the standard three and those to `keep`."""
    opened = [int(entry.name) for entry in Path("/proc/self/fd").iterdir()]
    for descriptor in opened:
        if descriptor > 2 and descriptor not in keep:
            try:
                os.close(descriptor)
            except OSError:
                continue  # it was the one that listed the folder


def read_nothing() -> None:
    """Connect standard input to nothing."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)


def reseed() -> None:
    """Give this process random numbers that its siblings do not have."""
    random.seed(os.urandom(32))


def forget_reactor() -> None:
    """Uninstall the reactor that came over with the parent's memory, so that one can be made.

    Its descriptors must be closed, not deregistered: they are shared with the parent.
    """
    sys.modules.pop(_REACTOR, None)
    internet = sys.modules.get("twisted.internet")
    if internet is not None:
        internet.__dict__.pop("reactor", None)


def forget_observers() -> None:
    """Let go of the parent's log files: what this process logs is its own."""
    for observer in list(globalLogPublisher._observers):  # there is no public list of them
        globalLogPublisher.removeObserver(observer)


def has_reactor() -> bool:
    """Tell whether this process has a reactor."""
    return _REACTOR in sys.modules


def _prctl(option: int, value: object) -> None:
    try:
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)
    except (OSError, AttributeError):
        return  # not Linux
