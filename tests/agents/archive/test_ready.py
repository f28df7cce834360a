"""Whether somebody answers at an address."""

import socket

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import CancelledError, Deferred

from agents.archive.ready import answers


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
@ensureDeferred
async def test_who_listens_answers(host: str) -> None:
    """A connection is taken while somebody listens, and not afterwards."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"{host}:{server.getsockname()[1]}"
        assert await answers(reactor, address)
    assert not await answers(reactor, address)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
@ensureDeferred
async def test_a_question_can_be_cancelled_at_once(host: str) -> None:
    """Cancelled is not the same as nobody answering: the archive would never stop asking."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        asked = Deferred.fromCoroutine(answers(reactor, f"{host}:{server.getsockname()[1]}"))
        asked.cancel()
        with pytest.raises(CancelledError):
            await asked
