"""Live streams on their way to the disk, and into the archive.

An endless stream is closed into pieces, each a content, and each with a log of its own.

    beginning   what is known of a piece when it begins
    piece       a piece while it comes in
    log         the log of it, or of a stream that is kept in segments
    recorder    all that an agent records
    writing     what its thread does
    files       the files of a piece that is open
    closing     a piece that has ended, as contents with their captures
    recovering  what a killed process left, made whole
    errors      what can go wrong
"""

from agents.streaming.recording.beginning import Beginning, Gap
from agents.streaming.recording.errors import DamagedPiece, DiskBehind, RecordingError
from agents.streaming.recording.log import OpenLog
from agents.streaming.recording.piece import OpenPiece
from agents.streaming.recording.recorder import Recorder
from agents.streaming.recording.recovering import KILLED, Recovered

__all__ = [
    "KILLED",
    "Beginning",
    "DamagedPiece",
    "DiskBehind",
    "Gap",
    "OpenLog",
    "OpenPiece",
    "Recorder",
    "RecordingError",
    "Recovered",
]
