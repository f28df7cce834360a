"""A command's link to an agent of a running archive, and the configuration that leads there."""

import argparse
import os
from pathlib import Path
from typing import Any, Self, TypeVar

from agents.archive.command.console import KIND
from agents.archive.errors import ArchiveError
from agents.archive.lock import running_archive
from agents.configuration import Configuration, load
from hip import Agent, CallTimedOut, ConnectionLost, HipError, RemoteError, convert

_Result = TypeVar("_Result")


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


class AgentLink:
    """Calls to an agent; an asynchronous context manager.

    Args:
        reactor: connects.
        configuration: says how links are secured.
        address: of the agent.
        who: what the agent is, for people.
        patience: seconds for it to answer.
        attempts: how often a call is made that is not answered; more than once only where all
            of them may be repeated.
    """

    def __init__(
        self,
        reactor: Any,
        configuration: Configuration,
        address: str,
        who: str,
        *,
        patience: float,
        attempts: int = 1,
    ) -> None:
        self._address, self._who = address, who
        self._patience, self._attempts = patience, attempts
        name = f"{KIND}-{os.getpid()}"
        self._agent = Agent(reactor, KIND, name, security=configuration.security(KIND))
        self._link = self._agent.connect(address)

    async def __aenter__(self) -> Self:
        self._agent.startService()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._agent.stopService()

    async def call(self, shape: type[_Result], method: str, **arguments: Any) -> _Result:
        """Call a method; what it did may not be known when the link is lost.

        Raises:
            ArchiveError: the agent refuses, or does not answer.
        """
        for _ in range(self._attempts):
            try:
                answer = await self._link.call(method, timeout=self._patience, **arguments)
                return convert(answer, shape)
            except RemoteError as error:
                raise ArchiveError(f"{self._who} refuses: {error.message}") from None
            except (CallTimedOut, ConnectionLost) as error:
                problem: Exception = error
            except (HipError, TypeError) as error:
                raise ArchiveError(f"{self._who} cannot be asked: {error}") from None
        raise ArchiveError(
            f"{self._who} at {self._address} does not answer ({problem}); is the archive running?"
        )

    async def order(self, method: str, **arguments: Any) -> None:
        """Call a method whose answer does not matter."""
        await self.call(object, method, **arguments)
