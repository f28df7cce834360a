"""The hip command against running agents."""

import json
import os
import pty
import select
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_twisted
import yaml
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import ensureDeferred as to_deferred
from twisted.internet.utils import getProcessOutputAndValue

from anet.tasks import sleep
from hip import Agent, HipError, RemoteError, exposed
from hip.command import parser
from hip.command.arguments import read_arguments
from hip.command.showing import as_json
from hip.command.verbs import run

HIP = Path(sys.executable).parent / "hip"


class Adder:
    """Methods to call."""

    def __init__(self) -> None:
        self.state = "quiet"

    @exposed
    def add(self, a: int, b: int = 1) -> int:
        """Add two numbers.

        And say no more.
        """
        return a + b

    @exposed
    def status(self) -> dict[str, str]:
        """Say how it goes."""
        return {"state": self.state}

    @exposed
    def odd(self) -> list[Any]:
        """Answer what has no form in JSON, and what a terminal would obey."""
        return [b"\x00\xff", 2**70, "\x1b[31mred", None]


class Tree:
    """A scheduler with a crawler below a nursery, and the command that looks into it."""

    def __init__(self, folder: Path) -> None:
        self.agents: dict[str, Agent] = {}
        self.scheduler = self._agent("scheduler", "scheduler")
        self.address = self.scheduler.listen("127.0.0.1:0")
        self.socket = self.scheduler.listen(f"unix:{folder}/hip")
        self.scheduler.startService()
        nursery = self._agent("nursery", "nursery")
        self.below = nursery.listen("127.0.0.1:0")
        self.links = [nursery.connect(self.address.address)]
        nursery.startService()
        self.adder = Adder()
        crawler = self._agent("site-crawler", "crawler-1", self.adder)
        self.links.append(crawler.connect(self.below.address))
        crawler.startService()

    def _agent(self, kind: str, name: str, adder: Adder | None = None) -> Agent:
        self.agents[name] = Agent(reactor, kind, name, [adder or Adder()])
        return self.agents[name]

    async def hip(self, *words: str) -> str:
        """Return what a command prints."""
        said: list[str] = []
        await run(reactor, self.options(*words), said.append)
        return "\n".join(said)

    def options(self, *words: str) -> Any:
        """Return the options of a command line."""
        return parser().parse_args(["--to", self.address.address, *words])

    async def stop(self) -> None:
        """Stop every agent."""
        for agent in self.agents.values():
            stopping: Any = agent.stopService()
            await stopping


@pytest.fixture
def tree(tmp_path: Path):
    """Return a running tree."""
    tree = Tree(tmp_path)
    for link in tree.links:
        pytest_twisted.blockon(link.connected().addTimeout(10, reactor))
    yield tree
    pytest_twisted.blockon(to_deferred(tree.stop()))


@ensureDeferred
async def test_calls(tree):
    """An answer is printed as YAML, whoever below it comes from."""
    assert await tree.hip("call", "add", "a=2", "b=40") == "42"
    for agent in ("nursery/crawler-1", "crawler-1", "scheduler/nursery/crawler-1"):
        assert await tree.hip("call", "--agent", agent, "add", "a=2") == "3"
    assert await tree.hip("call", "--agent", "scheduler", "add", "a=2") == "3"
    with pytest.raises(RemoteError, match="Expected `int`"):
        await tree.hip("call", "add", "a=two")
    with pytest.raises(RemoteError, match="there is no 'nobody' below scheduler; see hip tree"):
        await tree.hip("call", "--agent", "nobody", "add", "a=2")


@ensureDeferred
async def test_calls_as_json(tree):
    """JSON is one line; what it does not have is written as text."""
    assert json.loads(await tree.hip("call", "status", "--json")) == {"state": "quiet"}
    odd = await tree.hip("call", "odd", "--json")
    assert json.loads(odd) == ["AP8=", 2**70, "\x1b[31mred", None]
    assert odd.isprintable()
    assert "\x1b" not in await tree.hip("call", "odd")


