"""Factories that do not fill the log with their beginnings and ends."""

from collections.abc import Callable
from typing import Any

from twisted.internet.protocol import Factory, Protocol


def factory_of(build: Callable[[], Protocol]) -> Any:
    """Return a factory whose protocols `build` makes."""
    factory: Any = Factory.forProtocol(build)
    factory.noisy = False
    return factory
