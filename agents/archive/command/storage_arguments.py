"""What the command line `dlweb storage …` may say."""

import argparse
from collections.abc import Callable

_STORE = (
    "a folder of a disk, several with commas between them, or a folder that holds such folders; "
    "s3://bucket/prefix?endpoint=URL; cluster:CONFIG, the configuration or the folder of an "
    "archive that runs"
)


def add_actions(
    storage: argparse.ArgumentParser, common: Callable[[argparse.ArgumentParser], None]
) -> None:
    """Add what can be done with the storage.

    Args:
        storage: the verb's parser.
        common: adds what every verb takes.
    """
    actions = storage.add_subparsers(dest="action", required=True, metavar="ACTION")

    def action(name: str, words: str) -> argparse.ArgumentParser:
        added = actions.add_parser(name, help=words, description=f"{words[0].upper()}{words[1:]}.")
        common(added)
        added.add_argument("--json", action="store_true", help="write JSON for scripts")
        return added

    action("status", "show storage nodes, their disks, and replicas below target")
    _where(action("where", "tell which nodes hold a URL, its content at a date, or a key"))
    audit = action("audit", "have nodes hash again all they hold, and wait for them")
    audit.add_argument("node", nargs="?", default="", metavar="NODE", help="one only")
    action("repair", "count all replicas, and wait until those below target are made")
    for name, words in (
        ("drain", "have all that a node or a disk holds copied elsewhere, and wait"),
        ("undrain", "take back a drain"),
    ):
        drain = action(name, words)
        drain.add_argument("node", metavar="NODE", help="the node's name")
        drain.add_argument(
            "disk", nargs="?", default="", metavar="DISK", help="one disk, by its name"
        )
    forget = action("forget", "forget a node that is gone for good, with all that it held")
    forget.add_argument("node", metavar="NODE", help="the node's name; it must be down")
    verify = action(
        "verify", "hash everything again and read every capture, archive running or not"
    )
    verify.add_argument("store", nargs="?", metavar="STORE", help=f"default: disks here; {_STORE}")
    copy = action("copy", "copy everything to another store, verified; repeat it to go on")
    copy.add_argument("source", metavar="FROM", help=_STORE)
    copy.add_argument("target", metavar="TO", help="the same; of folders one only")
    copy.add_argument(
        "--state", metavar="FILE", help="what was copied before (default: in the archive's folder)"
    )
    _export(action("export", "copy some captures and their contents to a folder or another store"))


def _where(where: argparse.ArgumentParser) -> None:
    where.add_argument("what", metavar="URL|KEY", help="an address, or 64 hexadecimal digits")
    where.add_argument(
        "--date", metavar="DATE", help="the capture nearest to this date (default: now)"
    )


def _export(export: argparse.ArgumentParser) -> None:
    export.add_argument("urls", nargs="*", metavar="URL", help="addresses (default: all)")
    export.add_argument("--to", required=True, metavar="TO", help="a folder, or another store")
    export.add_argument("--source", metavar="FROM", help=f"default: disks here; {_STORE}")
    export.add_argument("--prefix", default="", metavar="TEXT", help="what URLs begin with")
    export.add_argument("--first", metavar="DATE", help="the earliest date")
    export.add_argument("--last", metavar="DATE", help="the latest date")
