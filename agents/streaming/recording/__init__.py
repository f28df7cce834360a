"""Live streams on their way to the disk, and into the archive.

An endless stream is closed into pieces, each a content, and each with a log of its own.

    beginning   what is known of a piece when it begins
    piece       a piece while it comes in
    log         the log of it, or of a stream that is kept in segments
    recorder    all that an agent records
    errors      what can go wrong
"""

from agents.streaming.recording.beginning import Beginning, Gap
from agents.streaming.recording.errors import DiskBehind, RecordingError
from agents.streaming.recording.log import OpenLog
from agents.streaming.recording.piece import OpenPiece
from agents.streaming.recording.recorder import Recorder, Recovered

__all__ = [
    "Beginning",
    "DiskBehind",
    "Gap",
    "OpenLog",
    "OpenPiece",
    "Recorder",
    "RecordingError",
    "Recovered",
]
