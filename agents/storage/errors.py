"""Every error of the replication layer.

StorageError
├── LayoutRefused        the folder holds something else, or a layout of another version
├── DiskFull             the disk is full up to its reserve
├── DiskFailed           a write failed; nothing more is written until somebody has looked
├── DigestMismatch       the bytes are not what their key says
├── InvalidCapture       the capture does not fit a structure line
├── Changed              a structure file is not what it was when its removal was decided
├── DamagedStructure     a structure file contradicts its format
├── NoStorage            no node is up that has room
├── HoldersDown          nodes hold it, and none of them is up
├── NotSure              not every node answers, and one that does not may hold it
└── NotDurable           no node has acknowledged
"""


class StorageError(Exception):
    """Root of the replication layer's errors; the message says what happened and what to do."""


class LayoutRefused(StorageError):
    """The folder is not one of a storage node that this version reads."""


class DiskFull(StorageError):
    """The disk has no more room than its reserve."""


class DiskFailed(StorageError):
    """The system could not write or sync; what it did before is safe."""


class DigestMismatch(StorageError):
    """The bytes that came are not those that their key names."""


class InvalidCapture(StorageError):
    """A value of the capture has no place in the fixed-size line."""


class Changed(StorageError):
    """The structure file is not what it was when somebody decided to remove it."""


class DamagedStructure(StorageError):
    """The bytes of a structure file are not what its format says."""


class NoStorage(StorageError):
    """No storage node is up with room for this."""


class HoldersDown(StorageError):
    """The archive has it, on nodes that are all away."""


class NotSure(StorageError):
    """Nobody who answers has it, and somebody who may have it does not answer."""


class NotDurable(StorageError):
    """No node has said that it is on its disk; do it again."""
