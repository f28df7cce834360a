"""The hip command against a running agent."""

import subprocess
import sys
from pathlib import Path

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import reactor

from hip import Agent, RemoteError, exposed
from hip.command import parser, read_arguments, run


class Adder:
    """A method to call."""

    @exposed
    def add(self, a: int, b: int = 1) -> int:
        """Add two numbers.

        And say no more.
        """
        return a + b


@ensureDeferred
async def test_call_methods_and_tree():
    """Each verb prints what a running tree answers."""
    master = Agent(reactor, "scheduler", "scheduler", [Adder()])
    listener = master.listen("127.0.0.1:0")
    master.startService()
    slave = Agent(reactor, "crawler", "crawler-1", [Adder()])
    link = slave.connect(listener.address)
    slave.startService()
    await link.connected()

    async def hip(*words: str) -> str:
        return await run(reactor, parser().parse_args(["--to", listener.address, *words]))

    assert await hip("call", "add", "a=2", "b=40") == "42\n"
    assert await hip("call", "--agent", "crawler-1", "add", "a=2") == "3\n"
    assert "add(a: int, b: int = 1) -> int\n    Add two numbers." in await hip("methods")
    tree = await hip("tree")
    assert "scheduler (scheduler)" in tree
    assert "└─ crawler-1 (crawler)" in tree
    assert "console" not in tree
    with pytest.raises(RemoteError, match="Expected `int`"):
        await hip("call", "add", "a=two")
    await slave.stopService()
    await master.stopService()


def test_badly_written_arguments():
    """An argument that is not name=value says so."""
    assert read_arguments(["a=[1, 2]", "b=", "c=x=y"]) == {"a": [1, 2], "b": None, "c": "x=y"}
    for text in ("a", "=1", "a=[", "1a=2"):
        with pytest.raises(ValueError, match="not"):
            read_arguments([text])


def test_nobody_there_is_one_line_that_says_what_to_try():
    """Without an agent the command ends with a hint, and not with a traceback."""
    hip = Path(sys.executable).parent / "hip"
    done = subprocess.run(
        [hip, "--to", "127.0.0.1:1", "--timeout", "0.5", "tree"],
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("hip: ")
    assert done.stderr.endswith("Name another with --to\n")
    assert done.stderr.count("\n") == 1
