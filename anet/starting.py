"""Agents that cannot start say why in one line and end with a status, never in a traceback."""

import atexit
import os
import sys
from collections.abc import Callable
from functools import wraps
from types import TracebackType
from typing import Any

from twisted.application.service import IService, MultiService
from twisted.logger import Logger

from anet.clock import keep_steady
from anet.errors import AnetError
from anet.garbage import settle

_log = Logger()

_Errors = tuple[type[Exception], ...]


class CannotStart(Exception):
    """The process ends, because a part of it cannot start; the message says what to do."""


class StartingService(MultiService):
    """Parts of which one may be unable to start: by a port in use, or a permission."""

    def __init__(self, *parts: IService, expected: _Errors = ()) -> None:
        """Run `parts`.

        Args:
            parts: those that listen first, so that nothing runs yet when one is refused.
            expected: errors that a person can mend, besides `AnetError` and `OSError`.
        """
        super().__init__()
        self._expected: _Errors = (AnetError, OSError, *expected)
        for part in parts:
            part.setServiceParent(self)

    def startService(self) -> None:
        """Start all parts, their timers steady; garbage collections pass over what is there then.

        Raises:
            CannotStart: one cannot. It is no `SystemExit`, of which twistd would tell a waiting
                terminal nothing when it has made itself a daemon.
        """
        from twisted.internet import reactor  # chosen by now; a forked process has another

        keep_steady(reactor)
        try:
            super().startService()
            settle()
        except self._expected as error:
            sys.excepthook = _tell
            raise CannotStart(words(error)) from None


def in_words(
    *expected: type[Exception],
) -> Callable[[Callable[..., IService]], Callable[..., IService]]:
    """Decorate a `makeService`: what it makes is a `StartingService` of one part.

    Args:
        expected: errors that a person can mend, besides `AnetError` and `OSError`, when the
            service is made or started.
    """

    all_expected: _Errors = (AnetError, OSError, *expected)

    def decorate(make: Callable[..., IService]) -> Callable[..., IService]:
        @wraps(make)
        def made(*arguments: Any) -> IService:
            try:
                return StartingService(make(*arguments), expected=expected)
            except all_expected as error:
                raise SystemExit(words(error)) from None

        return made

    return decorate


def words(error: Exception) -> str:
    """Return what a person is told of an error."""
    if isinstance(error, OSError) and error.filename is not None:
        return (
            f"{error.filename} cannot be used: {error.strerror}; "
            "make it usable for this user, or choose another folder"
        )
    return str(error)


def end(reactor: Any, message: str, status: int) -> None:
    """Tell a person why a process that already runs must end, and end it with a status."""
    _say(message)
    atexit.register(os._exit, status)  # twistd has no exit status of its own to set
    reactor.callWhenRunning(reactor.stop)


def _say(message: str) -> None:
    terminal = sys.__stderr__  # sys.stderr goes to the log by now
    if terminal is not None:
        terminal.write(f"{message}\n")
        terminal.flush()


def _tell(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
    """Be the process's last word on an exception that nobody caught."""
    if not isinstance(error, CannotStart):
        sys.__excepthook__(kind, error, traceback)
        return
    _log.critical("{error}", error=error)
    _say(str(error))
