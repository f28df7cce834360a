"""`dlweb get`: an archived content on standard output, byte for byte."""

import argparse
import shutil
import sys
from io import BytesIO
from typing import Any

from agents import dates
from agents.archive import holdings
from agents.configuration import load
from agents.storage.errors import DamagedStructure


async def get(reactor: Any, options: argparse.Namespace) -> int:
    """Write the content of the capture nearest to a date, after its head if that is asked for.

    Raises:
        ArchiveError: the archive does not hold it.
        InvalidDate: the date is none.
    """
    configuration = load(options.config, directory=options.archive, base_port=options.base_port)
    url = holdings.known_as(options.url)
    date = dates.parse(options.date) if options.date else dates.now(reactor)
    layouts = holdings.layouts(configuration)
    damage: list[DamagedStructure] = []
    captures = holdings.captures_of(layouts, url, damage)
    sys.stderr.write(holdings.told(damage))
    if not captures:
        raise holdings.NotArchived(f"{url} is not in the archive in {configuration.directory}")
    capture = holdings.nearest(captures, date)
    content = holdings.content_of(layouts, capture.content)
    output = sys.stdout.buffer
    if options.head:
        output.write(holdings.whole(layouts, capture).head)
    with BytesIO(content) if isinstance(content, bytes) else content.open("rb") as file:
        shutil.copyfileobj(file, output)
    output.flush()
    return 0
