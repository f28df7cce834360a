"""What the command line `dlweb import …` may say."""

import argparse


def add_options(verb: argparse.ArgumentParser) -> None:
    """Add what `dlweb import` takes, beside what every verb does."""
    verb.add_argument(
        "paths",
        nargs="+",
        metavar="PATH",
        help="a file of a web archive (WARC, ARC, WACZ, Tianwang), or a folder of such files",
    )
    verb.add_argument(
        "--to",
        metavar="STORE",
        help="where to: a folder of a disk; s3://bucket/prefix?endpoint=URL; cluster:CONFIG "
        "(default: the archive if it runs, else its first disk here)",
    )
    verb.add_argument(
        "--parts",
        default="",
        metavar="N",
        help="divide the files into N parts, a power of two (default: one a processor)",
    )
    verb.add_argument(
        "--only", default="", metavar="A-B", help="import these parts only, counted from 0"
    )
    verb.add_argument(
        "--again", action="store_true", help="read also files that were imported before"
    )
    verb.add_argument("--json", action="store_true", help="write JSON for scripts")
