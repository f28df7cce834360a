"""`dlweb captures`: the history of one URL."""

import argparse
import json
import sys
from typing import Any

from agents import dates
from agents.archive import holdings
from agents.configuration import load
from agents.page import human_bytes
from agents.storage.errors import DamagedStructure


async def captures(_reactor: Any, options: argparse.Namespace) -> int:
    """List the captures of a URL, oldest first; the status is 1 when there is none.

    Raises:
        ArchiveError: there is no archive, or the URL is none.
    """
    configuration = load(options.config, directory=options.archive, base_port=options.base_port)
    url = holdings.known_as(options.url)
    damage: list[DamagedStructure] = []
    found = holdings.captures_of(holdings.layouts(configuration), url, damage)
    sys.stderr.write(holdings.told(damage))
    if options.json:
        lines = [
            {
                "url": url,
                "date": capture.date,
                "status": capture.status,
                "size": capture.size,
                "content": capture.content,
                "metadata": capture.metadata,
            }
            for capture in found
        ]
        sys.stdout.write(json.dumps(lines, indent=1) + "\n")
    elif found:
        for capture in found:
            sys.stdout.write(
                f"{dates.to_iso(capture.date)}  {capture.status}  "
                f"{human_bytes(capture.size):>10}  {capture.content}\n"
            )
    if not found and not options.json:
        raise holdings.NotArchived(f"{url} is not in the archive in {configuration.directory}")
    return 0 if found else 1
