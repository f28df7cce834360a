"""`dlweb storage`: looks after what an archive holds; one module a group of actions."""

import argparse
from importlib import import_module
from typing import Any

from agents.archive.errors import ArchiveError
from agents.storage.errors import StorageError
from anet.errors import AnetError

_MODULES = {
    "status": "storage_status",
    "where": "storage_where",
    "audit": "storage_orders",
    "repair": "storage_orders",
    "drain": "storage_orders",
    "undrain": "storage_orders",
    "forget": "storage_orders",
    "verify": "storage_files",
    "copy": "storage_files",
    "export": "storage_files",
}


async def storage(reactor: Any, options: argparse.Namespace) -> int:
    """Do what the command line asks of the storage; return the exit status.

    Raises:
        ArchiveError: it cannot be done; the message says why.
    """
    module = import_module(f"agents.archive.command.{_MODULES[options.action]}")
    try:
        status: int = await getattr(module, options.action)(reactor, options)
    except (StorageError, AnetError, OSError) as error:
        raise ArchiveError(str(error)) from None
    return status
