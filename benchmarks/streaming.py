"""What hundreds of live streams cost one streaming agent, and ffmpeg and streamripper beside it.

    python benchmarks/streaming.py [--quick] [--streams N] [--seconds N] [--peers N] [--folder DIR]

Debian's Icecast has a radio on the air: MP3 of 128 kbit/s that ffmpeg sends in its own time, with a
new title every few seconds. It is listened to so many times over by one agent (`twistd streaming`,
told by a scheduler that is this process), by some processes of ffmpeg that copy it into files, and
by some of streamripper. All listen at the same time, so that whatever else the machine does touches
all, and for three stretches their processor time is taken. Icecast needs a twentieth of a core for
500 listeners.

Memory is, of the agent, all that is resident; of peers, what is their own and their share of what
they share (PSS). The agent ends a piece a minute, ten times as often as it does by itself, so that
all it does to a stream is in its figures. At last it is stopped: what is in the archive's
directories of each stream must be what the radio sent, without a hole and to the last second, with
its entries and titles. The last line is JSON.
"""

import argparse
import json
import platform
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from attrs import define, frozen
from twisted.internet.defer import Deferred
from twisted.internet.task import LoopingCall, react
from twisted.internet.threads import deferToThread

sys.path.append(sys.path.pop(0))  # `hip` is the package, and not the benchmark beside this one
sys.path.append(str(Path(__file__).parents[1] / "tests" / "live"))

from radio import Feed, Icecast, tone_file

STREAMS, PEERS, STRETCHES = 500, 20, 3
RATE = 16_000  # bytes a second
PIECE = 60  # seconds
ENTRY = 30  # seconds
TARGETS = {
    f"{what}_vs_{peer}": 10.0 for peer in ("ffmpeg", "streamripper") for what in ("cpu", "memory")
}
_MOUNT = "/tone.mp3"
_SETTLE = 5.0  # seconds until the bursts at the beginning are over
_TITLE = 20.0  # seconds between two titles
_LAG = 3.0  # seconds from what the radio sends to what is taken of it


@frozen
class Cost:
    """What a side needs for one stream: CPU seconds an hour, and bytes."""

    cpu: float
    memory: float


@define
class Side:
    """Processes that listen."""

    pids: Sequence[int]
    streams: int
    before: float = 0.0

    def used(self) -> float:
        """Return their processor seconds so far, to the nanosecond (clock_getcpuclockid(3))."""
        return sum(time.clock_gettime((~pid << 3) | 2) for pid in self.pids)

    def memory(self) -> int:
        """Return their bytes: of several, those they share divided among those who share them."""
        what = "Pss:" if len(self.pids) > 1 else "Rss:"
        return sum(_kilobytes(pid, what) for pid in self.pids) * 1024

    def cost(self, seconds: float) -> Cost:
        """Return what they needed since `before`."""
        cpu = (self.used() - self.before) / seconds / self.streams * 3600
        return Cost(cpu, self.memory() / self.streams)


def _kilobytes(pid: int, what: str) -> int:
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith(what):
            return int(line.split()[1])
    raise ValueError(f"nothing is told of process {pid}")


# The radio and the peers


class Radio:
    """The radio, and the titles that it has said."""

    def __init__(self, icecast: Icecast, feed: Feed) -> None:
        self.icecast, self.feed = icecast, feed
        self.titles: list[str] = []
        self._timer = LoopingCall(self._say)

    def url(self, listener: str) -> str:
        """Return where a listener finds it: a stream of its own for each."""
        return f"{self.icecast.url(_MOUNT)}?{listener}"

    def start(self) -> None:
        """Begin to say titles."""
        self._timer.start(_TITLE)

    def stop(self) -> None:
        """Say no more."""
        self._timer.stop()

    def _say(self) -> Deferred[None]:
        self.titles.append(f"Song {len(self.titles)}")
        return deferToThread(self.icecast.title, _MOUNT, self.titles[-1])


