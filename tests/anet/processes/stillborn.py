"""To preload: every child that is forked hereafter dies at once, as long as a file is there."""

import os
from pathlib import Path


def _die() -> None:
    if Path(os.environ["STILLBORN"]).exists():
        os._exit(7)


os.register_at_fork(after_in_child=_die)
