"""What a machine must have for an archive to start: each lack in one line, with its cure."""

import errno
import os
import shutil
import socket
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from agents.archive.plan import Program
from agents.page import human_bytes
from agents.storage.node.config import StorageNodeConfig
from hip.address import SocketPath, parse

OLDEST_PYTHON = (3, 11)
_PORTS_TOLD = 3


def problems(
    directory: Path, free_space: int, programs: Sequence[Program], base_port: int
) -> list[str]:
    """Return what keeps the archive from starting; an empty list when nothing does."""
    return [
        *python_problems(sys.version_info[:2]),
        *folder_problems(directory, free_space),
        *port_problems(programs, base_port),
    ]


def python_problems(version: tuple[int, ...]) -> Iterator[str]:
    """Yield a line when this Python is too old."""
    if version[:2] < OLDEST_PYTHON:
        found, needed = (".".join(map(str, each[:2])) for each in (version, OLDEST_PYTHON))
        yield f"this is Python {found}, and {needed} or newer is needed; install python{needed}"


def folder_problems(directory: Path, free_space: int) -> Iterator[str]:
    """Yield a line when the folder cannot be written, or its disk is nearly full."""
    try:
        with tempfile.TemporaryFile(dir=directory) as file:
            file.write(b"x")
            file.flush()
            os.fsync(file.fileno())
        free = shutil.disk_usage(directory).free
    except OSError as error:
        cure = (
            "free some space, or name a folder on another disk with --archive"
            if error.errno in (errno.ENOSPC, errno.EDQUOT)
            else "make it writable for this user, or name another with --archive"
        )
        yield f"the folder {directory} cannot be written: {error.strerror}; {cure}"
        return
    if free < free_space:
        yield (
            f"the disk of {directory} has {human_bytes(free)} free, and an archive asks for "
            f"{human_bytes(free_space)} to start; free some space, name a folder on another disk "
            "with --archive, or lower archive.free_space in the configuration"
        )


def port_problems(programs: Iterable[Program], base_port: int) -> Iterator[str]:
    """Yield a line for each address that an agent would listen on and cannot, then the cure."""
    found = [
        f"{address}, for {program.name}'s {what}, {reason}"
        for program in programs
        for what, address in program.listens.items()
        if (reason := _refusal(address))
    ]
    yield from found[:_PORTS_TOLD]
    if len(found) > _PORTS_TOLD:
        yield f"and so for {len(found) - _PORTS_TOLD} more addresses; is it another archive?"
    if found:
        yield (
            f"choose other ports with --base-port (now {base_port}), with make run BASE_PORT=…, "
            "or with base_port in the configuration"
        )


def sharing_problems(storage_nodes: int, node: StorageNodeConfig) -> Iterator[str]:
    """Yield a line for each key that would give several storage nodes one place.

    Args:
        storage_nodes: how many are run.
        node: the section that they share.
    """
    for key in ("folder", "address", "url"):
        value = getattr(node, key)
        if storage_nodes > 1 and value is not None:
            yield (
                f"storage-node.{key} is {value}, and the {storage_nodes} storage nodes of this "
                "archive cannot share it; leave it null, or set archive.storage_nodes to 1"
            )


def _refusal(address: str) -> str:
    """Return why an address cannot be listened on, or nothing."""
    where = parse(address)
    if isinstance(where, SocketPath):
        return ""  # its agent tells a file that is left over from one in use
    family = socket.AF_INET6 if ":" in where.host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((where.host, where.port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                return "is in use by another program"
            return f"cannot be listened on ({error.strerror})"
    return ""
