"""Has ranks worked out in a worker process, so that neither reactor nor database waits for it.

The graph goes from the database to files and the ranks come back a stretch of rows at a time: the
scheduler holds no more than one of them, however many sites there are.
"""

from collections.abc import AsyncIterable, AsyncIterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Final

from agents.scheduler.expansion.graph import GraphFiles, LinkRow, RankRow, SiteRow
from agents.scheduler.expansion.ranks import EPSILON, rank_files
from anet.processes import Processes
from anet.workers import Workers

STRETCH: Final = 1000  # ranks that are yielded at once
_TIME: Final = 3600.0  # seconds that a worker process may take


async def changed_ranks(
    processes: Processes,
    workers: Workers,
    folder: Path,
    sites: AsyncIterable[Sequence[SiteRow]],
    links: AsyncIterable[Sequence[LinkRow]],
    epsilon: float = EPSILON,
) -> AsyncIterator[list[RankRow]]:
    """Yield stretches of the ranks that are to be written.

    Args:
        processes: workers that may take 250 bytes for each site and 40 for each link.
        workers: threads for files.
        folder: for files, of nobody else; only one may rank there at a time.
        sites: stretches of all sites, with the ranks that they have now.
        links: stretches of all links, best in the same order each time.
        epsilon: what a rank changes by at least, to be written.

    Raises:
        AnetError: the worker process failed; the message says how. Repeat it.
        OSError: the disk is full.
    """
    files = GraphFiles(folder)
    await workers.run(files.clear)
    async for some_sites in sites:
        await workers.run(files.add_sites, some_sites)
    async for some_links in links:
        await workers.run(files.add_links, some_links)
    await processes.run(rank_files, str(folder), epsilon, time=_TIME)
    rows = files.changed()
    while stretch := await workers.run(list, islice(rows, STRETCH)):
        yield stretch
    await workers.run(files.clear)
