"""The `hip` command: call methods of running agents, list them, and show the tree."""

import argparse
import os
import sys
from typing import Any

import yaml
from twisted.internet import task
from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectError

from anet.errors import AnetError
from hip.agent import Agent
from hip.certs_command import add_certs, run_certs
from hip.errors import CallTimedOut, HipError
from hip.link import Link
from hip.security import CONSOLE, Security

DEFAULT_ADDRESS = "127.0.0.1:7100"


def parser() -> argparse.ArgumentParser:
    """Return what reads the command line."""
    parser = argparse.ArgumentParser(
        prog="hip", description="Talk to running agents over HIP, the tree they form."
    )
    parser.add_argument(
        "--to",
        metavar="ADDRESS",
        default=DEFAULT_ADDRESS,
        help="the agent to connect to, host:port or unix:/path (default: "
        f"{DEFAULT_ADDRESS}, a scheduler's)",
    )
    parser.add_argument(
        "--timeout", type=float, default=30.0, metavar="SECONDS", help="how long to wait"
    )
    parser.add_argument(
        "--certificate",
        metavar="FOLDER",
        help="folder of your certificate, made by `hip certs create` (default: plaintext, on "
        "loopback and UNIX sockets only)",
    )
    parser.add_argument(
        "--insecure",
        action="store_true",
        help="speak plaintext beyond loopback too, in a network that is trusted",
    )
    verbs = parser.add_subparsers(dest="verb", required=True)
    call = verbs.add_parser("call", help="call a method and print its answer as YAML")
    methods = verbs.add_parser("methods", help="list the methods that an agent answers")
    verbs.add_parser("tree", help="show the agents below the one connected to")
    add_certs(verbs)
    for verb in (call, methods):
        verb.add_argument(
            "--agent",
            metavar="NAME[/NAME…]",
            default="",
            help="a descendant, by the names on the way to it (default: the one connected to)",
        )
    call.add_argument("method", help="its name; see `hip methods`")
    call.add_argument("arguments", nargs="*", metavar="NAME=VALUE", help="values are YAML")
    return parser


def read_arguments(texts: list[str]) -> dict[str, Any]:
    """Return the arguments written as `name=value`.

    Raises:
        ValueError: one of them is not written so.
    """
    arguments: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.isidentifier():
            raise ValueError(f"{text!r} is not NAME=VALUE")
        try:
            arguments[name] = yaml.safe_load(value)
        except yaml.YAMLError:
            raise ValueError(f"the value of {name} is not YAML: {value!r}") from None
    return arguments


def show_tree(branch: dict[str, Any], indent: str = "") -> list[str]:
    """Return the lines that show an agent and what is below it."""
    name = f"{branch['name']} ({branch['kind']})"
    if "error" in branch:
        return [f"{name}  does not answer: {branch['error']}"]
    figures = [
        f"{branch['version']}",
        f"pid {branch['pid']}",
        f"up {branch['uptime']:.0f} s",
        f"{branch['memory'] / 2**20:.0f} MiB",
        f"{branch['in_flight']} calls",
    ]
    if branch.get("latency") is not None:
        figures.append(f"{branch['latency'] * 1000:.1f} ms")
    lines = [f"{name}  {', '.join(figures)}"]
    for number, below in enumerate(branch["slaves"]):
        last = number == len(branch["slaves"]) - 1
        first, *rest = show_tree(below)
        lines.append(indent + ("└─ " if last else "├─ ") + first)
        lines += [indent + ("   " if last else "│  ") + line for line in rest]
    return lines


async def _ask(link: Link, options: argparse.Namespace, method: str, **arguments: Any) -> Any:
    path = [name for name in getattr(options, "agent", "").split("/") if name]
    if not path:
        return await link.call(method, timeout=options.timeout, **arguments)
    return await link.call(
        "hip.route",
        timeout=options.timeout,
        path=path,
        method=method,
        arguments=arguments,
    )


async def run(reactor: Any, options: argparse.Namespace) -> str:
    """Do what the command line asks, and return what to print.

    Raises:
        HipError: the agent is not there, or refuses.
        ValueError: an argument is badly written.
    """
    security = security_of(options)
    name = security.name or CONSOLE
    console = Agent(reactor, CONSOLE, f"{name}-{os.getpid()}", security=security)
    link = console.connect(options.to)
    console.startService()
    try:
        if options.verb == "tree":
            return "\n".join(show_tree(await _ask(link, options, "hip.tree")))
        if options.verb == "methods":
            found = await _ask(link, options, "hip.methods")
            return "\n".join(f"{it['signature']}\n    {_first_line(it['words'])}" for it in found)
        arguments = read_arguments(options.arguments)
        answer = await _ask(link, options, options.method, **arguments)
        return yaml.safe_dump(answer, allow_unicode=True, sort_keys=False).removesuffix("...\n")
    finally:
        await console.stopService()


def _first_line(words: str) -> str:
    return words.partition("\n")[0]


def main() -> None:
    """Run the command; errors are one line on standard error, and status 1."""
    options = parser().parse_args()

    if options.verb == "certs":
        _print_certs(options)
        return

    def begin(reactor: Any) -> Deferred[None]:
        return Deferred.fromCoroutine(_print(reactor, options))

    task.react(begin)


def security_of(options: argparse.Namespace) -> Security:
    """Return what the options say of the console's link."""
    if options.certificate is None:
        return Security(insecure=options.insecure)
    return Security.of_folder(options.certificate)


def _print_certs(options: argparse.Namespace) -> None:
    try:
        print(run_certs(options))
    except HipError as error:
        print(f"hip: {error}", file=sys.stderr)
        raise SystemExit(1) from None


async def _print(reactor: Any, options: argparse.Namespace) -> None:
    try:
        print((await run(reactor, options)).rstrip("\n"))
    except (HipError, AnetError, ConnectError, ValueError, yaml.YAMLError) as error:
        asked = isinstance(error, CallTimedOut | ConnectError)
        hint = "; is that where the agent listens? Name another with --to" if asked else ""
        print(f"hip: {str(error).rstrip('.')}{hint}", file=sys.stderr)
        raise SystemExit(1) from None
