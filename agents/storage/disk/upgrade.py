"""From layout 1 to 2: each line of a structure file gets its checksum.

Every file is written anew aside, synced, and put in the place of the old one; `layout` says the
new version when all are. An upgrade that was killed is begun again, and passes over what is done.
"""

import os
from pathlib import Path

from twisted.logger import Logger

from agents.storage.disk import scan
from agents.storage.disk.layout import OLD_VERSION, Layout
from agents.storage.disk.lines import COVERED, SIZE, Line, checksum_of
from agents.storage.errors import DamagedStructure, LayoutRefused
from anet.durable import sync_file_system

_OLD_METADATA = slice(COVERED, SIZE - 1)  # what has given way to the checksum

_log = Logger()


def upgrade(layout: Layout) -> None:
    """Bring a disk to the layout of this version, if it has the older one. Blocks.

    Raises:
        LayoutRefused: a line says more than the new one has room for; nothing of it is changed.
        OSError: the system could not.
    """
    if layout.version() != OLD_VERSION:
        return
    _log.info("{root} is upgraded to the layout of this version", root=layout.root)
    for number, key in enumerate(scan.keys(layout, "structures"), 1):
        _upgrade_file(layout, key)
        if number % 10_000 == 0:
            _log.info("{number} structure files are upgraded", number=number)
    sync_file_system(layout.root)
    layout.write_version()
    sync_file_system(layout.root)


def _upgrade_file(layout: Layout, key: str) -> None:
    path = layout.captures(key)
    old = path.read_bytes()
    try:
        heads = os.open(layout.heads(key), os.O_RDONLY)
    except FileNotFoundError:
        return  # damaged; an audit names it
    try:
        lines = [
            _upgraded(path, old[at : at + SIZE], heads)
            for at in range(0, len(old) - SIZE + 1, SIZE)
        ]
    finally:
        os.close(heads)
    new = b"".join(lines)
    if new != old:
        draft = layout.incoming / f"{key}.upgrade"
        with draft.open("wb") as file:
            file.write(new)
            file.flush()
            os.fsync(file.fileno())
        draft.rename(path)


def _upgraded(path: Path, old: bytes, heads: int) -> bytes:
    """Return a line with its checksum; one that has it already, or is damaged, as it is."""
    try:
        line = Line.decode(old[:COVERED] + b" 00000000\n")
    except DamagedStructure:
        return old
    data = os.pread(heads, line.length, line.offset)
    if len(data) != line.length:
        return old
    new = old[:COVERED] + b" %08x\n" % checksum_of(old, data)
    if old != new and old[_OLD_METADATA].strip():
        raise LayoutRefused(f"{path} has metadata that the new layout has no room for: {old!r}")
    return new
