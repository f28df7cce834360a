"""Running an agent as a program of its own: from start to Ctrl-C, or until its work is done."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from twisted.application.service import IService
from twisted.internet.defer import Deferred, DeferredList, maybeDeferred, succeed
from twisted.python.failure import Failure

from anet.clock import keep_steady
from anet.tasks import sleep

_Value = TypeVar("_Value")
_PARTING = 10.0  # seconds that a cancelled `main` has to end


def run(
    reactor: Any, service: IService, main: Callable[[], Awaitable[_Value]] | None = None
) -> _Value | None:
    """Run a service, and the reactor with it, until `main` ends or a signal comes.

    SIGINT and SIGTERM cancel `main`, which then has 10 seconds to end. In every case the service
    is stopped, and all of its goodbyes are said, before this returns. The reactor's `seconds` go by
    a clock that nobody sets (`anet.clock`), and are no date.

    Args:
        reactor: which reactor; it is run here, which it can be once in a process.
        service: what is started first, and stopped last.
        main: what there is to do; without it the service runs until a signal comes.

    Returns:
        What `main` returned; None when a signal came first.

    Raises:
        Exception: what kept the service from starting, or what `main` raised.
    """
    keep_steady(reactor)
    result: _Value | None = _Program(reactor, service, main).run()
    return result


class _Program:
    def __init__(
        self, reactor: Any, service: IService, main: Callable[[], Awaitable[Any]] | None
    ) -> None:
        self._reactor, self._service, self._main = reactor, service, main
        self._living: Deferred[Any] = succeed(None)
        self._result: Any = None
        self._is_stopping = False

    def run(self) -> Any:
        self._reactor.addSystemEventTrigger("before", "shutdown", self._stopped)
        self._reactor.callWhenRunning(self._begin)
        self._reactor.run()
        if isinstance(self._result, Failure):
            self._result.raiseException()
        return self._result

    def _begin(self) -> None:
        self._living = Deferred.fromCoroutine(self._live())
        self._living.addBoth(self._ended)

    async def _live(self) -> Any:
        self._service.startService()
        return await (Deferred() if self._main is None else self._main())

    def _ended(self, result: Any) -> None:
        if not self._is_stopping:  # by a signal, when nobody waits for the result
            self._result = result
            self._reactor.stop()

    def _stopped(self) -> Deferred[None]:
        return Deferred.fromCoroutine(self._stop())

    async def _stop(self) -> None:
        self._is_stopping = True
        self._living.cancel()
        enough = sleep(self._reactor, _PARTING)
        await DeferredList([self._living, enough], fireOnOneCallback=True)
        await maybeDeferred(self._service.stopService)
