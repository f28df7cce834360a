"""Every test here is run with the agent in Perl and with the one in JavaScript."""

import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from foreign import COMMANDS, Foreign, Master, Stage
from pytest_twisted import blockon
from twisted.internet.defer import Deferred


@pytest.fixture(scope="module", params=sorted(COMMANDS))
def language(request: pytest.FixtureRequest) -> str:
    """The language of the agent."""
    if shutil.which(COMMANDS[request.param][0]) is None:
        pytest.skip(f"{request.param} is not installed")
    return str(request.param)


class Cast:
    """Masters and agents that are gone when the test ends."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._members: list[Any] = []

    def master(self, name: str = "master", **options: Any) -> Master:
        """Start a master."""
        return self._keep(Master(name, **options))

    def stage(self) -> Stage:
        """Return a stage for masters that follow a script."""
        return self._keep(Stage())

    def foreign(self, master: str, **options: object) -> Foreign:
        """Start an agent in another language, the slave of a master at an address."""
        return self._keep(Foreign(self._language, master, **options))

    def _keep(self, member: Any) -> Any:
        self._members.append(member)
        return member

    def leave(self) -> None:
        """End them all, agents first."""
        for member in reversed(self._members):
            blockon(Deferred.fromCoroutine(member.end()))


@pytest.fixture
def cast(language: str) -> Iterator[Cast]:
    """Who plays in a test."""
    cast = Cast(language)
    yield cast
    cast.leave()


@pytest.fixture(scope="module")
def linked(language: str) -> Iterator[tuple[Master, Any]]:
    """A master and its slave in another language, for the tests of a module."""
    cast = Cast(language)
    master = cast.master()
    cast.foreign(master.address)
    yield master, blockon(Deferred.fromCoroutine(master.slave()))
    cast.leave()
