"""The worker itself: a forked process that runs one task after another, to the end of its socket.

It has one thread and no reactor. Standard output goes where standard error goes, and neither is the
socket, so that whatever a task prints is harmless.
"""

import importlib
import os
import resource
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache, reduce
from pathlib import Path
from typing import Any, cast

import attrs
import msgspec

from anet.nursery import clean
from anet.processes.messages import (
    Answer,
    NotSent,
    Raised,
    Returned,
    Task,
    TooLarge,
    decode_task,
    encode,
    framed,
    read_frame,
)

_WORDS_LIMIT = 1000  # characters kept of what an exception says
_OOM_SCORE = "500"  # when the machine runs out of memory, a worker goes before an agent does


@attrs.frozen
class Limits:
    """What a worker may take.

    Attributes:
        memory: bytes that one task may take beyond what the worker has already.
        value: bytes of a result.
        tasks: how many the worker does before it wants to be replaced.
    """

    memory: int
    value: int
    tasks: int


def work(argument: dict[str, Any], descriptor: int) -> None:
    """Be a worker until the pool closes the socket; what a fork server runs in each child."""
    clean.set_process_name(argument["name"])
    clean.die_with_parent(os.getppid(), signal.SIGKILL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal's Ctrl-C is for the agent
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.dup2(2, 1)
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(_OOM_SCORE)
    with socket.socket(fileno=descriptor) as channel, channel.makefile("rb") as file:
        worker = _Worker(Limits(**argument["limits"]))
        channel.sendall(framed(b""))
        while (payload := read_frame(file)) is not None:
            channel.sendall(framed(worker.answer(decode_task(payload))))


class _Worker:
    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._memory = _Memory()
        self._left = limits.tasks

    def answer(self, task: Task) -> bytes:
        """Run a task and return the encoded answer."""
        self._memory.limit(self._limits.memory)
        try:
            outcome = self._run(task)
        except MemoryError:
            outcome = TooLarge()
        finally:
            self._memory.unlimit()
        with suppress(Exception):  # a task may have closed it
            sys.stdout.flush()
        self._left -= 1
        # Memory that a task leaves behind is no part of what the next one may take.
        leaking = self._memory.grown() > self._limits.memory
        last = self._left < 1 or leaking or isinstance(outcome, TooLarge)
        return encode(Answer(task.number, last, outcome))

    def _run(self, task: Task) -> Returned | Raised | TooLarge | NotSent:
        try:
            value = _function(task.function)(*task.arguments)
        except MemoryError:
            raise
        except BaseException as error:  # SystemExit too: the worker is the pool's, not the task's
            return _raised(error)
        try:
            payload = encode(value)
        except MemoryError:
            raise
        except Exception as error:
            return NotSent(f"the result cannot be sent: {_words(error)}")
        if len(payload) > self._limits.value:
            return NotSent(
                f"a result of {len(payload)} bytes is over the limit of {self._limits.value}"
            )
        return Returned(msgspec.Raw(payload))


class _Memory:
    """This process's private writable memory, and its limit.

    `RLIMIT_DATA` counts what is the process's own; `RLIMIT_AS` would count shared libraries and
    the address space that JavaScript engines set aside and never use.
    """

    def __init__(self) -> None:
        self._statistics = os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC)
        self._page = resource.getpagesize()
        self._soft, self._hard = resource.getrlimit(resource.RLIMIT_DATA)
        self._at_start = self._taken()

    def limit(self, size: int) -> None:
        """Let the process take `size` bytes more than it has now."""
        limit = self._taken() + size
        if self._hard != resource.RLIM_INFINITY:
            limit = min(limit, self._hard)
        resource.setrlimit(resource.RLIMIT_DATA, (limit, self._hard))

    def unlimit(self) -> None:
        """Let the process take what it may outside of tasks."""
        resource.setrlimit(resource.RLIMIT_DATA, (self._soft, self._hard))

    def grown(self) -> int:
        """Return the bytes that the process has beyond those it began with."""
        return self._taken() - self._at_start

    def _taken(self) -> int:
        return int(os.pread(self._statistics, 256, 0).split()[5]) * self._page


@cache
def _function(path: str) -> Callable[..., Any]:
    module, _, name = path.partition(":")
    function: Callable[..., Any] = reduce(
        getattr, name.split("."), cast(Any, importlib.import_module(module))
    )
    return function


def _raised(error: BaseException) -> Raised:
    return Raised(_utf8(type(error).__qualname__), _words(error))


def _words(error: BaseException) -> str:
    try:
        words = str(error)
    except Exception:  # an exception of somebody else's making
        words = "(it cannot say what)"
    return _utf8(words)


def _utf8(text: str) -> str:
    return text[:_WORDS_LIMIT].encode(errors="replace").decode()
