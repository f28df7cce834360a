"""A command's link to the scheduler of a running archive."""

import argparse
import getpass
import os
from typing import Any, TypeVar

from agents.archive.command.console import KIND
from agents.archive.config import ArchiveConfig
from agents.archive.errors import ArchiveError
from agents.archive.lock import running_archive
from agents.archive.plan import addresses
from agents.configuration import load
from hip import Agent, CallTimedOut, ConnectionLost, HipError, RemoteError, convert

_Result = TypeVar("_Result")

_PATIENCE = 30.0  # seconds for the scheduler to answer


class SchedulerLink:
    """Calls to the scheduler; an asynchronous context manager.

    Args:
        reactor: connects.
        options: the command line.
    """

    def __init__(self, reactor: Any, options: argparse.Namespace) -> None:
        configuration = load(options.config, directory=options.archive, base_port=options.base_port)
        running = running_archive(configuration.directory)
        if running is not None and not options.base_port:
            _, configuration.base_port = running
        config = configuration.section("archive", ArchiveConfig)
        self._address, _ = addresses(configuration, config)
        name = f"{KIND}-{os.getpid()}"
        self._agent = Agent(reactor, KIND, name, security=configuration.security(KIND))
        self._link = self._agent.connect(self._address)

    async def __aenter__(self) -> "SchedulerLink":
        self._agent.startService()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._agent.stopService()

    async def call(self, shape: type[_Result], method: str, **arguments: Any) -> _Result:
        """Call a method, once: what it did may not be known when the link is lost.

        Raises:
            ArchiveError: the scheduler refuses, or does not answer.
        """
        try:
            answer = await self._link.call(method, timeout=_PATIENCE, **arguments)
            return convert(answer, shape)
        except RemoteError as error:
            raise ArchiveError(f"the scheduler refuses: {error.message}") from None
        except (CallTimedOut, ConnectionLost) as error:
            raise ArchiveError(
                f"the scheduler at {self._address} does not answer ({error}); "
                "is the archive running?"
            ) from None
        except (HipError, TypeError) as error:
            raise ArchiveError(f"the scheduler cannot be asked: {error}") from None

    async def order(self, method: str, **arguments: Any) -> None:
        """Call a method whose answer does not matter."""
        await self.call(object, method, **arguments)


def story(options: argparse.Namespace) -> dict[str, str]:
    """Return who decides, and why, for the story of a site."""
    return {"who": options.who or _user(), "why": options.why}


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user without a name, as in some containers
        return ""
