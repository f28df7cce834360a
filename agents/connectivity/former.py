"""What a deposited crawl leaves for the next one of its site. It blocks: call it in a worker."""

import fcntl
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from agents.connectivity.crawl_folder import (
    ANALYSIS,
    CERTIFICATES,
    REPORT,
    SIGNATURES,
    STRUCTURE,
    CrawlFolder,
)
from agents.connectivity.merging import merge
from anet.durable import sync_path

# The report is for people. Signatures last: they alone let contents be left out.
_FILES = (STRUCTURE, ANALYSIS, REPORT, SIGNATURES)


def publish(folder: CrawlFolder, site: Path, whole: bool = True) -> None:
    """Put what a deposited crawl found out where the site's next crawl reads it.

    What it found out of some pages is added to what is there of all.

    Each file is replaced as a whole and is on the disk on return. Cut short between two, some are
    of the former crawl: all speak of contents that the archive holds, and the deposit, which is
    then repeated, puts them right. A crawl whose texts were not analysed leaves no analysis.
    Certificates stay for good, since the captures in the archive name them.

    Raises:
        BlockingIOError: another agent changes the folder; repeat.
        OSError: the disk is full, or a file is not there.
    """
    site.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _alone(site):
        _keep_certificates(folder.path / CERTIFICATES, site / CERTIFICATES)
        if not whole and (site / SIGNATURES).exists():
            for name, lines in merge(folder.path, site):
                _write(lines, site / name)
            sync_path(site)
            return
        for name in _FILES:
            if name == ANALYSIS and not (folder.path / name).exists():
                (site / name).unlink(missing_ok=True)
                continue
            _put(folder.path / name, site / name)
        for changed in (site, site.parent, site.parent.parent):
            sync_path(changed)


@contextmanager
def _alone(site: Path) -> Iterator[None]:
    """Keep the other agents of this machine from changing the folder, unless one does already."""
    descriptor = os.open(site, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)


def _keep_certificates(chains: Path, kept: Path) -> None:
    """Keep the chains of certificates that captures name, with those of all former crawls."""
    found = list(chains.glob("*.pem"))
    if not found:
        return
    kept.mkdir(mode=0o700, exist_ok=True)
    for chain in found:
        if not (kept / chain.name).exists():
            _put(chain, kept / chain.name)
    sync_path(kept)


def _put(source: Path, target: Path) -> None:
    """Put a file elsewhere as a whole; it is on the disk on return, its name soon."""
    draft = target.with_name(f".{target.name}.new")
    draft.unlink(missing_ok=True)
    try:
        os.link(source, draft)  # a crawler never changes a finished file
    except OSError:
        shutil.copyfile(source, draft)
    sync_path(draft)
    draft.replace(target)
    draft.unlink(missing_ok=True)  # of a deposit that is repeated, both are one file, and stay


def _write(lines: Iterable[bytes], target: Path) -> None:
    """Write a file as a whole; it is on the disk on return, its name soon."""
    draft = target.with_name(f".{target.name}.new")
    draft.unlink(missing_ok=True)
    with draft.open("xb") as file:
        file.writelines(lines)
    sync_path(draft)
    draft.replace(target)


def withdraw(site: Path) -> None:
    """Take away what former crawls left, since it speaks of contents that nobody holds.

    The next crawl then keeps everything it meets, as a first crawl does.

    Raises:
        BlockingIOError: another agent changes the folder; repeat.
    """
    with suppress(FileNotFoundError), _alone(site):
        for name in reversed(_FILES):
            (site / name).unlink(missing_ok=True)
        sync_path(site)
