"""Zygotes: real processes, run by scripts, since one must begin before this process's threads."""

import json
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anet.nursery.messages import LIMIT, NurseryError, Reader, encode

KEEPER = """
import json, os, signal, sys, time, random
from twisted.internet import reactor        # installed before the zygote, as twistd may do
from twisted.internet.defer import ensureDeferred, Deferred
from anet.nursery import Zygote, NurseryError, run_service
opened = os.open("/etc/passwd", os.O_RDONLY)

def child(argument):
    {child}

def say(**facts):
    print(json.dumps(facts), flush=True)

exits = []
waiting = []
def on_exit(pid, status):
    if waiting:
        waiting.pop().callback((pid, status))
    else:
        exits.append((pid, status))
def next_exit():
    if exits:
        return exits.pop()
    waiting.append(Deferred())
    return waiting[-1]
lost = Deferred()

async def main(zygote):
    {main}

zygote = Zygote.begin(child, preload=["json"], title="zygote-test")
def start():
    zygote.attach(reactor, on_exit, lambda: lost.callback(None))
    done = ensureDeferred(main(zygote))
    done.addErrback(lambda failure: failure.printTraceback())
    done.addBoth(lambda _: reactor.stop())
reactor.callWhenRunning(start)
reactor.callLater(20, reactor.stop)
reactor.run()
"""


def keeper(child: str, main: str) -> str:
    """Return a script that keeps a zygote whose children do `child`."""
    indent = "\n    "
    return KEEPER.format(
        child=indent.join(child.strip().splitlines()), main=indent.join(main.strip().splitlines())
    )


def run(script: str) -> list[dict[str, Any]]:
    """Run a script and return what it said, one JSON object a line."""
    ended = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=30, check=False
    )
    assert ended.returncode == 0, ended.stderr
    assert "Traceback" not in ended.stderr, ended.stderr
    return [json.loads(line) for line in ended.stdout.splitlines()]


def wait_until_gone(pid: int) -> None:
    """Wait until a process has ended."""
    deadline = time.monotonic() + 10
    while Path(f"/proc/{pid}").exists():
        if Path(f"/proc/{pid}/stat").read_text().split(")")[1].split()[0] == "Z":
            return
        assert time.monotonic() < deadline, f"{pid} lives on"
        time.sleep(0.02)


def test_children_run_with_their_argument_and_their_exit_is_reported() -> None:
    """Each fork runs the function with its argument, and its exit code comes back."""
    said = run(
        keeper(
            "sys.exit(argument['code'])",
            """
for code in (0, 7):
    pid = await zygote.fork({"code": code})
    ended, status = await next_exit()
    say(same=pid == ended, status=status, left=len(zygote.children))
await zygote.close()
""",
        )
    )
    assert said == [
        {"same": True, "status": 0, "left": 0},
        {"same": True, "status": 7, "left": 0},
    ]


def test_descriptors_are_passed_to_the_child_they_are_for() -> None:
    """Two forks at once: each child writes to the pipe that came with its own argument."""
    said = run(
        keeper(
            "os.write(argument_pipe, argument['text'].encode())",
            """
pipes = [os.pipe(), os.pipe()]
for number, (read, write) in enumerate(pipes):
    zygote.fork({"text": f"child {number}"}, [write])
await next_exit()
await next_exit()
for read, write in pipes:
    os.close(write)
say(texts=[os.read(read, 100).decode() for read, write in pipes],
    ends=[os.read(read, 100).decode() for read, write in pipes])
await zygote.close()
""",
        ).replace("def child(argument):", "def child(argument, argument_pipe):")
    )
    assert said == [{"texts": ["child 0", "child 1"], "ends": ["", ""]}]


def test_a_child_shares_no_reactor_no_descriptor_and_no_random_numbers() -> None:
    """A child of a process with a reactor installs another, and inherits nothing but stdio."""
    said = run(
        keeper(
            """
import twisted.internet
inherited = sorted(int(name) for name in os.listdir("/proc/self/fd"))[:-1]
absent = "twisted.internet.reactor" not in sys.modules and not hasattr(twisted.internet, "reactor")
from twisted.internet import reactor as own
say(inherited=inherited, absent=absent, fresh=own is not reactor, number=random.random(),
    name=open("/proc/self/comm").read().strip(),
    default=signal.getsignal(signal.SIGTERM) == signal.SIG_DFL)
own.callLater(0, own.stop)
own.run()
""",
            """
for _ in range(2):
    await zygote.fork({})
    await next_exit()
await zygote.close()
""",
        )
    )
    assert [one["inherited"] for one in said] == [[0, 1, 2]] * 2
    assert all(one["absent"] and one["fresh"] for one in said)
    assert said[0]["number"] != said[1]["number"]
    assert said[0]["name"] == "zygote-test"
    assert said[0]["default"]


def test_a_signalled_child_is_reported_by_its_signal() -> None:
    """A child that a signal ended is reported with minus the signal's number."""
    said = run(
        keeper(
            "time.sleep(60)",
            """
pid = await zygote.fork({})
zygote.signal(pid, signal.SIGKILL)
say(status=(await next_exit())[1])
await zygote.close()
""",
        )
    )
    assert said == [{"status": -9}]


