"""Running coroutines that have an owner, so that none is dropped and all end on stop."""

from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from twisted.internet.defer import CancelledError, Deferred, DeferredList
from twisted.internet.error import ConnectingCancelledError
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure

_log = Logger()
_CANCELLED = (CancelledError, ConnectingCancelledError)  # the second from endpoints


class Tasks:
    """The coroutines that one service has running.

    Attributes:
        failures: how many ended by an error that nobody waited for.
    """

    def __init__(self) -> None:
        self.failures = 0
        self._running: dict[Deferred[Any], str] = {}
        self._stopped = False

    def __len__(self) -> int:
        return len(self._running)

    def start(self, coroutine: Coroutine[Deferred[Any], Any, Any], name: str) -> Deferred[None]:
        """Run a coroutine until it ends or `stop` cancels it.

        Args:
            coroutine: what to run; its result is not kept, its failure is logged and counted.
            name: says in the log what failed.

        Returns:
            Fires with None when the coroutine has ended, however it did.
        """
        if self._stopped:
            coroutine.close()
            done: Deferred[None] = Deferred()
            done.callback(None)
            return done
        running = Deferred.fromCoroutine(coroutine)
        self._running[running] = name

        def ended(result: object) -> None:
            self._running.pop(running, None)
            if isinstance(result, Failure) and not result.check(*_CANCELLED):
                self.failures += 1
                _log.failure("{name} failed", failure=result, name=name)

        running.addBoth(ended)
        return running

    async def stop(self) -> None:
        """Cancel what runs, wait until all of it has ended, and start nothing more."""
        self._stopped = True
        running = list(self._running)
        for deferred in running:
            deferred.cancel()
        await DeferredList(running)


def sleep(clock: IReactorTime, seconds: float) -> Deferred[None]:
    """Return what fires `seconds` from now; cancelling it ends the wait."""
    waiting: Deferred[None] = Deferred(lambda _: call.cancel())
    call = clock.callLater(seconds, waiting.callback, None)
    return waiting


async def every(
    clock: IReactorTime, seconds: float, action: Callable[[], Awaitable[object] | None]
) -> None:
    """Run `action` for ever, `seconds` after it last ended; its errors are logged."""
    while True:
        await sleep(clock, seconds)
        try:
            pending = action()
            if pending is not None:
                await pending
        except CancelledError:
            raise
        except Exception:
            _log.failure("a regular task failed and will be tried again")
