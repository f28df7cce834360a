"""Each verb of the `hip` command, and the errors of all: one line, and a status."""

import argparse
import os
import sys
from typing import Any

import yaml
from twisted.application.service import MultiService
from twisted.internet.error import ConnectError

from anet.errors import AnetError
from anet.tasks import sleep
from hip.command.arguments import REFUSED, WRONG, parser, read_arguments
from hip.command.certs import run_certs
from hip.command.console import Console
from hip.command.showing import as_json, as_methods, as_tree, as_yaml, clean
from hip.command.watching import (
    TreeView,
    Watch,
    Write,
    changes_of,
    timed_json,
    timed_json_error,
    timed_words,
)
from hip.errors import CallTimedOut, HipError
from hip.running import run as run_program


async def run(
    reactor: Any, options: argparse.Namespace, write: Write = print, is_terminal: bool = False
) -> None:
    """Do what the command line asks.

    Args:
        reactor: connects and waits.
        options: as `parser` reads them.
        write: prints a text.
        is_terminal: whether what is written goes to a terminal.

    Raises:
        HipError: the agent is not there, or refuses.
        ValueError: an argument is badly written.
    """
    arguments = read_arguments(getattr(options, "arguments", []))
    async with Console(reactor, options) as console:
        if options.verb == "watch":
            watch = _watch(console, options, arguments, write, is_terminal)
            while True:
                await watch.once()
                await sleep(reactor, options.interval)
        write(await _answer(console, options, arguments))


async def _answer(console: Console, options: argparse.Namespace, arguments: dict[str, Any]) -> str:
    if options.verb == "tree":
        tree = await console.tree()
        return as_json(tree) if options.json else as_tree(tree)
    if options.verb == "methods":
        methods = await console.methods()
        return as_json(methods) if options.json else as_methods(methods)
    answer = await console.call(options.method, arguments)
    return as_json(answer) if options.json else as_yaml(answer)


def _watch(
    console: Console,
    options: argparse.Namespace,
    arguments: dict[str, Any],
    write: Write,
    is_terminal: bool,
) -> Watch:
    """Return what asks for the tree, or calls a method, each time."""

    async def call() -> Any:
        return await console.call(options.method, arguments)

    ask = console.tree if options.method is None else call
    if options.json:
        return Watch(ask, write, timed_json, timed_json_error)
    show = TreeView(is_terminal).show if options.method is None else changes_of(as_yaml)
    return Watch(ask, write, show, timed_words)


def main() -> None:
    """Run the command; an error is one line on standard error, and a status."""
    options = parser().parse_args()
    if options.verb == "certs":
        _print_certs(options)
        return
    from twisted.internet import reactor

    run_program(reactor, MultiService(), lambda: _told(reactor, options))


def _print_certs(options: argparse.Namespace) -> None:
    try:
        print(run_certs(options))
    except HipError as error:
        raise _failed(error, REFUSED) from None


async def _told(reactor: Any, options: argparse.Namespace) -> None:
    try:
        await run(reactor, options, _print, sys.stdout.isatty())
    except (CallTimedOut, ConnectError) as error:
        hint = "; is that where the agent listens? Name another with --to"
        raise _failed(error, REFUSED, hint) from None
    except (HipError, AnetError, yaml.YAMLError) as error:
        raise _failed(error, REFUSED) from None
    except ValueError as error:
        raise _failed(error, WRONG) from None
    except BrokenPipeError:  # whoever reads us has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(REFUSED) from None


def _print(text: str) -> None:
    print(text, flush=True)


def _failed(error: Exception, status: int, hint: str = "") -> SystemExit:
    print(f"hip: {clean(str(error)).rstrip('.')}{hint}", file=sys.stderr)
    return SystemExit(status)
