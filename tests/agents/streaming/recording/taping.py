"""Recording for tests, and reading back what came of it as a connectivity agent does."""

from collections import defaultdict, deque
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from twisted.internet.defer import Deferred, fail, succeed
from twisted.internet.task import Clock

from agents.capture import Capture
from agents.collected import Captures
from agents.connectivity.crawl_folder import CrawlFolder
from agents.connectivity.structure import read_batch
from agents.stream import LOG_SCHEME
from agents.stream_log import LogLine, read_log
from agents.stream_offset import offset_of
from agents.streaming.recording import Beginning, Gap, Recorder, Recovered
from anet.media.interface import Described

STREAM = "http://radio.example/live"
BEGAN = 1_795_000_000.0
HEAD = b"ICY 200 OK\r\nicy-name: Radio \xe9\r\ncontent-type: audio/mpeg\r\n\r\n"
DESCRIBED = Described(
    url="http://relay.example:8000/live",
    protocol="icy",
    head=HEAD,
    media_type="audio/mpeg",
    address="192.0.2.1:8000",
    name="Radio é",
    bitrate=128,
    request=b"GET /live HTTP/1.0\r\nIcy-MetaData: 1\r\nCookie: secret\r\n\r\n",
)


class AtOnce:
    """Workers that do what they are told before they return."""

    def run(self, job: Any, *args: Any) -> "Deferred[Any]":
        """Do a job."""
        try:
            return succeed(job(*args))
        except Exception:
            return fail()


class InLine:
    """Workers that do one job each time they are told to."""

    def __init__(self) -> None:
        self._jobs: deque[tuple[Deferred[Any], Any, Any]] = deque()

    def run(self, job: Any, *args: Any) -> "Deferred[Any]":
        """Put a job into the line."""
        self._jobs.append((Deferred(), job, args))
        return self._jobs[-1][0]

    def step(self) -> None:
        """Do the first."""
        deferred, job, args = self._jobs.popleft()
        deferred.callback(job(*args))


def done(coroutine: "Coroutine[Any, Any, Any]") -> Any:
    """Return the result of a coroutine that waits for nothing."""
    found: list[Any] = []
    deferred = Deferred.fromCoroutine(coroutine)
    deferred.addBoth(found.append)
    if hasattr(found[0], "raiseException"):
        found[0].raiseException()
    return found[0]


class Tape:
    """A recorder in a folder, and the captures that it gives to."""

    def __init__(
        self, folder: Path, clock: Clock | None = None, workers: Any = None, **options: Any
    ) -> None:
        self.clock = clock or Clock()
        if clock is None:  # each recorder in a folder an hour after the one before
            self.clock.advance(BEGAN + 3600 * len(list(folder.glob("streaming-1-*"))))
        workers = workers or AtOnce()
        self.folder = folder
        self.open = folder / "streaming-1.open"
        self.captures = Captures(self.clock, workers, folder, "streaming-1", "streams", 0.0, 10**9)
        self.recorder = Recorder(self.clock, workers, self.open, self.captures, **options)

    def beginning(self, stream: str = STREAM, gap: Gap | None = None) -> Beginning:
        """Return what is known of a stream that begins now."""
        return Beginning(stream, "radio.example", DESCRIBED, self.clock.seconds(), gap=gap)

    def flush(self) -> None:
        """Flush after a second."""
        self.clock.advance(1.0)
        done(self.recorder.flush())

    def settle(self) -> None:
        """Flush when all is due, and have the directory finished."""
        self.clock.advance(60.0)
        done(self.recorder.flush())
        done(self.captures.sync())

    def recover(self) -> list[Recovered]:
        """Make whole what another recorder left."""
        found: list[Recovered] = done(self.recorder.look())
        done(self.recorder.recover())
        self.settle()
        done(self.captures.recover())
        return found


@contextmanager
def no_syncs() -> Iterator[None]:
    """Do not wait for disks, where no power fails."""
    with pytest.MonkeyPatch.context() as patched:
        for module in ("agents.streaming.recording.writing", "agents.collected.finishing"):
            name = "sync_file_system" if module.endswith("writing") else "sync_path"
            patched.setattr(f"{module}.{name}", lambda _: None)
        yield


class Kept:
    """What is in the whole directories of a folder.

    Attributes:
        captures: by URL, in the order of their dates.
    """

    def __init__(self, folder: Path) -> None:
        self.captures: dict[str, list[Capture]] = defaultdict(list)
        self._contents: dict[str, bytes] = {}
        for path in sorted(folder.glob("streaming-1-*")):
            CrawlFolder(path).check()
            batch = read_batch(path / "structure", 0, 10**6, 10**9)
            assert not batch.damaged
            for each in batch.captures:
                self.captures[each.url].append(each)
                self._contents[each.content] = Path(
                    CrawlFolder(path).content(each.content)
                ).read_bytes()
        for found in self.captures.values():
            found.sort(key=lambda each: each.date)
        for key, content in self._contents.items():
            assert sha256(content).hexdigest() == key

    def contents(self, url: str = STREAM) -> list[bytes]:
        """Return the contents of a stream, in their order, after a look at its captures."""
        found: list[str] = []
        dates = [each.date for each in self.captures[url]]
        assert len(set(dates)) == len(dates)
        last = (0, 0)
        for each in self.captures[url]:
            offset = offset_of(each.metadata)
            assert offset is not None
            assert each.size == len(self._contents[each.content])
            place = (offset.milliseconds, offset.byte)
            if place == (0, 0) and (not found or last[1] > 0):
                found.append(each.content)
                last = (0, 0)
            assert each.content == found[-1]
            assert last[0] <= place[0] and last[1] <= place[1] <= each.size
            last = place
            if offset.byte < each.size:
                continue
        return [self._contents[key] for key in found]

    def logs(self, url: str = STREAM) -> list[list[LogLine]]:
        """Return the logs of a stream, in their order."""
        found = self.captures[LOG_SCHEME + url]
        return [list(read_log(self._contents[each.content])) for each in found]