@ensureDeferred
async def test_methods(tree):
    """Every method is listed with its signature and the first line of its documentation."""
    text = await tree.hip("methods", "--agent", "crawler-1")
    assert "add(a: int, b: int = 1) -> int\n    Add two numbers." in text
    listed = json.loads(await tree.hip("methods", "--json"))
    assert {"hip.tree", "hip.route", "add"} <= {it["signature"].split("(")[0] for it in listed}


@ensureDeferred
async def test_the_tree(tree):
    """It is drawn with all figures; the person who looks is no part of it."""
    scheduler, nursery, crawler = (await tree.hip("tree")).splitlines()
    assert scheduler.startswith("scheduler (scheduler)  ")
    assert nursery.startswith("└─ nursery (nursery)  ")
    assert crawler.startswith("   └─ crawler-1 (site-crawler)  ")
    for word in ("pid", "up", "MiB", "in flight", "ms"):
        assert word in crawler
    below = await tree.hip("tree", "--agent", "nursery")
    assert below.startswith("nursery (nursery)")
    told = json.loads(await tree.hip("tree", "--json"))
    assert told["slaves"][0]["slaves"][0]["name"] == "crawler-1"


@ensureDeferred
async def test_over_a_unix_socket(tree):
    """An agent may be reached by its socket, too."""
    assert await tree.hip("--to", tree.socket.address, "call", "add", "a=2") == "3"


class Watching:
    """A watch that runs until the test has seen enough."""

    def __init__(self, tree: Tree, *words: str, is_terminal: bool = False) -> None:
        self.said: list[str] = []
        options = tree.options("watch", "--interval", "0.02", *words)
        self._running = to_deferred(run(reactor, options, self.said.append, is_terminal))

    async def until(self, seen: Callable[[str], Any]) -> None:
        """Return once a text like this was printed."""
        for _ in range(1000):
            if any(seen(text) for text in self.said):
                return
            assert not self._running.called, self._running
            await sleep(reactor, 0.01)
        raise AssertionError(self.said[-3:])

    async def stop(self) -> None:
        """Do as Ctrl-C does."""
        self._running.addErrback(lambda _: None)
        self._running.cancel()
        await self._running


@ensureDeferred
async def test_watching_the_tree_in_lines(tree):
    """It says who is there, who leaves and who comes, and sums up each time."""
    watching = Watching(tree)
    await watching.until(lambda text: "+ scheduler/nursery/crawler-1 (site-crawler)" in text)
    await watching.until(lambda text: "3 agents, " in text and " calls/s, " in text)
    stopping: Any = tree.agents["crawler-1"].stopService()
    await stopping
    await watching.until(lambda text: "- scheduler/nursery/crawler-1" in text)
    await watching.until(lambda text: "2 agents" in text)
    await watching.stop()


@ensureDeferred
async def test_watching_the_tree_in_a_terminal(tree):
    """It is drawn again and again, with calls per second from the second time on."""
    watching = Watching(tree, is_terminal=True)
    await watching.until(lambda text: "crawler-1" in text and "calls/s" in text.splitlines()[-1])
    assert all(text.startswith("\x1b[H\x1b[J") for text in watching.said)
    await watching.stop()


@ensureDeferred
async def test_watching_a_method(tree):
    """An answer is printed when it is another than before, and so is an agent that has gone."""
    watching = Watching(tree, "status", "--agent", "crawler-1")
    await watching.until(lambda text: text.endswith("state: quiet"))
    tree.adder.state = "busy"
    await watching.until(lambda text: text.endswith("state: busy"))
    stopping: Any = tree.agents["crawler-1"].stopService()
    await stopping
    await watching.until(lambda text: "unreachable" in text)
    assert len(watching.said) == 3
    tree.agents["crawler-1"] = again = Agent(reactor, "site-crawler", "crawler-1", [tree.adder])
    again.connect(tree.below.address)
    again.startService()
    await watching.until(lambda text: text.endswith("answers again"))
    await watching.stop()


