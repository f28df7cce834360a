"""What the command line of `dlweb simulate` may say."""

import argparse

POLICIES = ("adaptive", "uniform", "proportional", "optimal", "bound")
SITES, DAYS = 300, 365
USUAL_INTERVAL = 30.0  # days in which the usual budget collects every page once


def add_options(verb: argparse.ArgumentParser) -> None:
    """Say what its command line may hold."""
    verb.add_argument(
        "--policy",
        action="append",
        choices=POLICIES,
        metavar="NAME",
        help=f"{', '.join(POLICIES)}; may be given again (default: all)",
    )
    verb.add_argument(
        "--history",
        metavar="FILE",
        help="recorded changes as JSON lines, a page a line (default: a web made up by laws)",
    )
    verb.add_argument(
        "--sites", type=_whole, metavar="N", help=f"sites to make up (default: {SITES})"
    )
    verb.add_argument(
        "--days",
        type=_whole,
        metavar="N",
        help=f"how long (default: {DAYS}, or as long as the history)",
    )
    verb.add_argument(
        "--budget",
        type=_whole,
        metavar="N",
        help=f"requests a day (default: each page once in {USUAL_INTERVAL:g} days)",
    )
    verb.add_argument(
        "--seed", type=int, default=1, metavar="N", help="of what is made up (default: 1)"
    )
    verb.add_argument("--chart", metavar="FILE", help="write freshness over time as an SVG picture")
    verb.add_argument("--json", action="store_true", help="write JSON for scripts")


def _whole(text: str) -> int:
    number = int(text)
    if not 1 <= number <= 10_000_000:
        raise argparse.ArgumentTypeError("expected a number from 1 to 10000000")
    return number