def command(peer: str, url: str, folder: Path) -> list[str]:
    """Return what has a peer keep a stream in a folder."""
    if peer == "ffmpeg":
        how = ["-nostdin", "-v", "error", "-y", "-i", url, "-c", "copy", "-f", "mp3"]
        return ["ffmpeg", *how, str(folder / "kept.mp3")]
    how = ["-d", str(folder), "-s", "-A", "-a", "kept", "-o", "always", "--quiet"]
    return ["streamripper", url, *how]


@contextmanager
def peers(name: str, radio: Radio, count: int, folder: Path) -> Iterator[Side]:
    """Have processes of a peer listen."""
    processes = []
    try:
        for number in range(count):
            own = folder / f"{name}-{number}"
            own.mkdir()
            words = command(name, radio.url(f"{name}{number}"), own)
            quiet = subprocess.DEVNULL
            processes.append(subprocess.Popen(words, stdout=quiet, stderr=quiet))
        yield Side([process.pid for process in processes], count)
        assert all(process.poll() is None for process in processes), f"{name} has ended"
    finally:
        for process in processes:
            process.kill()
            process.wait()


# The agent


class _Methods:
    """What the agent calls. Nothing is taken of what is kept: it is looked at here."""

    @staticmethod
    def make() -> Any:
        from agents.collected import Collected
        from agents.stream import StreamNews
        from hip import CallRefused, exposed

        class Methods:
            @exposed
            def streams_heard(self, news: list[StreamNews]) -> None:
                "Hear what became of streams."

            @exposed
            def collected(self, collected: Collected) -> bool:
                "Refuse what was kept."
                raise CallRefused("not-now", "the benchmark looks at it first")

        return Methods()


class Listener:
    """A streaming agent, and the scheduler that tells it what to listen to."""

    def __init__(self, reactor: Any, folder: Path, streams: int) -> None:
        from hip import Agent

        self._reactor, self._streams = reactor, streams
        self._joined: Deferred[Any] = Deferred()
        self._agent = Agent(reactor, kind="scheduler", name="scheduler")
        self._agent.methods.add(_Methods.make())
        self._agent.on_join = self._joined.callback
        listening = self._agent.listen("127.0.0.1:0")
        self._agent.startService()
        configuration = folder / "dlweb.yaml"
        configuration.write_text(
            f"streaming:\n  scheduler: 127.0.0.1:{listening.port}\n  pages: 127.0.0.1:0\n"
            f"  streams: {streams}\n  piece_seconds: {PIECE}\n  log_interval: {ENTRY}\n"
            "  names: system\n"
        )
        words = [sys.executable, "-m", "twisted", "--log-level", "warn", "streaming"]
        words += ["--config", str(configuration), "--archive", str(folder / "archive")]
        self._process = subprocess.Popen(words)
        self.side = Side([self._process.pid], streams)

    async def start(self, radio: Radio) -> dict[str, float]:
        """Have it listen to all; return what it took to begin."""
        from agents.stream import OrderedStream
        from anet.tasks import sleep

        self._peer = peer = await self._joined.addTimeout(60, self._reactor)
        await sleep(self._reactor, 1.0)
        before, idle = self.side.used(), self.side.memory()
        ordered = [
            OrderedStream(radio.url(str(number)), "radio", private_networks=True)
            for number in range(self._streams)
        ]
        for first in range(0, self._streams, 500):
            await peer.call("listen", streams=ordered[first : first + 500])
        report: dict[str, Any] = {"doing": {}}
        while report["doing"].get("receiving") != self._streams:
            await sleep(self._reactor, 0.1)
            report = await peer.call("progress")
        beginning = 1000 * (self.side.used() - before) / self._streams
        return {"idle_mb": round(idle / 2**20, 1), "cpu_ms_to_begin": round(beginning, 2)}

    async def breaks(self) -> int:
        """Return how many streams broke off so far."""
        return int((await self._peer.call("progress"))["gaps"])

    async def stop(self) -> None:
        """Stop it; when this returns, what was heard is kept."""
        self._process.send_signal(signal.SIGTERM)
        await deferToThread(self._process.wait)
        await self._agent.stopService()


