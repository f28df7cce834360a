"""A server of Windows Media over HTTP (MS-WMSP), which Debian has none of; it plays a file in ASF.

    with WindowsMedia(asf_file(folder / "live.asf", 10)) as server:
        ... listen to server.url("mms") ...

It is written by the public specification, and ffmpeg's own client is tested against it too.
"""

import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Self

import pytest

needs_ffmpeg = pytest.mark.skipif(not shutil.which("ffmpeg"), reason="there is no ffmpeg")

PACKET = 1600  # bytes
_DATA = bytes.fromhex("3626b2758e66cf11a6d900aa0062ce6c")


def asf_file(path: Path, seconds: float, pictures: bool = False) -> Path:
    """Write a file of Windows Media, with title and author; return its path."""
    inputs = ["-f", "lavfi", "-i", f"aevalsrc='0.4*sin(2*PI*(300+20*floor(t))*t)':d={seconds}"]
    if pictures:
        inputs += ["-f", "lavfi", "-i", f"testsrc=s=160x120:r=25:d={seconds}", "-c:v", "wmv2"]
    said = ["-metadata", "title=Radio News", "-metadata", "author=Somebody"]
    how = ["-c:a", "wmav2", "-b:a", "64k", *said, "-packet_size", str(PACKET), "-f", "asf"]
    command = ["ffmpeg", "-nostdin", "-v", "error", "-y", *inputs, *how, str(path)]
    subprocess.run(command, check=True, timeout=60)
    return path


def split(asf: bytes) -> tuple[bytes, list[bytes]]:
    """Return the header of a file, with the beginning of its data, and its packets."""
    begin = asf.index(_DATA) + 50
    length = int.from_bytes(asf[begin - 34 : begin - 26], "little")
    end = begin - 50 + length if length > 50 else len(asf)
    places = range(begin, min(end, len(asf)) - PACKET + 1, PACKET)
    return asf[:begin], [asf[at : at + PACKET] for at in places]


def chunk(letter: bytes, data: bytes, number: int = 0, flags: int = 0x0C) -> bytes:
    """Return a chunk as it is sent."""
    if letter in b"HD":
        length = (len(data) + 8).to_bytes(2, "little")
        data = number.to_bytes(4, "little") + bytes([0, flags]) + length + data
    return b"$" + letter + len(data).to_bytes(2, "little") + data


class WindowsMedia:
    """A server on a free port of loopback.

    Attributes:
        asked: the heads of all requests.
        features: what it says of what it plays.
        is_picky: whether only its own players get it; others get a playlist.
    """

    def __init__(self, path: Path, *, speed: float = 1.0, features: str = "broadcast") -> None:
        """Prepare it; `speed` is how many times as fast as in real time it plays."""
        self.asked: list[str] = []
        self.header, self.packets = split(path.read_bytes())
        self._speed, self.features, self.is_picky = speed, features, True
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.media = self
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def url(self, scheme: str = "mms") -> str:
        """Return where it is."""
        return f"{scheme}://127.0.0.1:{self._server.server_address[1]}/live"

    def playing(self) -> Iterator[bytes]:
        """Yield chunks when they are due; a packet says when it is."""
        yield chunk(b"H", self.header)
        began = time.monotonic()
        for number, packet in enumerate(self.packets):
            due = int.from_bytes(packet[_stamp_at(packet) :][:4], "little") / 1000 / self._speed
            time.sleep(max(0.0, began + due - time.monotonic()))
            yield chunk(b"D", packet.rstrip(b"\0"), number)
        yield chunk(b"E", bytes(4))


def _stamp_at(packet: bytes) -> int:
    """Return where the send time of a packet is: behind its flags and lengths."""
    place = 3 if packet[0] & 0x80 else 0
    sizes = (0, 1, 2, 4)
    return place + 2 + sum(sizes[packet[place] >> shift & 3] for shift in (1, 3, 5))


class _Server(ThreadingHTTPServer):
    media: WindowsMedia
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Listeners may hang up."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        media = self.server.media
        media.asked.append(f"{self.requestline}\r\n{self.headers}")
        pragmas = ",".join(self.headers.get_all("Pragma", []))
        player = self.headers.get("User-Agent", "").startswith("NSPlayer/")
        if media.is_picky and not player:
            self._begin("video/x-ms-asf")
            self.wfile.write(
                f'<ASX version="3"><Entry><Ref href="{media.url()}"/></Entry></ASX>'.encode()
            )
        elif "xPlayStrm=1" in pragmas:
            self._begin("application/x-mms-framed")
            for each in media.playing():
                self.wfile.write(each)
        else:
            self._begin("application/vnd.ms.wms-hdr.asfv1")
            self.wfile.write(chunk(b"H", media.header))

    def _begin(self, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Pragma", f'no-cache,client-id=1,features="{self.server.media.features}"')
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""
