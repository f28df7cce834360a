"""A task and who waits for it: made of a function, ended by an outcome or an error."""

import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import reduce
from typing import Any

import attrs
from twisted.internet.defer import Deferred

from anet.errors import NotSendable, WorkerFailed, WorkerTooLarge
from anet.processes.child import Limits
from anet.processes.messages import NotSent, Raised, Returned, Task, TooLarge, encode

_MIB = 2**20


@attrs.frozen(eq=False)
class Job:
    """A task for a worker.

    Attributes:
        number: of the task; its answer carries it too.
        function: its import path, `module:name`.
        payload: the task as it goes to the worker.
        seconds: that it may take, once a worker has it.
        result: fires with what the function returned.
    """

    number: int
    function: str
    payload: bytes
    seconds: float
    limits: Limits
    result: Deferred[Any]

    def end(self, outcome: Returned | Raised | TooLarge | NotSent) -> None:
        """Give the one who waits what came of the task."""
        if self.result.called:  # cancelled by somebody who was told of another job
            return
        match outcome:
            case Returned(value=value):
                self.result.callback(value)
            case Raised(name=name, words=words):
                self.result.errback(WorkerFailed(f"{self.function}: {name}: {words}", name, words))
            case TooLarge():
                memory = f"{self.limits.memory / _MIB:g} MiB"
                self.result.errback(
                    WorkerTooLarge(f"{self.function} needs more memory than its limit of {memory}")
                )
            case NotSent(words=words):
                self.result.errback(NotSendable(f"{self.function}: {words}"))

    def fail(self, error: Exception) -> None:
        """Give the one who waits an error."""
        if not self.result.called:
            self.result.errback(error)

    @property
    def allowance(self) -> str:
        """What the task may take, in words."""
        return f"limits: {self.limits.memory / _MIB:g} MiB, {self.seconds:g} seconds"


def encoded(
    number: int, function: Callable[..., Any], arguments: Sequence[Any], limits: Limits
) -> tuple[str, bytes]:
    """Return a function's import path, and the task to call it as it goes to a worker.

    Raises:
        NotSendable: a worker could not import the function, or an argument is no MessagePack
            value, or all of them are too large.
    """
    path = _import_path(function)
    try:
        payload = encode(Task(number, path, list(arguments)))
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise NotSendable(f"an argument of {path} cannot be sent: {error}") from None
    if len(payload) > limits.value:
        raise NotSendable(
            f"arguments of {len(payload)} bytes for {path} are over the limit of {limits.value}"
        )
    return path, payload


def _import_path(function: Callable[..., Any]) -> str:
    module = getattr(function, "__module__", None) or "__main__"
    name = getattr(function, "__qualname__", "")
    found: Any = sys.modules.get(module)
    with suppress(AttributeError):
        found = reduce(getattr, name.split("."), found)
    if module == "__main__" or found is not function:
        raise NotSendable(f"{function!r} is not a function of a module that a worker can import")
    return f"{module}:{name}"
