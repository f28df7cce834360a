"""A radio that is on the air while a test runs: Debian's Icecast, fed by ffmpeg.

    tone = tone_file(folder / "tone.mp3", 30)
    with Icecast(folder) as icecast, Feed(icecast, "/tone.mp3", tone) as feed:
        icecast.title("/tone.mp3", "Somebody - Something")
        ... listen to icecast.url("/tone.mp3") ...
        feed.break_off()  # an outage
        feed.go_on()
    assert kept in feed.sent

What is on the air is a tone that is another one each second, so that any part of it says where it
comes from (`second_of`).
"""

import base64
import itertools
import os
import shutil
import socket
import subprocess
import threading
import time
import urllib.parse
import urllib.request
from array import array
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

import pytest
from attrs import frozen

needs_radio = pytest.mark.skipif(
    not all(shutil.which(program) for program in ("icecast2", "ffmpeg")),
    reason="there is no icecast2, or no ffmpeg",
)

SCALE = 200  # seconds after which the tones begin again
_LOWEST, _STEP, _RATE = 300, 20, 22050  # Hz
_PASSWORD = "on-the-air"  # noqa: S105 (of a server on loopback)

# Of each kind of file: what ffmpeg makes it with, and its type for Icecast.
_KINDS = {
    ".mp3": ("-c:a libmp3lame -write_xing 0 -id3v2_version 0 -f mp3", "audio/mpeg"),
    ".aac": ("-c:a aac -f adts", "audio/aac"),
    ".ogg": ("-c:a libvorbis -f ogg", "application/ogg"),
    ".opus": ("-c:a libopus -f ogg", "application/ogg"),
    ".oga": ("-c:a flac -f ogg", "application/ogg"),
    ".webm": ("-c:a libopus -live 1 -f webm", "audio/webm"),
    ".wav": ("-c:a pcm_s16le -f wav", "audio/wav"),
}
_COPIED = {
    ".mp3": "-write_xing 0 -id3v2_version 0 -f mp3",
    ".aac": "-f adts",
    ".webm": "-live 1 -f webm",
}


# The signal


def tone_file(path: Path, seconds: float, kilobits: int = 128, title: str = "") -> Path:
    """Write a file of tones, encoded as its suffix says; return its path.

    Second n of it has `_LOWEST + _STEP * (n % SCALE)` whole oscillations.
    """
    frequency = f"({_LOWEST}+{_STEP}*mod(floor(t),{SCALE}))"
    wave = f"0.4*sin(2*PI*{frequency}*t)"
    source = f"aevalsrc='{wave}|{wave}':d={seconds}"
    rate = "48000" if path.suffix in (".opus", ".webm") else "44100"
    how = [*_KINDS[path.suffix][0].split(), "-b:a", f"{kilobits}k"]
    if title:
        how += ["-metadata", f"title={title}"]
    _ffmpeg("-f", "lavfi", "-i", f"{source}:s={rate}", *how, str(path))
    return path


def sound(media: Path | bytes) -> "array[int]":
    """Return the samples of what is heard, `_RATE` a second, from whatever it is encoded in."""
    how = ["-vn", "-ac", "1", "-ar", str(_RATE), "-f", "s16le", "-"]
    return array("h", _ffmpeg(*_input(media), *how, media=media))


def second_of(samples: "array[int]", at: float) -> int:
    """Tell which second of the signal is heard `at` seconds into `samples`, modulo `SCALE`."""
    part = samples[int(at * _RATE) : int((at + 0.2) * _RATE)]
    crossings = sum((one < 0) != (other < 0) for one, other in itertools.pairwise(part))
    return round((crossings / 2 / (len(part) / _RATE) - _LOWEST) / _STEP)


# Judging what was kept


def decodes(media: Path | bytes) -> str:
    """Return what ffmpeg complains of when it decodes this; "" when it finds no error."""
    done = subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-xerror", *_input(media), "-f", "null", "-"],
        input=media if isinstance(media, bytes) else None,
        capture_output=True,
        timeout=60,
    )
    said = done.stderr.decode(errors="replace")
    return said or ("" if done.returncode == 0 else f"ffmpeg ended with {done.returncode}")


@frozen
class Frame:
    """A packet of media, or a decoded frame: seconds, bytes, MD5."""

    seconds: float
    size: int
    md5: str


