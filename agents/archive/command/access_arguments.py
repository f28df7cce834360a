"""What the command line `dlweb access` may say."""

import argparse
from collections.abc import Callable

Common = Callable[[argparse.ArgumentParser], None]


def add_access(access: argparse.ArgumentParser, common: Common) -> None:
    """Add what `dlweb access` takes; `common` adds what every verb takes."""
    actions = access.add_subparsers(dest="action", required=True, metavar="ACTION")

    def action(name: str, words: str) -> argparse.ArgumentParser:
        added = actions.add_parser(name, help=words, description=f"{words[0].upper()}{words[1:]}.")
        common(added)
        return added

    _add(action("add", "keep URLs, or some of their captures, back from readers"))
    _json(action("list", "list what is kept back"))
    remove = action("remove", "show again what a rule keeps back")
    remove.add_argument("name", metavar="NAME", help="of the rule, as `dlweb access list` says it")
    _story(remove)
    check = action("check", "tell whether a URL is kept back; the status is 1 when it is")
    check.add_argument("url", metavar="URL", help="the address as it was on the web")
    check.add_argument("--date", metavar="DATE", help="of a capture (default: of any)")
    check.add_argument("--reader", metavar="NAME", default="", help="for whom (default: anybody)")


def _add(add: argparse.ArgumentParser) -> None:
    add.add_argument(
        "urls",
        nargs="+",
        metavar="URL",
        help="what it begins with: example.org/private, *.example.org with all subdomains, or *",
    )
    add.add_argument("--reason", required=True, help="what readers are told")
    add.add_argument("--from", dest="begins", metavar="DATE", help="first date of the captures")
    add.add_argument("--to", dest="ends", metavar="DATE", help="last date of the captures")
    add.add_argument(
        "--until",
        metavar="DATE",
        help="when the embargo ends: a date, or as '10 years after capture' "
        "(default: never, a takedown)",
    )
    add.add_argument(
        "--reader", action="append", default=[], metavar="NAME", help="who may see it all the same"
    )
    add.add_argument(
        "--exact", action="store_true", help="these URLs alone, not what begins like them"
    )
    _story(add)


def _story(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--who", default="", help="who decides (default: your login name)")
    verb.add_argument("--why", default="", help="what readers are not told")


def _json(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--json", action="store_true", help="write JSON for scripts")
