"""What the command line `dlweb stream` may say."""

import argparse
from collections.abc import Callable

Common = Callable[[argparse.ArgumentParser], None]
_DECISIONS = (
    ("start", "listen to a stream as long as its site is a member"),
    ("stop", "listen to a stream no more"),
    ("release", "leave to the scheduler again whether a stream is listened to"),
    ("forget", "forget a stream, until a crawl finds it again"),
    ("add", "listen to a stream that no crawl found"),
    ("move", "have another agent listen to a stream"),
)


def add_stream(stream: argparse.ArgumentParser, common: Common) -> None:
    """Add what `dlweb stream` takes."""
    actions = stream.add_subparsers(dest="action", required=True, metavar="ACTION")

    def action(name: str, words: str) -> argparse.ArgumentParser:
        added = actions.add_parser(name, help=words, description=f"{words[0].upper()}{words[1:]}.")
        common(added)
        added.add_argument("--json", action="store_true", help="write JSON for scripts")
        return added

    listed = action("list", "list live streams and who listens to each")
    listed.add_argument("--site", default="", metavar="SITE", help="only those of a site")
    listed.add_argument(
        "--phase",
        default="",
        metavar="PHASE",
        help="only those in it: candidate, ordered, receiving, broken, aside",
    )
    listed.add_argument(
        "--limit", type=int, default=50, metavar="N", help="how many, up to 200 (default: 50)"
    )
    listed.add_argument("--after", default="", metavar="URL", help="go on after this one")
    for name, words in _DECISIONS:
        decided = action(name, words)
        if name == "add":
            decided.add_argument("site", metavar="SITE", help="the site to which it belongs")
        decided.add_argument("stream", metavar="URL", help="its address")
        if name == "move":
            decided.add_argument("agent", metavar="AGENT", help="that is to listen to it")
        decided.add_argument(
            "--why", default="", metavar="TEXT", help="for those who read the story"
        )
        decided.add_argument("--who", default="", metavar="NAME", help="who decides (default: you)")
