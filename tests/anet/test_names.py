"""Names by whatever resolver the reactor has."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import ensureDeferred as run
from twisted.internet.interfaces import IHostnameResolver
from twisted.internet.task import Clock
from zope.interface import implementer

from anet.errors import ConnectFailed, TimedOut
from anet.names import INames, ascii_name, literal, resolve


@implementer(IHostnameResolver)
class Silent:
    """A resolver that never answers."""

    def resolveHostName(self, receiver: Any, name: str, *_: Any, **__: Any) -> Any:
        return receiver


@implementer(INames)
class Told:
    """A resolver that says why."""

    def resolveHostName(self, *_: Any, **__: Any) -> Any:
        raise AssertionError("it can say more by the other way")

    async def resolve(self, host: str) -> tuple[str, ...]:
        if host == "known":
            return ("192.0.2.1",)
        raise ConnectFailed("the reason")


def clock(names: Any) -> Any:
    """Return a clock with a resolver."""
    made: Any = Clock()
    made.nameResolver = names
    return made


@ensureDeferred
async def test_the_system_is_asked_by_default() -> None:
    """By the C library in a thread; it knows this machine, and not what does not exist."""
    assert set(await resolve(reactor, "localhost", 10.0)) <= {"127.0.0.1", "::1"}
    with pytest.raises(ConnectFailed, match="unknown"):
        await resolve(reactor, "nowhere.invalid", 10.0)


def test_addresses_are_their_own() -> None:
    """Nobody is asked about them."""
    for host in ("192.0.2.1", "::1", "[::1]"):
        results: list[Any] = []
        run(resolve(clock(Silent()), host, 1.0)).addBoth(results.append)
        assert results == [[host.strip("[]")]]


def test_silence() -> None:
    """It is not waited out."""
    results: list[Any] = []
    patient = clock(Silent())
    run(resolve(patient, "site.test", 3.0)).addBoth(results.append)
    patient.advance(2.9)
    assert not results
    patient.advance(0.1)
    assert results[0].check(TimedOut)
    assert not patient.getDelayedCalls()


def test_a_resolver_that_says_why() -> None:
    """Its own error is the asker's."""
    results: list[Any] = []
    for host in ("known", "unknown"):
        run(resolve(clock(Told()), host, 1.0)).addBoth(results.append)
    assert results[0] == ["192.0.2.1"]
    assert results[1].getErrorMessage() == "the reason"


@given(st.text() | st.from_regex(r"[a-zäß.-]{1,300}"))
def test_any_text(host: str) -> None:
    """It is a name in ASCII of a length the DNS carries, or refused."""
    try:
        name = ascii_name(host)
    except ConnectFailed:
        return
    assert name.isascii() and name.isprintable() and 0 < len(name) <= 253
    if literal(host) is None:
        assert " " not in name


@pytest.mark.parametrize("host", ["a：22", "a／b", "a＠b", "a？b", "a＃b", "［::1］", "％41"])
def test_wide_characters_make_no_address(host: str) -> None:
    """IDNA would make delimiters of them, and so another host or port of a name."""
    with pytest.raises(ConnectFailed, match="is not the name of a host"):
        ascii_name(host)