# What was kept


def judge(archive: Path, radio: Radio, streams: int, sent: int) -> dict[str, int]:
    """Count the streams of which all is there; the others are told on standard error.

    Args:
        archive: the archive's folder.
        radio: what was on the air.
        streams: that were listened to.
        sent: bytes that the radio had sent when the agent was stopped.
    """
    captures: dict[str, list[dict[str, Any]]] = {}
    contents: dict[str, Path] = {}
    for structure in archive.glob("crawls/*/structure"):
        contents.update((path.name, path) for path in structure.parent.glob("contents/*/*"))
        for line in structure.read_text().splitlines():
            capture = json.loads(line)
            captures.setdefault(capture["url"], []).append(capture)
    whole = kept = entries = 0
    for number in range(streams):
        url = radio.url(str(number))
        found = sorted(captures.get(url, []), key=lambda each: str(each["date"]))
        logs = captures.get(f"stream-log:{url}", [])
        names = list(dict.fromkeys(each["content"] for each in found))
        media = b"".join(contents[name].read_bytes() for name in names)
        problem = (
            _hole(radio.feed.sent, media, sent)
            or _missing_entries(found, names)
            or _missing_titles(radio.titles, [contents[log["content"]] for log in logs])
        )
        whole, kept, entries = whole + (not problem), kept + len(media), entries + len(found)
        if problem:
            print(f"{url}: {problem}", file=sys.stderr)
    return {"whole": whole, "kept_mb": kept // 10**6, "entries": entries}


def _hole(sent: bytearray, media: bytes, until: int) -> str:
    """Return what is wrong with media, all pieces together, beside what was sent."""
    place = sent.rfind(media)
    if not media or place < 0:
        return f"{len(media)} bytes are not as they were sent"
    missing = until - place - len(media)
    return f"its last {missing} bytes are not there" if missing > _LAG * RATE else ""


def _missing_entries(found: list[dict[str, Any]], names: list[str]) -> str:
    """Return which piece lacks an entry: at its beginning, its end, or between."""
    for name in names:
        places = [each["metadata"].split("@") for each in found if each["content"] == name]
        seconds = [int(milliseconds) / 1000 for milliseconds, _ in places]
        size = next(each["size"] for each in found if each["content"] == name)
        between = max(b - a for a, b in zip(seconds, seconds[1:], strict=False))
        if int(places[0][1]) != 0 or int(places[-1][1]) != size or between > ENTRY + 10:
            return f"its entries are {places}"
    return ""


def _missing_titles(said: list[str], logs: list[Path]) -> str:
    """Return which titles are missing: all that came while it listened follow on each other."""
    lines = [json.loads(line) for log in logs for line in log.read_text().splitlines()]
    titles = sorted((line["at"], line["title"]) for line in lines if line.get("title"))
    heard = list(dict.fromkeys(title for _, title in titles))
    expected = said[said.index(heard[0]) :] if heard else said
    # The last may have been said when it had stopped already.
    return "" if heard and heard in (expected, expected[:-1]) else f"its titles are {heard}"


# All together


async def run(reactor: Any, options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Have all listen, measure, and look at what was kept."""
    tone = await deferToThread(tone_file, folder / "tone.mp3", 200)
    with ExitStack() as stack:
        icecast = stack.enter_context(Icecast(folder, listeners=options.streams + 100))
        feed = stack.enter_context(Feed(icecast, _MOUNT, tone, name="Tones"))
        radio = Radio(icecast, feed)
        radio.start()
        listener = Listener(reactor, folder, options.streams)
        try:
            began = await listener.start(radio)
            sides = {"dlweb": listener.side}
            for name in ("ffmpeg", "streamripper"):
                if shutil.which(name):
                    sides[name] = stack.enter_context(peers(name, radio, options.peers, folder))
            costs = await measure(reactor, sides, options.seconds)
            breaks = await listener.breaks()
        finally:
            radio.stop()
            sent = len(feed.sent)
            await listener.stop()
        kept = await deferToThread(judge, folder / "archive", radio, options.streams, sent)
    return {"dlweb_begins": began, "kept": kept | {"breaks": breaks}, "costs": costs}


async def measure(reactor: Any, sides: dict[str, Side], seconds: float) -> dict[str, Cost]:
    """Return the medians of what each side needs."""
    from anet.tasks import sleep

    await sleep(reactor, _SETTLE)
    costs: dict[str, list[Cost]] = {name: [] for name in sides}
    for _ in range(STRETCHES):
        begun = time.monotonic()
        for side in sides.values():
            side.before = side.used()
        await sleep(reactor, seconds)
        passed = time.monotonic() - begun
        for name, side in sides.items():
            costs[name].append(side.cost(passed))
    return {
        name: Cost(
            statistics.median(each.cpu for each in found),
            statistics.median(each.memory for each in found),
        )
        for name, found in costs.items()
    }


def result(options: argparse.Namespace, found: dict[str, Any]) -> dict[str, Any]:
    """Return the last line."""
    costs: dict[str, Cost] = found["costs"]
    ours = costs["dlweb"]
    ratios: dict[str, float] = {}
    for name in costs.keys() - {"dlweb"}:
        ratios[f"cpu_vs_{name}"] = round(costs[name].cpu / ours.cpu, 2)
        ratios[f"memory_vs_{name}"] = round(costs[name].memory / ours.memory, 2)
    figures: dict[str, Any] = {
        name: {"cpu_s_a_stream_hour": round(cost.cpu, 3), "kb_a_stream": round(cost.memory / 1024)}
        for name, cost in costs.items()
    }
    figures |= {"streams": options.streams, "seconds": options.seconds * STRETCHES}
    figures |= {"kept": found["kept"], "dlweb_begins": found["dlweb_begins"]}
    lost = options.streams - found["kept"]["whole"] + found["kept"]["breaks"]
    targets: dict[str, Any] = {
        name: {"ratio": ratios.get(name), "wanted": wanted, "met": ratios.get(name, 0.0) >= wanted}
        for name, wanted in TARGETS.items()
    }
    targets["streams_not_whole"] = {"ratio": lost, "wanted": 0, "met": lost == 0}
    return {
        "benchmark": "streaming",
        "versions": {"python": platform.python_version(), "ffmpeg": _version("ffmpeg")},
        "figures": figures,
        "ratios": ratios,
        "targets": targets,
    }


def _version(program: str) -> str:
    said = subprocess.run([program, "-version"], capture_output=True, text=True, check=True).stdout
    return said.split()[2]


def main() -> None:
    """Measure, print a table, and last a line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--quick", action="store_true", help="100 streams, for eight seconds")
    parser.add_argument("--streams", type=int, metavar="N", help=f"default: {STREAMS}")
    parser.add_argument("--seconds", type=float, metavar="N", help=f"a stretch (default: {PIECE})")
    parser.add_argument("--peers", type=int, default=PEERS, metavar="N", help="processes of each")
    parser.add_argument("--folder", help="where all is kept for a while")
    options = parser.parse_args()
    options.streams = options.streams or (100 if options.quick else STREAMS)
    options.seconds = options.seconds or (8.0 if options.quick else float(PIECE))
    found: dict[str, Any] = {}

    async def all_of_it(reactor: Any) -> None:
        with tempfile.TemporaryDirectory(prefix="dlweb-streaming-", dir=options.folder) as folder:
            found.update(await run(reactor, options, Path(folder)))

    try:
        react(lambda reactor: Deferred.fromCoroutine(all_of_it(reactor)), [])
    except SystemExit as end:  # `react` ends so
        if end.code:
            raise
    told = result(options, found)
    print(f"{'':14}{'CPU s a stream-hour':>20}{'kB a stream':>14}")
    for name, cost in found["costs"].items():
        print(f"{name:14}{cost.cpu:20.3f}{cost.memory / 1024:14.0f}")
    print(f"kept: {told['figures']['kept']}")
    print(json.dumps(told))


if __name__ == "__main__":
    main()
