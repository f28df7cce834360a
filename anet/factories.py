"""Factories that do not fill the log with their beginnings and ends."""

from collections.abc import Callable
from typing import Any

from twisted.internet.protocol import Factory, Protocol


def factory_of(build: Callable[[], Protocol]) -> Any:
    """Return a factory whose protocols `build` makes."""
    factory: Any = Factory.forProtocol(build)
    factory.noisy = False
    return factory


class Outermost(Factory):
    """Builds what may have a factory of its own, and leaves it that.

    Args:
        build: makes a protocol.
    """

    noisy = False

    def __init__(self, build: Callable[[], Any]) -> None:
        self._build = build

    def buildProtocol(self, _addr: Any) -> Any:
        """Return a new protocol."""
        return self._build()
