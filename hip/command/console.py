"""A person's link to the tree, and the questions asked over it."""

import argparse
import os
from typing import Any, TypeVar

from hip.agent import Agent
from hip.builtin import Described
from hip.errors import HipError
from hip.methods import convert
from hip.security import CONSOLE, Security
from hip.tree import Branch

_Value = TypeVar("_Value")


class Console:
    """An agent that only asks; what it asks for may be of any agent below its master.

    Args:
        reactor: connects and waits.
        options: whom to connect to, which agent is meant, how long to wait.
    """

    def __init__(self, reactor: Any, options: argparse.Namespace) -> None:
        security = security_of(options)
        name = f"{security.name or CONSOLE}-{os.getpid()}"
        self._agent = Agent(reactor, CONSOLE, name, security=security)
        self._link = self._agent.connect(options.to)
        self._path = [name for name in options.agent.split("/") if name]
        self._timeout = options.timeout

    async def __aenter__(self) -> "Console":
        self._agent.startService()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._agent.stopService()

    async def call(self, method: str, arguments: dict[str, Any]) -> Any:
        """Call a method of the agent that is meant.

        Raises:
            HipError: the agent is not there, does not answer in time, or refuses.
        """
        if self._path:
            arguments = {"path": self._path, "method": method, "arguments": arguments}
            method = "hip.route"
        return await self._link.call(method, timeout=self._timeout, **arguments)

    async def methods(self) -> list[Described]:
        """Return the methods of the agent.

        Raises:
            HipError: as for `call`, or the answer is no list of methods.
        """
        return _read(await self.call("hip.methods", {}), list[Described])

    async def tree(self) -> Branch:
        """Return the agent and all below it.

        Raises:
            HipError: as for `call`, or the answer is no tree.
        """
        return _read(await self.call("hip.tree", {}), Branch)


def _read(answer: Any, kind: type[_Value]) -> _Value:
    try:
        return convert(answer, kind)
    except TypeError as error:
        raise HipError(f"the agent answers nonsense: {error}") from None


def security_of(options: argparse.Namespace) -> Security:
    """Return what the options say of the console's link."""
    if options.certificate is None:
        return Security(insecure=options.insecure)
    return Security.of_folder(options.certificate)
