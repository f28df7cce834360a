"""`dlweb reader …`: who may read the archive from another machine, and their passwords.

It changes the file of readers in the archive's folder, whether the archive runs or not.
"""

import argparse
import sys
from getpass import getpass
from pathlib import Path
from typing import Any

from agents.archive.errors import ArchiveError
from agents.configuration import load
from agents.consultation.access.credentials import add_reader, read_readers, remove_reader
from agents.consultation.errors import ReadersDamaged


async def reader(_reactor: Any, options: argparse.Namespace) -> int:
    """Add, list or remove readers.

    Raises:
        ArchiveError: the name or the password will not do, or the file cannot be used.
        ConfigurationError: the configuration file is refused.
    """
    archive = load(options.config, directory=options.archive, base_port=options.base_port).directory
    try:
        sys.stdout.write(_done(archive, options))
    except (ReadersDamaged, OSError) as error:
        raise ArchiveError(str(error)) from None
    return 0


def _done(archive: Path, options: argparse.Namespace) -> str:
    """Do what is asked, and return what to say of it."""
    if options.action == "list":
        return (
            "".join(f"{name}\n" for name in read_readers(archive)) or "Nobody has a credential.\n"
        )
    name = options.name
    if options.action == "remove":
        if not remove_reader(archive, name):
            raise ArchiveError(f"{name[:80]!r} has no credential; see `dlweb reader list`")
        return f"{name} may not read from other machines any more.\n"
    if add_reader(archive, name, _password(name)):
        return f"{name} may read from other machines.\n"
    return f"{name} has another password now.\n"


def _password(name: str) -> str:
    """Return a password that a person types twice, or that comes as a line on standard input."""
    if not sys.stdin.isatty():
        return sys.stdin.readline(4096).removesuffix("\n")
    password = getpass(f"Password of {name}: ")
    if getpass("Once more: ") != password:
        raise ArchiveError("these were two different passwords; nothing was changed")
    return password
