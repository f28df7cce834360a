"""Moving from one disk of a node to another: copied, proven, durable, and only then removed.

What moves is on both disks for a moment, and after a kill -9 until somebody moves it again. The log
of the one says that it came, durably, before the log of the other says that it is gone.
"""

from collections.abc import Iterator

from agents.capture import Capture
from agents.storage.disk.append import read_mark
from agents.storage.disk.examining import examine_structure, pieces_of
from agents.storage.disk.lines import PREFIX, prefix
from agents.storage.disk.store import DiskStore
from agents.storage.disk.structures import read_captures
from agents.storage.errors import Changed, DamagedStructure, DigestMismatch
from agents.storage.stores.errors import NotHeld

_CAPTURES = 50  # captures moved at once, with their heads
_TRIES = 5  # while captures are recorded in what is being moved


async def move_content(key: str, source: DiskStore, target: DiskStore) -> None:
    """Move a content; one that is damaged goes to quarantine, once that was seen again.

    Raises:
        DigestMismatch, NotHeld: it was, or was not there at all.
        DiskFull, DiskFailed, Overloaded: as `DiskStore.put` and `DiskStore.remove`.
        StoreUnreachable: it is in a depot that does not answer.
        OSError: the source could not be read.
    """
    try:
        await _copy_content(key, source, target)
    except (DigestMismatch, NotHeld, OSError):
        await source.quarantine("contents", key)
        raise
    if not source.failed:  # one that cannot be written keeps it, and nobody needs it any more
        await source.remove("contents", key)


async def _copy_content(key: str, source: DiskStore, target: DiskStore) -> None:
    incoming = await target.receive()
    try:
        pieces: Iterator[bytes] = pieces_of(source.layout, key, source.depot)
        while piece := await source.workers.run(next, pieces, b""):
            await target.write(incoming, piece)
    except BaseException:
        await target.workers.run(incoming.discard)
        raise
    await target.put(key, incoming)


async def unite(key: str, source: DiskStore, target: DiskStore) -> None:
    """Bring the captures of one copy of a structure file into another, and remove the one.

    It is removed only with the very captures that were seen in it, once all of them have been read
    again from the other. Damage on either disk is put aside first, as an audit would.

    Raises:
        Changed: captures are recorded in it all the time.
        DamagedStructure: a copy is damaged whenever it is read.
        DiskFull, DiskFailed, Overloaded: as `DiskStore.append` and `DiskStore.remove`.
        OSError: one could not be read.
    """
    last: Changed | DamagedStructure = DamagedStructure(f"{key} cannot be united")
    for _ in range(_TRIES):
        _, mark = await source.workers.run(read_mark, source.layout, key)
        try:
            wanted = await _copy_captures(key, source, target)
        except DamagedStructure as error:
            last = error
            await source.quarantine("structures", key)
            continue
        if not wanted <= await target.workers.run(_sound, target, key):
            await target.quarantine("structures", key)
            continue
        if source.failed:
            return
        try:
            await source.remove("structures", key, f"{mark:016x}")
        except Changed as error:
            last = error
            continue
        return
    raise last


async def _copy_captures(key: str, source: DiskStore, target: DiskStore) -> set[bytes]:
    """Record in the target all captures of the source; return by what lines they are known."""
    after, copied = b"", set[bytes]()
    while captures := await source.workers.run(_captures, source, key, after):
        await target.append(captures)
        found = [prefix(each.date, each.content) for each in captures]
        copied.update(found)
        after = found[-1]
    return copied


def _captures(disk: DiskStore, key: str, after: bytes) -> list[Capture]:
    return list(read_captures(disk.layout, key, after=after, limit=_CAPTURES))


def _sound(disk: DiskStore, key: str) -> set[bytes]:
    """Return what the sound lines of a structure file are known by. Blocks, and reads all of it."""
    return {line[:PREFIX] for line in examine_structure(disk.layout, key).sound}