@ensureDeferred
async def test_watching_what_is_not_there(tree):
    """What never answered is an error."""
    with pytest.raises(HipError, match="there is no method"):
        await tree.hip("watch", "nothing")


@ensureDeferred
async def test_watching_as_json(tree):
    """Each time is a line of JSON, also when there is no answer."""
    watching = Watching(tree, "--json", "--agent", "nursery")
    await watching.until(lambda text: json.loads(text)["answer"]["slaves"])
    stopping: Any = tree.agents["nursery"].stopService()
    await stopping
    await watching.until(lambda text: "unreachable" in json.loads(text).get("error", ""))
    await watching.stop()


def test_badly_written_arguments():
    """An argument that is not name=value says so."""
    assert read_arguments(["a=[1, 2]", "b=", "c=x=y"]) == {"a": [1, 2], "b": None, "c": "x=y"}
    for text in ("a", "=1", "a=[", "1a=2"):
        with pytest.raises(ValueError, match="not"):
            read_arguments([text])


def hip(*words: str) -> "subprocess.CompletedProcess[str]":
    """Run the command as a process of its own."""
    return subprocess.run([HIP, *words], capture_output=True, text=True, timeout=30, check=False)


def test_nobody_there_is_one_line_that_says_what_to_try():
    """Without an agent the command ends with a hint, and not with a traceback."""
    done = hip("--to", "127.0.0.1:1", "--timeout", "0.5", "tree")
    assert done.returncode == 1
    assert done.stderr.startswith("hip: ")
    assert done.stderr.endswith("Name another with --to\n")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "words",
    [
        ("call", "add", "a"),
        ("call",),
        ("--timeout", "0", "tree"),
        ("watch", "--interval", "never"),
    ],
)
def test_a_wrong_command_line_has_a_status_of_its_own(words):
    """It says what is wrong, and asks nobody."""
    done = hip(*words)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


@ensureDeferred
async def test_statuses_and_streams_of_a_real_process(tree):
    """Zero and the answer on standard output; one and the refusal in a line on the other."""

    async def process(*words: str) -> tuple[bytes, bytes, int]:
        arguments = ["--to", tree.address.address, *words]
        return await getProcessOutputAndValue(str(HIP), arguments)

    assert await process("call", "add", "a=1") == (b"2\n", b"", 0)
    out, error, status = await process("call", "add")
    assert (out, status) == (b"", 1)
    assert error.startswith(b"hip: bad-arguments: add(a: int") and error.count(b"\n") == 1
    out, _, status = await process("call", "status")
    assert (yaml.safe_load(out), status) == ({"state": "quiet"}, 0)


@ensureDeferred
async def test_watching_in_a_real_terminal_until_ctrl_c(tree):
    """The terminal shows the tree, and Ctrl-C ends it without a word."""
    master, slave = pty.openpty()
    child = subprocess.Popen(
        [HIP, "--to", tree.address.address, "watch", "--interval", "0.1"],
        stdout=slave,
        stderr=subprocess.PIPE,
    )
    seen = b""
    while seen.count(b"crawler-1") < 2 and child.poll() is None:
        await sleep(reactor, 0.02)
        while select.select([master], [], [], 0)[0]:
            seen += os.read(master, 4096)
    child.send_signal(signal.SIGINT)
    while child.poll() is None:
        await sleep(reactor, 0.02)
    assert child.returncode == 0
    assert child.stderr is not None and child.stderr.read() == b""
    assert seen.startswith(b"\x1b[H\x1b[J")


def test_no_json_tells_a_terminal_what_to_do():
    """Control characters that JSON may hold as they are go escaped too."""
    text = as_json({"words": "a\x1b[2J\x9b2Jb\x7f"})
    assert text.isprintable()
    assert json.loads(text) == {"words": "a\x1b[2J\x9b2Jb\x7f"}
