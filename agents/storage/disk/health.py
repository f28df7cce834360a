"""Whether a disk is still there, answers, and can be written.

SOUND --a write or sync fails, mounted read-only--> FAILED: read, and not written any more
SOUND, FAILED --its name cannot be read, or is another's, or it does not answer--> GONE: left out
SOUND, FAILED --a look takes long--> SILENT, STALLS: not read, not written where others can be,
                                     for the moment --it answers--> as before
GONE --it is there again, and answers--> SOUND, as another object that has read what is there

From FAILED alone only a start of the node leads back, because it reads what is really there.
"""

import errno
import os
from time import monotonic

from attrs import define

from agents.storage.disk.layout import Layout
from agents.storage.errors import LayoutRefused

TAKEN_BACK = "it is taken back when the node is started again"
RETURNS = "it is taken back when it is there again"
PATIENCE = 60.0  # seconds that a disk may take to answer a look
SILENCE = 5.0  # seconds of a read after which a disk is not read in the reactor's thread
STALL = 10.0  # seconds of a sync after which others are written to in place of a disk


@define
class Health:
    """What has happened to a disk.

    Attributes:
        failed: why nothing is written to it any more, or empty.
        gone: whether it is not read any more either.
        errors: how many reads and writes the system could not do.
        last_error: the newest of them.
        asked: since when a read has not been answered; 0 for never.
        syncing: since when a write has not been answered; 0 for never.
    """

    failed: str = ""
    gone: bool = False
    errors: int = 0
    last_error: str = ""
    asked: float = 0.0
    syncing: float = 0.0

    @property
    def silent(self) -> bool:
        """Whether it has not answered a read for some seconds; memory tells, and so at once."""
        return self.asked > 0 and monotonic() - self.asked > SILENCE

    @property
    def stalls(self) -> bool:
        """Whether it has not answered a write for some seconds."""
        return self.syncing > 0 and monotonic() - self.syncing > STALL

    def note(self, error: object) -> None:
        """Take note of an error."""
        self.errors += 1
        self.last_error = str(error)

    def fail(self, why: str, *, gone: bool = False) -> None:
        """Go to a worse state; what came first stays the reason."""
        self.failed = self.failed or why
        self.gone = self.gone or gone


@define
class Finding:
    """What a look at a disk found: nothing, or why it has failed, or is gone."""

    why: str = ""
    gone: bool = False


def look(layout: Layout, health: Health) -> Finding:
    """Look at a disk: read from it, not from the system's memory, and write. Blocks."""
    health.asked = monotonic()
    try:
        found = layout.read_name(fresh=True)
        read_only = os.statvfs(layout.root).f_flag & os.ST_RDONLY
    except (OSError, LayoutRefused) as error:
        return Finding(f"the disk {layout.name} is not there any more: {error}", gone=True)
    finally:
        health.asked = 0.0
    if found != layout.name:
        return Finding(f"another disk, {found}, is in the place of {layout.name}", gone=True)
    if read_only:
        return Finding("it is mounted read-only")
    return Finding() if health.failed else _write(layout, health)


def _write(layout: Layout, health: Health) -> Finding:
    """Have the disk write a little: the time at which it was looked at."""
    health.syncing = monotonic()
    try:
        descriptor = os.open(layout.root / "disk", os.O_RDONLY | os.O_NOFOLLOW)
        try:
            os.utime(descriptor)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        if error.errno in (errno.EIO, errno.EUCLEAN):
            return Finding(f"it cannot be written: {error}")
    finally:
        health.syncing = 0.0
    return Finding()
