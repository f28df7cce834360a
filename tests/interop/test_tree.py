"""The hip command finds agents in other languages in the tree, and calls them through it."""

from typing import Any

from foreign import until
from pytest_twisted import ensureDeferred
from twisted.internet import reactor

from hip import Agent
from hip.command import parser
from hip.command.verbs import run


async def hip(address: str, *words: str) -> str:
    """Return what a command prints."""
    said: list[str] = []
    await run(reactor, parser().parse_args(["--to", address, *words]), said.append)
    return "\n".join(said)


@ensureDeferred
async def test_the_command_reaches_an_agent_in_another_language(cast, language):
    """Two levels down: a scheduler, a nursery below it, and the agent below that."""
    scheduler = cast.master("scheduler")
    nursery = Agent(reactor, "nursery", "nursery")
    below = nursery.listen("127.0.0.1:0")
    nursery.connect(scheduler.address)
    nursery.startService()
    cast.foreign(below.address, name="far-1")
    await until(lambda: scheduler.agent.slaves and nursery.slaves)
    tree = await hip(scheduler.address, "tree")
    assert f"far-1 ({language})" in tree.splitlines()[2]
    assert await hip(scheduler.address, "call", "--agent", "far-1", "add", "a=2", "b=40") == "42"
    assert "add(a, b)" in await hip(scheduler.address, "methods", "--agent", "nursery/far-1")
    stopping: Any = nursery.stopService()
    await stopping
