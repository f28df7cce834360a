"""How far the log of each disk has been read, and for which groups of keys.

Most of the time a disk has one reading, for all groups of this index node. When its share grows,
the new groups are read from the start of the log by a reading of their own; once that is as far
as the other, both are one. So nothing is taken in twice, or in another order than it was logged.
"""

from collections.abc import Iterable

from attrs import evolve, field, frozen

from agents.storage.status import Added, Followed


@frozen
class Reading:
    """How far a log has been read.

    Attributes:
        groups: first bytes of the keys that were taken in, in order.
        followed: which log, and how far.
    """

    groups: bytes
    followed: Followed = field(factory=Followed)


@frozen
class Disk:
    """A disk of a storage node.

    Attributes:
        number: names it in the rows of the index; a disk that is emptied gets another, and no
            number is given twice, so that rows of the old one mean nothing.
        node: the storage node's name.
        name: the disk's; empty for a node that tells of no disks.
        url: the node's base URL.
        readings: of its log, each for other groups.
    """

    number: int
    node: str
    name: str
    url: str
    readings: list[Reading] = field(factory=list)


def follows(reading: Reading, added: Added) -> bool:
    """Tell whether a part of the same log leads further."""
    position = reading.followed.position
    return added.since <= position <= added.position and reading.followed.log == added.log


def is_renewed(disk: Disk, added: Added) -> bool:
    """Tell whether a disk has another log than the one that was read so far."""
    return any(each.followed.log not in ("", added.log) for each in disk.readings)


def advanced(disk: Disk, reading: Reading, added: Added) -> Disk:
    """Return a disk of whose readings one has taken in a part of the log."""
    others = [each for each in disk.readings if each != reading]
    return _merged(disk, [*others, evolve(reading, followed=Followed(added.log, added.position))])


def without(disk: Disk, groups: bytes) -> Disk:
    """Return a disk whose log is not read for some groups any more."""
    left = [evolve(each, groups=bytes(set(each.groups) - set(groups))) for each in disk.readings]
    return _merged(disk, left)


def extended(disk: Disk, groups: bytes) -> Disk:
    """Return a disk whose log is read for further groups, from its start."""
    return _merged(disk, [*disk.readings, Reading(groups)])


def _merged(disk: Disk, readings: Iterable[Reading]) -> Disk:
    """Make one of the readings that are equally far, and drop those of no groups."""
    found: dict[Followed, bytes] = {}
    for each in readings:
        found[each.followed] = bytes(sorted({*found.get(each.followed, b""), *each.groups}))
    return evolve(disk, readings=[Reading(found[key], key) for key in found if found[key]])
