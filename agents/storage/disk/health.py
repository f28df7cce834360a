"""Whether a disk is still there and can be written.

SOUND --a write or sync fails, mounted read-only--> FAILED: read, and not written any more
SOUND, FAILED --its name cannot be read, or is another's, or it does not answer--> GONE: left out

Only a start of the node leads back, because it reads what is really there.
"""

import os

from attrs import define

from agents.storage.disk.layout import Layout
from agents.storage.errors import LayoutRefused

TAKEN_BACK = "it is taken back when the node is started again"


@define
class Health:
    """What has happened to a disk.

    Attributes:
        failed: why nothing is written to it any more, or empty.
        gone: whether it is not read any more either.
        errors: how many reads and writes the system could not do.
        last_error: the newest of them.
    """

    failed: str = ""
    gone: bool = False
    errors: int = 0
    last_error: str = ""

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


def look(layout: Layout) -> Finding:
    """Look at a disk that was sound. Blocks."""
    try:
        found = layout.read_name()
        read_only = os.statvfs(layout.root).f_flag & os.ST_RDONLY
    except (OSError, LayoutRefused) as error:
        return Finding(f"the disk {layout.name} is not there any more: {error}", gone=True)
    if found != layout.name:
        return Finding(f"another disk, {found}, is in the place of {layout.name}", gone=True)
    return Finding("it is mounted read-only") if read_only else Finding()
