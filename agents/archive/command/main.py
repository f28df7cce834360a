"""Runs a verb; whatever goes wrong is one clear message and a status, never a traceback."""

import argparse
import sys
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from twisted.internet.defer import Deferred

from agents.archive.command import captures, check, get, run, status, stop
from agents.archive.command.arguments import parse
from agents.archive.errors import ArchiveError
from agents.configuration import EXIT_STATUS, ConfigurationError
from agents.dates import InvalidDate

Verb = Callable[[Any, argparse.Namespace], Coroutine[Deferred[Any], Any, int]]

_VERBS: dict[str, Verb] = {
    "run": run.run,
    "status": status.status,
    "get": get.get,
    "captures": captures.captures,
    "stop": stop.stop,
    "check": check.check,
}
_INTERRUPTED = 130  # what a shell expects of a program that Ctrl-C ended


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; ends the process with its exit status."""
    options = parse(arguments)
    from twisted.internet import reactor

    sys.exit(perform(reactor, options, _VERBS[options.verb]))


def perform(reactor: Any, options: argparse.Namespace, verb: Verb) -> int:
    """Run the reactor for as long as a verb takes, and return the exit status."""
    outcome = [_INTERRUPTED]

    def ended(status: int) -> None:
        outcome[0] = status
        if reactor.running and not reactor._stopped:
            reactor.stop()

    def begin() -> None:
        Deferred.fromCoroutine(_reported(reactor, options, verb)).addCallback(ended)

    reactor.callWhenRunning(begin)
    reactor.run()
    return outcome[0]


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


def _say(error: Exception, status: int) -> int:
    sys.stderr.write("".join(f"dlweb: {line}\n" for line in str(error).splitlines()))
    return status
