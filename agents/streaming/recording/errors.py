"""What can go wrong with recording.

RecordingError
├── DiskBehind    the disk is full, or too slow: no more waits for it
└── DamagedPiece  files of a piece say something else than was written
"""


class RecordingError(Exception):
    """Root of the errors of recording; the message says what happened."""


class DiskBehind(RecordingError):
    """The disk does not take what comes in, and no more of it may wait in memory.

    What waits is written as soon as the disk takes it. The piece is to be ended, and the stream
    begun anew after a while, with a gap: make room on the disk, or record less.
    """


class DamagedPiece(RecordingError):
    """Files of a piece say something else than was written; look at the disk."""
