"""Reading what this machine's storage nodes hold, from their plain files, running or not.

Copies of a structure file are sets of captures, and any copy of a content is the content if its
SHA-256 says so; so all folders together are read as one, and what is damaged in one is taken
from another.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from agents import dates
from agents.archive.errors import ArchiveError
from agents.archive.sections import section
from agents.capture import Capture, structure_key
from agents.configuration import Configuration
from agents.storage.disk.contents import is_sound
from agents.storage.disk.journal import find_in_journals
from agents.storage.disk.layout import Layout
from agents.storage.disk.structures import read_captures
from agents.storage.errors import DamagedStructure
from agents.urls import canonical

_FOLDER = re.compile(r"storage-\d+")


class NotArchived(ArchiveError):
    """The archive does not hold what is asked for."""


def layouts(configuration: Configuration) -> list[Layout]:
    """Return the folders of the storage nodes of this machine.

    Raises:
        ConfigurationError: the storage nodes' section is refused.
        NotArchived: there are none.
    """
    configured = section(configuration, "storage-node")
    folders: set[Path] = {*configured.folders, *filter(None, [configured.folder])}
    if configuration.directory.is_dir():
        folders |= {
            path for path in configuration.directory.iterdir() if _FOLDER.fullmatch(path.name)
        }
    found = [Layout(folder) for folder in sorted(folders) if (folder / "layout").is_file()]
    if not found:
        raise NotArchived(
            f"there is no archive in {configuration.directory}; "
            "`dlweb run` makes one, --archive names another folder"
        )
    return found


def known_as(url: str) -> str:
    """Return the form under which the archive keeps a URL.

    Raises:
        ArchiveError: it is not one that an archive can hold.
    """
    found = canonical(url)
    if found is None:
        raise ArchiveError(f"{url[:200]!r} is not a whole http or https address")
    return found


def captures_of(found: Iterable[Layout], url: str) -> list[Capture]:
    """Return the captures of a canonical URL, oldest first, without their heads."""
    captures: dict[tuple[str, str], Capture] = {}
    for layout in found:
        for capture in _readable(layout, url, "", "~", heads=False):
            captures.setdefault((capture.date, capture.content), capture)
    return [captures[key] for key in sorted(captures)]


def nearest(captures: list[Capture], date: str) -> Capture:
    """Return the capture nearest to a date; of two equally far, the earlier.

    Raises:
        ValueError: there is none.
    """
    moment = dates.to_datetime(date)
    return min(captures, key=lambda one: (abs(dates.to_datetime(one.date) - moment), one.date))


def whole(found: Iterable[Layout], capture: Capture) -> Capture:
    """Return a capture with its head and origin.

    Raises:
        NotArchived: no copy of the structure file has them.
    """
    for layout in found:
        for each in _readable(layout, capture.url, capture.date, capture.date, heads=True):
            if each.content == capture.content:
                return each
    raise NotArchived(f"the head of {capture.url} at {capture.date} is lost or damaged")


def content_of(found: Sequence[Layout], key: str) -> Path | bytes:
    """Return a file that is the content of a key, as its SHA-256 proves; or its bytes.

    Bytes are of a small one that has no file yet. It gets one while the node runs, so look twice.

    Raises:
        NotArchived: no node holds an undamaged copy.
    """
    for _ in range(2):
        for layout in found:
            with suppress(OSError):
                if is_sound(layout.content(key), key):
                    return layout.content(key)
        for layout in found:
            with suppress(OSError):
                if (body := find_in_journals(layout.root, key)) is not None:
                    return body
    raise NotArchived(f"the content {key} is lost or damaged on every storage node here")


def _readable(layout: Layout, url: str, first: str, last: str, *, heads: bool) -> Iterator[Capture]:
    """Yield captures of a URL from one node; a damaged file ends them, for another may be whole."""
    try:
        yield from read_captures(layout, structure_key(url), first, last, limit=10**9, heads=heads)
    except (DamagedStructure, OSError):
        return
