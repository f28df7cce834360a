"""What readers chose, kept over a restart of the agent in one small file."""

import os
from pathlib import Path

import msgspec
from twisted.logger import Logger

from agents.consultation.readers.reader import Choice
from anet.durable import sync_path

NAME = "readers.json"
SIZE_LIMIT = 64_000_000  # bytes

_log = Logger()


def load(path: Path) -> dict[str, Choice]:
    """Return what readers chose, those seen least recently first. Blocks.

    A file that is damaged is passed over: readers choose again.
    """
    try:
        if path.stat().st_size > SIZE_LIMIT:
            raise ValueError(f"more than {SIZE_LIMIT:,} bytes")
        return msgspec.json.decode(path.read_bytes(), type=dict[str, Choice])
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        _log.warn("what readers chose is forgotten: {path}: {error}", path=path, error=error)
        return {}


def save(path: Path, choices: dict[str, Choice]) -> None:
    """Keep what readers chose; the former file or the new one is there at any moment. Blocks.

    Raises:
        OSError: it cannot be written.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.draft")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(msgspec.json.encode(choices))
        file.flush()
        os.fsync(descriptor)
    draft.replace(path)
    sync_path(path.parent)
