"""Workers that stop while somebody still wants them."""

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import Deferred

from anet.errors import Stopped
from anet.workers import Workers


@ensureDeferred
async def test_work_in_steps_ends_although_the_workers_stop():
    """The stop waits for a step that the one before it leads to; later ones are refused."""
    workers = Workers(reactor, 1)
    workers.startService()

    async def steps() -> int:
        return await workers.run(int, "1") + await workers.run(int, "2")

    working = Deferred.fromCoroutine(steps())
    await Deferred.fromCoroutine(workers.stopService())
    assert await working == 3
    with pytest.raises(Stopped):
        await workers.run(int, "1")