def test_closing_ends_children_and_zygote() -> None:
    """After close neither the children nor the zygote are there."""
    said = run(
        keeper(
            "time.sleep(60)",
            """
pids = [await zygote.fork({}) for _ in range(3)]
await zygote.close()
say(alive=[pid for pid in [zygote.pid, *pids] if os.path.exists(f"/proc/{pid}")],
    statuses=[status for _, status in exits])
try:
    await zygote.fork({})
except NurseryError as error:
    say(error=str(error))
""",
        )
    )
    assert said == [{"alive": [], "statuses": [-15] * 3}, {"error": "the zygote is gone"}]


def test_children_end_with_a_zygote_that_is_killed() -> None:
    """kill -9 of the zygote ends its children, and its keeper is told."""
    said = run(
        keeper(
            "time.sleep(60)",
            """
pid = await zygote.fork({})
os.kill(zygote.pid, signal.SIGKILL)
await lost
say(pid=pid, children=len(zygote.children))
await zygote.close()
""",
        )
    )
    assert said[0]["children"] == 0
    wait_until_gone(said[0]["pid"])


def test_zygote_and_children_end_with_a_keeper_that_is_killed() -> None:
    """kill -9 of the keeper ends the zygote and its children."""
    script = keeper(
        "time.sleep(60)",
        """
say(pids=[zygote.pid, await zygote.fork({})])
await Deferred()
""",
    )
    keeping = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert keeping.stdout is not None
    pids = json.loads(keeping.stdout.readline())["pids"]
    keeping.kill()
    keeping.wait()
    keeping.stdout.close()
    for pid in pids:
        wait_until_gone(pid)


@pytest.mark.parametrize(
    ("module", "reason"),
    [
        ("no.such.module", "No module named"),
        ("twisted.internet.reactor", "installs a reactor"),
    ],
)
def test_a_module_that_cannot_be_preloaded_is_a_clear_error(module: str, reason: str) -> None:
    """A zygote whose modules do not load, or that would have a reactor, is refused."""
    script = f"""
from anet.nursery import Zygote, NurseryError
try:
    Zygote.begin(print, preload=[{module!r}])
except NurseryError as error:
    import json; print(json.dumps({{"error": str(error)}}))
"""
    assert reason in run(script)[0]["error"]


def test_a_process_with_threads_cannot_begin_a_zygote() -> None:
    """Threads would be lost in the fork with the locks they hold, so it is refused."""
    script = """
import json, threading
from anet.nursery import Zygote, NurseryError
event = threading.Event()
thread = threading.Thread(target=event.wait)
thread.start()
try:
    Zygote.begin(print)
except NurseryError as error:
    print(json.dumps({"error": str(error)}))
event.set()
"""
    assert "before any thread" in run(script)[0]["error"]


def test_a_service_runs_in_a_child_until_it_is_told_to_stop(tmp_path: Path) -> None:
    """run_service starts the service on a fresh reactor, logs to its file, and stops it."""
    log = tmp_path / "log" / "crawler-1.log"
    said = run(
        keeper(
            f"""
from twisted.application.service import Service
from twisted.logger import Logger
class Told(Service):
    def startService(self):
        from twisted.internet import reactor as own
        Logger().info("started on its own: {{own}}", own=own is not reactor)
        own.callLater(0, os.kill, os.getpid(), signal.SIGTERM)
    def stopService(self):
        print("stopped in good order", flush=True)
from pathlib import Path
run_service("told", Path({str(log)!r}), Told)
""",
            """
await zygote.fork({})
say(status=(await next_exit())[1])
await zygote.close()
""",
        )
    )
    assert said == [{"status": 0}]
    written = log.read_text()
    assert "started on its own: True" in written
    assert "stopped in good order" in written


@given(
    st.lists(st.dictionaries(st.text(), st.integers() | st.text(), max_size=4), max_size=5),
    st.data(),
)
def test_messages_come_whole_however_they_are_cut(
    messages: list[dict[str, Any]], data: st.DataObject
) -> None:
    """Any cut of the bytes gives the same messages."""
    stream = b"".join(map(encode, messages))
    reader, got = Reader(), []
    while stream:
        cut = data.draw(st.integers(1, len(stream)))
        got += list(reader.feed(stream[:cut]))
        stream = stream[cut:]
    assert got == messages


@given(st.binary(max_size=64))
def test_any_bytes_give_messages_or_a_typed_error(garbage: bytes) -> None:
    """A peer that speaks nonsense gives NurseryError and nothing else."""
    with suppress(NurseryError):
        assert all(isinstance(message, dict) for message in Reader().feed(garbage))


def test_a_message_over_the_limit_is_refused_both_ways() -> None:
    """Neither a writer nor a reader takes a message over the limit."""
    with pytest.raises(NurseryError, match="limit"):
        encode({"text": "x" * LIMIT})
    with pytest.raises(NurseryError, match="limit"):
        list(Reader().feed((LIMIT + 1).to_bytes(4, "big")))