def frames(media: Path | bytes, decoded: bool = False) -> list[Frame]:
    """Return the packets of the sound, as they are or decoded, in their order."""
    how = ["-vn", *([] if decoded else ["-c", "copy"]), "-f", "framemd5", "-"]
    base, found = 0.0, []
    for line in _ffmpeg(*_input(media), *how, media=media).decode().splitlines():
        if line.startswith("#tb 0:"):
            count, _, of = line.removeprefix("#tb 0:").partition("/")
            base = int(count) / int(of)
        elif not line.startswith("#"):
            _, _, _, ticks, size, md5 = line.split(",")[:6]
            found.append(Frame(int(ticks) * base, int(size), md5.strip()))
    return found


def frame_hashes(media: Path | bytes, decoded: bool = False) -> list[str]:
    """Return the MD5 of each packet of the sound, as it is or decoded."""
    return [frame.md5 for frame in frames(media, decoded)]


def duration(media: Path | bytes) -> float:
    """Return the seconds of sound in it, packet for packet."""
    return sum(frame.seconds for frame in frames(media))


def fingerprint(media: Path) -> list[int]:
    """Return the acoustic fingerprint (Chromaprint): a number for each eighth of a second."""
    command = ["fpcalc", "-raw", "-plain", "-ignore-errors", "-length", "0", str(media)]
    done = subprocess.run(command, capture_output=True, check=True, timeout=60)
    return [int(number) for number in done.stdout.split(b",")]


def _input(media: Path | bytes) -> list[str]:
    return ["-i", str(media) if isinstance(media, Path) else "pipe:0"]


def _ffmpeg(*arguments: str, media: Path | bytes = b"") -> bytes:
    return subprocess.run(
        ["ffmpeg", "-v", "error", "-y", *arguments],
        input=media if isinstance(media, bytes) else None,
        stdin=subprocess.DEVNULL if isinstance(media, Path) else None,
        stdout=subprocess.PIPE,
        check=True,
        timeout=120,
    ).stdout


# The server


