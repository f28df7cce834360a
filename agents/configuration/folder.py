"""The archive's folder: private to its owner, with the secret that lets agents write."""

import os
import secrets
from contextlib import suppress
from pathlib import Path

_SECRET = "secret"  # noqa: S105 - the file's name


def private_folder(path: Path) -> Path:
    """Make a folder that only its owner may enter, and those above it; return it.

    Raises:
        OSError: it cannot be made.
    """
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path


def secret(directory: Path) -> str:
    """Return the credential for HTTP writes in this archive; whoever comes first makes it.

    It is written to a file of its own and then linked to its name, so that nobody ever reads
    half of it, and of several who come at once one wins.

    Raises:
        OSError: the folder cannot be written, or the file not read.
    """
    path = private_folder(directory) / _SECRET
    try:
        return path.read_text("ascii").strip()
    except FileNotFoundError:
        pass
    draft = path.with_name(f".{_SECRET}-{os.getpid()}-{secrets.token_hex(4)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_urlsafe(32) + "\n")
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):  # another agent was first: its secret stands
            os.link(draft, path)
    finally:
        draft.unlink()
    return path.read_text("ascii").strip()
