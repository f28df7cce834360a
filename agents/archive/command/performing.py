"""Runs a verb; whatever goes wrong is one clear message and a status, never a traceback."""

import argparse
import sys
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any

from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.error import ReactorNotRunning
from twisted.logger import globalLogBeginner
from twisted.python.failure import Failure

from agents.archive.command.arguments import parse
from agents.archive.errors import ArchiveError
from agents.configuration import EXIT_STATUS, ConfigurationError
from agents.dates import InvalidDate
from anet.clock import keep_steady

Verb = Callable[[Any, argparse.Namespace], Coroutine[Deferred[Any], Any, int]]

_NAMES = {"import": "import_files", "export": "export_files"}
"""Verbs whose modules have other names: Python keeps one of them for itself."""
_INTERRUPTED = 130  # what a shell expects of a program that Ctrl-C ended


def perform_line(
    reactor: Any,
    arguments: Sequence[str] | None = None,
    loaded: Callable[[], None] = lambda: None,
) -> None:
    """Run the command line; ends the process with its exit status.

    Args:
        reactor: is run.
        arguments: of the command line; without them those of the process.
        loaded: called once all modules of the verb are loaded.
    """
    options = parse(arguments)
    verb = verb_named(options.verb)
    loaded()
    # A person is told in words; what the libraries log is of no use on a terminal.
    globalLogBeginner.beginLoggingTo([], discardBuffer=True, redirectStandardIO=False)
    sys.exit(perform(reactor, options, verb))


def verb_named(name: str) -> Verb:
    """Return the verb of a name that the command line knows; no other's modules are loaded."""
    name = _NAMES.get(name, name)
    module = import_module(f"agents.archive.command.{name}")
    verb: Verb = getattr(module, name)
    return verb


def perform(reactor: Any, options: argparse.Namespace, verb: Verb) -> int:
    """Run the reactor for as long as a verb takes, and return the exit status.

    Ctrl-C cancels the verb, which then leaves everything in order, and is waited for.
    """
    keep_steady(reactor)
    outcome = [_INTERRUPTED]
    running: Deferred[int] = Deferred()
    left: Deferred[None] = Deferred()

    def ended(result: int | Failure) -> None:
        if isinstance(result, int):
            outcome[0] = result
        elif not result.check(CancelledError):
            outcome[0] = _say(result.value or "an unknown error", 1)
        left.callback(None)
        if reactor.running:
            reactor.callWhenRunning(_stop, reactor)

    def begin() -> None:
        nonlocal running
        running = Deferred.fromCoroutine(_reported(reactor, options, verb))
        running.addBoth(ended)

    def interrupt() -> Deferred[None]:
        running.cancel()
        return left

    reactor.callWhenRunning(begin)
    reactor.addSystemEventTrigger("before", "shutdown", interrupt)
    reactor.run()
    return outcome[0]


def _stop(reactor: Any) -> None:
    with suppress(ReactorNotRunning):
        reactor.stop()


async def _reported(reactor: Any, options: argparse.Namespace, verb: Verb) -> int:
    """Run a verb; say what went wrong, and return the exit status."""
    try:
        return await verb(reactor, options)
    except ConfigurationError as error:
        return _say(error, EXIT_STATUS)
    except ArchiveError as error:
        return _say(error, error.status)
    except InvalidDate as error:
        return _say(error, 1)
    except BrokenPipeError:
        return 1  # whoever read our output has gone


def _say(error: BaseException | str, status: int) -> int:
    sys.stderr.write("".join(f"dlweb: {line}\n" for line in str(error).splitlines()))
    return status
