"""Reading what this machine's storage nodes hold, from their plain files, running or not.

Copies of a structure file are sets of captures, and any copy of a content is the content if its
SHA-256 says so; so all folders together are read as one, and what is damaged in one is taken
from another.
"""

import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from agents import dates
from agents.archive import kept_records
from agents.archive.errors import ArchiveError
from agents.archive.sections import section
from agents.capture import Capture, structure_key
from agents.configuration import Configuration
from agents.storage.disk import copies
from agents.storage.disk.contents import is_sound
from agents.storage.disk.journal import find_in_journals
from agents.storage.disk.layout import Layout
from agents.storage.errors import DamagedStructure
from agents.storage.stores.depot_map import bucket_of
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
    """Return the form under which the archive keeps a URL; records of imports keep their name.

    Raises:
        ArchiveError: it is not one that an archive can hold.
    """
    if url.startswith(kept_records.SCHEME):
        return url
    found = canonical(url)
    if found is None:
        raise ArchiveError(f"{url[:200]!r} is not a whole http or https address")
    return found


def captures_of(found: Sequence[Layout], url: str, damage: list[DamagedStructure]) -> list[Capture]:
    """Return the captures of a canonical URL, oldest first, without their heads.

    Args:
        found: the disks.
        url: whose.
        damage: takes what is wrong with any copy; what is sound is returned all the same.
    """
    return list(copies.captures_of(found, structure_key(url), heads=False, damage=damage))


def nearest(captures: list[Capture], date: str) -> Capture:
    """Return the capture nearest to a date; of two equally far, the earlier.

    Raises:
        ValueError: there is none.
    """
    moment = dates.to_datetime(date)
    return min(captures, key=lambda one: (abs(dates.to_datetime(one.date) - moment), one.date))


def whole(found: Sequence[Layout], capture: Capture) -> Capture:
    """Return a capture with its head and origin.

    Raises:
        NotArchived: no copy of the structure file has them.
    """
    key, date = structure_key(capture.url), capture.date
    for each in copies.captures_of(found, key, date, date, damage=[]):
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
    if buckets := sorted(filter(None, {bucket_of(layout.root) for layout in found})):
        raise NotArchived(
            f"the content {key} is not on the disks here, which give theirs to "
            f"{' and '.join(buckets)}: read it through the archive, or from there"
        )
    raise NotArchived(f"the content {key} is lost or damaged on every storage node here")


def told(damage: Sequence[DamagedStructure]) -> str:
    """Return what to say to a person of damage, a line each; empty for none."""
    lines = dict.fromkeys(f"damaged, and passed over: {each}\n" for each in damage)
    return "".join(lines)
