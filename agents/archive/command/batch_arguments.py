"""What `dlweb batch` may say on the command line."""

import argparse


def add_options(verb: argparse.ArgumentParser) -> None:
    """Add what it takes."""
    verb.add_argument("folder", metavar="FOLDER", help="of the batches that an export wrote")
    verb.add_argument(
        "pages",
        nargs="?",
        metavar="IDENTIFIER[..IDENTIFIER]",
        help="a page, such as 200405-0000001234; or a run of pages, from the first to the last; or "
        "a whole batch, such as 200405 (default: list the batches)",
    )
    verb.add_argument("--head", action="store_true", help="write the head of each answer")
    verb.add_argument("--body", action="store_true", help="write the body of each answer")
    verb.add_argument(
        "--json",
        action="store_true",
        help="write JSON for scripts, a line each; bodies as base64",
    )
