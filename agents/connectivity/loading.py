"""Reads parcels from a crawl's folder, to be sent."""

from pathlib import Path

from agents.connectivity.crawl_folder import CrawlFolder
from agents.delivery import Load, NotTaken, Parcel
from anet.http import FileBody
from anet.workers import Workers


async def load(workers: Workers, folder: CrawlFolder, parcel: Parcel) -> Load:
    """Return what to send; a bundle is read once for all nodes that it goes to.

    Raises:
        NotTaken: a file cannot be read.
    """
    if not parcel.small:
        [content] = parcel.contents
        return Load.single(
            content.key, FileBody(Path(folder.content(content.key)), 0, content.size)
        )
    try:
        return await workers.run(_bundle, folder, parcel.keys)
    except OSError as error:
        raise NotTaken(str(error)) from error


def _bundle(folder: CrawlFolder, keys: list[str]) -> Load:
    """Read small contents into a bundle; it blocks."""
    found = folder.read(keys)
    return Load.bundle(found, frozenset(keys) - {key for key, _ in found})
