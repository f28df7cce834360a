"""What may be asked on the command line."""

import argparse
from typing import Any

import yaml

from hip.command.certs import add_certs

DEFAULT_ADDRESS = "127.0.0.1:7100"
REFUSED, WRONG = 1, 2  # exit statuses
_PLACE = {
    "metavar": "NAME[/NAME…]",
    "default": "",
    "help": "a descendant, by the names on the way to it, or by its own if no other agent has it "
    "(default: the one connected to)",
}


def parser() -> argparse.ArgumentParser:
    """Return what reads the command line."""
    parser = argparse.ArgumentParser(
        prog="hip",
        description="Talk to running agents over HIP, the tree they form. The status is 0 when all "
        f"went well, {REFUSED} when an agent refuses or does not answer, {WRONG} when the command "
        "line is wrong.",
    )
    parser.add_argument(
        "--to",
        metavar="ADDRESS",
        default=DEFAULT_ADDRESS,
        help="the agent to connect to, host:port or unix:/path (default: "
        f"{DEFAULT_ADDRESS}, a scheduler's)",
    )
    parser.add_argument(
        "--timeout", type=_seconds, default=30.0, metavar="SECONDS", help="how long to wait"
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
    _add_verbs(parser.add_subparsers(dest="verb", required=True))
    return parser


def _add_verbs(verbs: Any) -> None:
    call = verbs.add_parser("call", help="call a method and print its answer as YAML")
    methods = verbs.add_parser("methods", help="list the methods that an agent answers")
    tree = verbs.add_parser("tree", help="show an agent and all below it")
    watch = verbs.add_parser(
        "watch", help="follow the tree, or what a method answers, until Ctrl-C"
    )
    for verb in (call, methods, tree, watch):
        verb.add_argument("--agent", **_PLACE)
        verb.add_argument("--json", action="store_true", help="print JSON, one value a line")
    watch.add_argument(
        "--interval",
        type=_seconds,
        default=2.0,
        metavar="SECONDS",
        help="between two questions (default: 2)",
    )
    call.add_argument("method", metavar="METHOD", help="its name; see `hip methods`")
    watch.add_argument(
        "method",
        nargs="?",
        metavar="METHOD",
        help="called again and again, its answer printed when it changes (default: the tree)",
    )
    for verb in (call, watch):
        verb.add_argument("arguments", nargs="*", metavar="NAME=VALUE", help="values are YAML")
    add_certs(verbs)


def _seconds(text: str) -> float:
    value = float(text)
    if not 0 < value < 1e9:
        raise argparse.ArgumentTypeError(f"{text} is no time to wait")
    return value


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
