"""What the command line `dlweb export` may say."""

import argparse
import re
from collections.abc import Callable

from anet.formats.serial import GIGABYTE

_SIZE = re.compile(r"(\d+)\s*([kMGT]?)B?")
_UNITS = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_LEAST = 10**6


def add_export(
    verb: argparse.ArgumentParser, common: Callable[[argparse.ArgumentParser], None]
) -> None:
    """Add what can be said of an export.

    Args:
        verb: the verb's parser.
        common: adds what every verb takes.
    """
    common(verb)
    verb.add_argument(
        "--sites",
        nargs="+",
        default=[],
        metavar="SITE",
        help="a host, with its subdomains; the name of a site; or a URL, and what begins with it "
        "(default: everything)",
    )
    verb.add_argument("--from", dest="first", metavar="DATE", help="the earliest date")
    verb.add_argument(
        "--to", dest="last", metavar="DATE", help="the latest: 2026 is up to the end of the year"
    )
    verb.add_argument(
        "--format",
        choices=("warc", "wacz", "tianwang", "arc"),
        default="warc",
        metavar="FORMAT",
        help="warc, wacz, tianwang or arc (default: warc)",
    )
    verb.add_argument(
        "--output",
        metavar="FOLDER",
        help="where to; repeat the command to go on (default: in the archive's folder)",
    )
    verb.add_argument(
        "--source",
        metavar="STORE",
        help="what is exported: as `dlweb storage copy` names it (default: the disks here)",
    )
    verb.add_argument(
        "--compression",
        choices=("gzip", "zstd", "none"),
        default="gzip",
        metavar="HOW",
        help="gzip, zstd or none; each record by itself (default: gzip)",
    )
    verb.add_argument(
        "--size", type=_size, default=GIGABYTE, metavar="BYTES", help="of a file (default: 1G)"
    )
    verb.add_argument(
        "--batches",
        action="store_true",
        help="write monthly batches in the order of the crawl, each page with an identifier",
    )
    verb.add_argument(
        "--no-revisits",
        dest="revisits",
        action="store_false",
        help="write each content as often as it was captured",
    )
    verb.add_argument("--json", action="store_true", help="write JSON for scripts")


def _size(text: str) -> int:
    match = _SIZE.fullmatch(text)
    size = int(match[1]) * _UNITS[match[2]] if match else 0
    if size < _LEAST:
        raise argparse.ArgumentTypeError("expected a size of 1M or more, such as 250M or 1G")
    return size
