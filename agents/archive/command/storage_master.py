"""A command's link to the storage master of a running archive."""

import argparse
import os
from pathlib import Path
from typing import Any, TypeVar

from agents.archive.command.console import KIND
from agents.archive.errors import ArchiveError
from agents.archive.lock import running_archive
from agents.configuration import Configuration, Port, load
from agents.storage.master.operating import MasterStatus
from agents.storage.node.config import StorageNodeConfig
from anet.tasks import sleep
from hip import Agent, CallTimedOut, ConnectionLost, HipError, RemoteError, convert

_Result = TypeVar("_Result")

_PATIENCE = 10.0  # seconds for the master to answer
_ATTEMPTS = 2
_PERIOD = 1.0  # seconds between two looks at something that takes its time


def configured(options: argparse.Namespace) -> Configuration:
    """Return the configuration that options name, with the ports of the archive that runs."""
    configuration = load(options.config, directory=options.archive, base_port=options.base_port)
    return configuration if options.base_port else _as_it_runs(configuration)


def configured_at(place: str) -> Configuration:
    """Return the configuration in a file, or of the archive in a folder."""
    if Path(place).is_dir():
        return _as_it_runs(load(directory=place))
    return _as_it_runs(load(place or None))


def _as_it_runs(configuration: Configuration) -> Configuration:
    running = running_archive(configuration.directory)
    if running is not None:
        _, configuration.base_port = running
    return configuration


class MasterLink:
    """Calls to the storage master; an asynchronous context manager."""

    def __init__(self, reactor: Any, configuration: Configuration) -> None:
        self._reactor = reactor
        config = configuration.section("storage-node", StorageNodeConfig)
        self._address = configuration.address(Port.STORAGE_MASTER, config.storage_master)
        self._agent = Agent(
            reactor, KIND, f"{KIND}-{os.getpid()}", security=configuration.security(KIND)
        )
        self._link = self._agent.connect(self._address)

    async def __aenter__(self) -> "MasterLink":
        self._agent.startService()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._agent.stopService()

    async def call(self, shape: type[_Result], method: str, **arguments: Any) -> _Result:
        """Call a method; all of them may be repeated.

        Raises:
            ArchiveError: the master refuses, or does not answer.
        """
        for _ in range(_ATTEMPTS):
            try:
                answer = await self._link.call(method, timeout=_PATIENCE, **arguments)
                return convert(answer, shape)
            except RemoteError as error:
                raise ArchiveError(f"the storage master refuses: {error.message}") from None
            except (CallTimedOut, ConnectionLost) as error:
                problem: Exception = error
            except (HipError, TypeError) as error:
                raise ArchiveError(f"the storage master cannot be asked: {error}") from None
        raise ArchiveError(
            f"the storage master at {self._address} does not answer ({problem}); "
            "is the archive running?"
        )

    async def order(self, method: str, **arguments: Any) -> None:
        """Call a method that answers nothing."""
        await self.call(object, method, **arguments)

    async def status(self) -> MasterStatus:
        """Return how the replication layer is."""
        return await self.call(MasterStatus, "status")

    async def pause(self) -> None:
        """Wait before the next look."""
        await sleep(self._reactor, _PERIOD)
