"""What `dlweb reader` may say on the command line."""

import argparse
from collections.abc import Callable


def add_reader(
    verb: argparse.ArgumentParser, common: Callable[[argparse.ArgumentParser], None]
) -> None:
    """Add the actions on readers."""
    actions = verb.add_subparsers(dest="action", required=True, metavar="ACTION")
    for name, words in (
        ("add", "give a reader a password, or another one; it is asked for, or read from standard "
                "input"),
        ("list", "list who has a credential"),
        ("remove", "take a reader's credential back"),
    ):  # fmt: skip
        action = actions.add_parser(name, help=words, description=f"{words[0].upper()}{words[1:]}.")
        if name != "list":
            action.add_argument("name", metavar="NAME", help="the reader's name")
        common(action)