class Icecast:
    """Icecast on a free port of this machine."""

    def __init__(
        self, folder: Path, *, burst: int = 65536, listeners: int = 100, charset: str = "UTF-8"
    ) -> None:
        """Write its configuration.

        Args:
            folder: where configuration and log are, under names of their own.
            burst: bytes that a listener gets at once, of what was sent before it came.
            listeners: at most.
            charset: of titles; what it has not comes as HTML has it.
        """
        self.port = _free_port()
        self.log = folder / f"icecast-{self.port}.log"
        self._file = folder / f"icecast-{self.port}.xml"
        self._file.write_text(_configuration(self.port, burst, listeners, charset))
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        """Start it, and wait until it answers."""
        with self.log.open("ab") as log:
            command = ["icecast2", "-c", str(self._file)]
            self._process = subprocess.Popen(command, stdout=log, stderr=log)
        _wait_until(self._answers, lambda: self.log.read_text(errors="replace"))

    def stop(self) -> None:
        """Kill it: listeners and feeds are cut off."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def url(self, mount: str) -> str:
        """Return where listeners find a mount, as "/tone.mp3"; with ".m3u" its playlist."""
        return f"http://127.0.0.1:{self.port}{mount}"

    def title(self, mount: str, title: str) -> None:
        """Say what is on the air: by ICY, where listeners ask for it.

        Icecast tells it of Vorbis too, by beginning a new chain: its pages are then not those of
        the feed any more. Of Opus and FLAC it cannot; their titles are those of the files.
        """
        query = {"mount": mount, "mode": "updinfo", "song": title, "charset": "UTF-8"}
        self._get("/admin/metadata?" + urllib.parse.urlencode(query))

    def listeners(self, mount: str) -> int:
        """Return how many listen to a mount now."""
        return self._get(f"/admin/listclients?mount={mount}").count(b"<IP>")

    def _get(self, target: str) -> bytes:
        request = urllib.request.Request(self.url(target), headers={"Authorization": _basic()})
        with urllib.request.urlopen(request, timeout=10) as answer:
            return bytes(answer.read())

    def _answers(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0


class Feed:
    """Files that ffmpeg sends to a mount of Icecast in their own time, one after another, for ever.

    Each Ogg file begins a new chain, with its own title.

    Attributes:
        sent: all that Icecast was given, byte for byte, over all connections.
        connections: of each connection, where in `sent` it begins.
    """

    def __init__(
        self,
        icecast: Icecast,
        mount: str,
        *files: Path,
        speed: float = 1.0,
        **fields: str,
    ) -> None:
        """Prepare it.

        Args:
            icecast: where to.
            mount: under which name, as "/tone.mp3".
            files: what to send, all of one kind.
            speed: times as fast as real time.
            fields: what the server says of the station: `name`, `description`, `genre`, `url`.
        """
        self.sent = bytearray()
        self.connections: list[int] = []
        self._icecast, self._mount, self._speed, self._fields = icecast, mount, speed, fields
        self._files: Iterator[Path] = itertools.cycle(files)
        self._kind = files[0].suffix
        self._connection: socket.socket | None = None
        self._player: subprocess.Popen[bytes] | None = None
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        self.go_on()
        return self

    def __exit__(
        self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None
    ) -> None:
        self.break_off()

    def go_on(self) -> None:
        """Connect and send, with the next file; return when listeners may come."""
        self._connection = self._connect()
        self.connections.append(len(self.sent))
        self._thread = threading.Thread(target=self._send, args=(self._connection,))
        self._thread.start()
        begin = len(self.sent)
        _wait_until(lambda: len(self.sent) > begin, lambda: f"{self._mount}: nothing is sent")

    def break_off(self) -> None:
        """Hang up in the midst of it; Icecast sends its listeners away."""
        connection, self._connection = self._connection, None
        if connection is None:
            return
        if self._player is not None:
            self._player.kill()
        assert self._thread is not None
        self._thread.join()

    def _connect(self) -> socket.socket:
        connection = socket.create_connection(("127.0.0.1", self._icecast.port), timeout=10)
        head = [
            f"PUT {self._mount} HTTP/1.1",
            "Host: 127.0.0.1",
            f"Authorization: {_basic('source')}",
            f"Content-Type: {_KINDS[self._kind][1]}",
            *(f"ice-{name}: {said}" for name, said in self._fields.items()),
            "Expect: 100-continue",
        ]
        connection.sendall("\r\n".join([*head, "", ""]).encode())
        answer = connection.recv(4096)
        assert b" 100 " in answer or b" 200 " in answer, answer
        return connection

    def _send(self, connection: socket.socket) -> None:
        with connection:
            while self._connection is connection:
                with subprocess.Popen(self._command(), stdout=subprocess.PIPE) as self._player:
                    if not self._pass_on(self._player, connection):
                        return

    def _command(self) -> list[str]:
        how = ["-c", "copy", "-flush_packets", "1", *_COPIED.get(self._kind, "-f ogg").split()]
        pace = ["-readrate", str(self._speed), "-i", str(next(self._files))]
        return ["ffmpeg", "-nostdin", "-v", "error", *pace, *how, "-"]

    def _pass_on(self, player: subprocess.Popen[bytes], connection: socket.socket) -> bool:
        """Send what ffmpeg gives until it ends; tell whether the connection is still good."""
        assert player.stdout is not None
        while data := os.read(player.stdout.fileno(), 65536):
            try:
                connection.sendall(data)
            except OSError:
                player.kill()
                return False
            self.sent += data
            if self._connection is not connection:
                player.kill()
        return True


def _basic(user: str = "admin") -> str:
    return "Basic " + base64.b64encode(f"{user}:{_PASSWORD}".encode()).decode()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_until(done: Callable[[], bool], why: Callable[[], str]) -> None:
    for _ in range(500):
        if done():
            return
        time.sleep(0.02)
    raise AssertionError(why())


def _configuration(port: int, burst: int, listeners: int, charset: str) -> str:
    # Icecast does not run as root: started by root, it becomes its own user.
    owner = "<changeowner><user>icecast2</user><group>icecast</group></changeowner>"
    return f"""<icecast>
  <location>loopback</location> <admin>nobody@localhost</admin> <hostname>127.0.0.1</hostname>
  <limits>
    <clients>{listeners + 50}</clients> <sources>40</sources> <queue-size>1048576</queue-size>
    <source-timeout>10</source-timeout> <burst-size>{burst}</burst-size>
  </limits>
  <authentication>
    <source-password>{_PASSWORD}</source-password>
    <admin-user>admin</admin-user> <admin-password>{_PASSWORD}</admin-password>
  </authentication>
  <listen-socket> <port>{port}</port> <bind-address>127.0.0.1</bind-address> </listen-socket>
  <mount type="default"> <charset>{charset}</charset> </mount>
  <fileserve>0</fileserve>
  <paths>
    <logdir>/tmp</logdir>
    <webroot>/usr/share/icecast2/web</webroot> <adminroot>/usr/share/icecast2/admin</adminroot>
  </paths>
  <logging> <accesslog>-</accesslog> <errorlog>-</errorlog> <loglevel>2</loglevel> </logging>
  <security> <chroot>0</chroot> {owner if os.geteuid() == 0 else ""} </security>
</icecast>
"""
