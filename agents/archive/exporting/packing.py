"""WARC files packed into one WACZ, with index, pages and signature. Blocks."""

from collections.abc import Iterator
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

from agents.archive.exporting.items import WholeFile
from agents.archive.exporting.selection import Selection
from agents.archive.exporting.writing import INDEX, check
from agents.capture_records import moment
from anet.formats.sorting import SortedLines
from anet.formats.wacz import Page
from anet.formats.wacz_writing import About, WaczWriter


def pack(
    folder: Path,
    name: str,
    selection: Selection,
    about: About,
    key: EllipticCurvePrivateKey,
) -> WholeFile:
    """Write a WACZ file of all files of an export; return what to note of it.

    Args:
        folder: of the export.
        name: of the WACZ.
        selection: says which files and pages there are.
        about: what the WACZ says of itself.
        key: signs it.

    Raises:
        FilesGone: a file is not there any more.
        OSError: the disk is full, or broken.
    """
    files = selection.files()
    check(folder, files)
    target = folder / name
    with WaczWriter(target, about, key) as wacz, SortedLines(folder) as lines:
        for file in files:
            with (folder / (file.name + INDEX)).open("rb") as index:
                for line in index:
                    lines.add(line)
        wacz.index(lines)
        wacz.pages(_pages(selection))
        for file in files:
            wacz.warc(folder / file.name)
    last = files[-1].last if files else 0
    return WholeFile(name, last, target.stat().st_size, "")


def clear(folder: Path, prefix: str, keep: str) -> None:
    """Remove what was packed: all files of a prefix but one."""
    for path in folder.glob(f"{prefix}-*"):
        if path.name != keep:
            path.unlink()


def _pages(selection: Selection) -> Iterator[Page]:
    for url, date, title in selection.pages():
        yield Page(url=url, date=moment(date), title=title)
