"""A server of RTSP that is on the air while a test runs: GStreamer's, on files that ffmpeg made.

with Rtsp({"/radio": sound_of(folder / "tone.mp3")}) as server:
    ... listen to server.url("/radio") ...
"""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

import pytest

_PYTHON = "/usr/bin/python3"  # GStreamer's bindings are the system's
_BINDINGS = "*/girepository-1.0/GstRtspServer-1.0.typelib"

needs_rtsp = pytest.mark.skipif(
    not any(Path("/usr/lib").glob(_BINDINGS)) or not Path(_PYTHON).exists(),
    reason="there is no GStreamer with a server of RTSP",
)


def sound_of(path: Path, parse: str = "mpegaudioparse", pay: str = "rtpmpapay") -> str:
    """Return the pipeline that sends a file of sound, in its own time."""
    return f"filesrc location={path} ! {parse} ! {pay} name=pay0"


def pictures_and_sound_of(path: Path) -> str:
    """Return the pipeline that sends a transport stream of H.264 and AAC as two tracks."""
    pictures = "d. ! queue ! h264parse ! rtph264pay name=pay0 pt=96"
    sound = "d. ! queue ! aacparse ! rtpmp4gpay name=pay1 pt=97"
    return f"filesrc location={path} ! tsdemux name=d {pictures} {sound}"


def transport_stream_of(path: Path) -> str:
    """Return the pipeline that sends a transport stream as it is."""
    return f"filesrc location={path} ! tsparse set-timestamps=true ! rtpmp2tpay name=pay0"


class Rtsp:
    """A server on a free port of loopback.

    Args:
        mounts: what each path plays: a pipeline.
    """

    def __init__(self, mounts: Mapping[str, str]) -> None:
        self._mounts = [f"{path}={pipeline}" for path, pipeline in mounts.items()]
        self._process: subprocess.Popen[bytes] | None = None
        self._port = 0

    def __enter__(self) -> Self:
        script = str(Path(__file__).with_name("rtsp_server.py"))
        command = [_PYTHON, script, *self._mounts]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=sys.stderr)
        assert self._process.stdout is not None
        self._port = int(self._process.stdout.readline())
        return self

    def __exit__(
        self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None
    ) -> None:
        self.kill()

    def kill(self) -> None:
        """End it, in the midst of everything."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            assert self._process.stdout is not None
            self._process.stdout.close()
            self._process = None

    def url(self, path: str) -> str:
        """Return where a path is."""
        return f"rtsp://127.0.0.1:{self._port}{path}"
