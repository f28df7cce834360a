"""Removes folders of crawls, and nothing else. It blocks: call it in a worker."""

import shutil
from pathlib import Path

from agents.connectivity.crawl_folder import CrawlFolder

_DOOMED = ".discarded-"


def discard(crawls: Path, directory: str) -> None:
    """Remove the folder of a crawl; without effect when it is not there.

    It is renamed first, so that nobody ever takes half a folder for a crawl.

    Raises:
        Forbidden: the path is not that of a crawl's folder.
        OSError: it cannot be removed.
    """
    path = CrawlFolder.named(crawls, directory).path
    doomed = path.with_name(_DOOMED + path.name)
    if doomed.exists():
        shutil.rmtree(doomed)
    if path.is_dir() and not path.is_symlink():
        path.rename(doomed)
        shutil.rmtree(doomed)


def sweep(crawls: Path) -> None:
    """Finish what an earlier process began to remove.

    Raises:
        OSError: it cannot be removed.
    """
    for doomed in crawls.glob(f"{_DOOMED}*"):
        if doomed.is_dir() and not doomed.is_symlink():
            shutil.rmtree(doomed)
