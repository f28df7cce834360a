"""What the command lines `dlweb sites`, `site`, `campaign`, `machine` and `timeline` may say."""

import argparse
from collections.abc import Callable

from agents.portion import ORDERS

Common = Callable[[argparse.ArgumentParser], None]

_SETTABLE = (
    "what is settled for it, several with spaces: interval, minimum_interval and maximum_interval "
    "in seconds, or with h or d as 36h; maximum_depth; priority, how many times its text counts; "
    "quick and resting, yes or no; forbidden, only and quota as JSON; null for what is usual. "
    "Besides: start_url, accept, reject, depth and rank, which is its priority among candidates"
)


def add_sites(sites: argparse.ArgumentParser, common: Common) -> None:
    """Add what `dlweb sites` takes; `common` adds what every verb takes."""
    common(sites)
    sites.add_argument(
        "beginning", nargs="?", default="", metavar="TEXT", help="what names begin with"
    )
    sites.add_argument(
        "--standing", default="", help="discovered, temporary, member, blacklisted or dormant"
    )
    sites.add_argument("--state", default="", help="due, collecting, collected, depositing …")
    sites.add_argument(
        "--order", choices=ORDERS, default="changed", help="what comes first (default: changed)"
    )
    sites.add_argument("--limit", type=int, default=50, metavar="N", help="how many (default: 50)")
    sites.add_argument(
        "--after", default="", metavar="TEXT", help="go on after what the last line said"
    )
    _json(sites)


def add_site(site: argparse.ArgumentParser, common: Common) -> None:
    """Add what `dlweb site` takes."""
    site.add_argument("site", metavar="SITE", help="its name; `dlweb sites` lists them")
    actions = site.add_subparsers(dest="action", required=True, metavar="ACTION")

    def action(name: str, words: str, *, decides: bool = True) -> argparse.ArgumentParser:
        added = actions.add_parser(name, help=words, description=f"{words[0].upper()}{words[1:]}.")
        common(added)
        _json(added)
        if decides:
            _story(added)
        return added

    action("show", "show where it stands, why, and when it is collected", decides=False)
    action("ban", "put it on the blacklist: it is never collected, and its links are ignored")
    action("pardon", "take it off the blacklist, to be judged anew")
    action("rest", "put it to rest: it is not collected until it is woken")
    action("wake", "take it up again")
    action("admit", "let a candidate in, to be collected once and judged")
    settle = action("set", "settle when and how much of it is collected, and where it ends")
    settle.add_argument("settings", nargs="+", metavar="NAME=VALUE", help=_SETTABLE)
    for name, words in (
        ("follow", "follow a feed for it"),
        ("unfollow", "follow a feed of it no more"),
    ):
        action(name, words).add_argument("feed", metavar="URL", help="address of the feed")
    release = action("release", "leave to the scheduler again what was fixed by hand")
    release.add_argument(
        "names", nargs="+", metavar="NAME", help="standing, priority, accept and so on; see `show`"
    )


def add_campaign(campaign: argparse.ArgumentParser, common: Common) -> None:
    """Add what `dlweb campaign` takes."""
    actions = campaign.add_subparsers(dest="action", required=True, metavar="ACTION")

    def action(name: str, words: str) -> argparse.ArgumentParser:
        added = actions.add_parser(name, help=words, description=f"{words[0].upper()}{words[1:]}.")
        common(added)
        _json(added)
        return added

    action("list", "list campaigns")
    put = action("put", "add a campaign, or change the one of that name")
    _name(put)
    put.add_argument("--begins", required=True, metavar="DATE", help="2027-04-01")
    put.add_argument("--ends", required=True, metavar="DATE", help="2027-05-15")
    put.add_argument(
        "--every", default="1d", metavar="TIME", help="between two crawls: 12h, 1d (default: 1d)"
    )
    put.add_argument(
        "--depth", type=int, metavar="N", help="page links followed (default: as deep as sites go)"
    )
    put.add_argument(
        "--priority", type=float, default=10.0, help="what is due for it goes first (default: 10)"
    )
    _story(put)
    end = action("end", "end a campaign now")
    _name(end)
    _story(end)
    for name, words in (
        ("join", "have sites take part in a campaign"),
        ("leave", "have sites take part in a campaign no more"),
    ):
        part = action(name, words)
        _name(part)
        part.add_argument("sites", nargs="+", metavar="SITE", help="names of sites")
        _story(part)


def add_machine(machine: argparse.ArgumentParser, common: Common) -> None:
    """Add what `dlweb machine` takes."""
    actions = machine.add_subparsers(dest="action", required=True, metavar="ACTION")
    for name, words in (
        ("list", "list the machines that crawlers run on"),
        ("drain", "give a machine no more work"),
        ("undrain", "give it work again"),
        ("forget", "forget a machine that was drained and whose agents are stopped"),
    ):
        added = actions.add_parser(name, help=words, description=f"{words[0].upper()}{words[1:]}.")
        common(added)
        _json(added)
        if name != "list":
            added.add_argument("machine", metavar="MACHINE", help="its name")
        if name == "forget":
            added.add_argument(
                "--lost", action="store_true", help="collect again what lies there undeposited"
            )


def add_timeline(timeline: argparse.ArgumentParser, common: Common) -> None:
    """Add what `dlweb timeline` takes."""
    common(timeline)
    timeline.add_argument(
        "--days", type=int, default=14, metavar="N", help="how many (default: 14)"
    )
    timeline.add_argument(
        "--sites", type=int, default=20, metavar="N", help="how many by name (default: 20)"
    )
    _json(timeline)


def _name(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("campaign", metavar="CAMPAIGN", help="its name")


def _story(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--why", default="", metavar="TEXT", help="for those who read the story")
    parser.add_argument("--who", default="", metavar="NAME", help="who decides (default: you)")


def _json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="write JSON for scripts")
