"""Television that is on the air while a test runs: HLS or DASH of ffmpeg behind Debian's nginx.

    with Nginx(folder) as nginx, Channel(nginx.root / "one", "hls-ts") as channel:
        ... follow nginx.url("/one/live.m3u8") ...
        nginx.stop()  # an outage: the encoder goes on
        nginx.start()
        channel.stop()  # and the encoder begins anew
        channel.start()
    assert picture_hashes(joined) == ...

The picture counts its frames, and the sound is a tone that changes each second; so each segment is
another one. What was encoded is kept in `channel.encoded`, also once it has left the manifests.
"""

import shutil
import subprocess
import threading
import time
from pathlib import Path
from typing import Self

import pytest

from tests.anet.servers import free_port, listening

NGINX = shutil.which("nginx") or "/usr/sbin/nginx"

needs_television = pytest.mark.skipif(
    shutil.which("ffmpeg") is None or not Path(NGINX).exists(),
    reason="there is no ffmpeg, or no nginx",
)

SEGMENT = 0.5  # seconds of a segment
_LISTED = 6  # segments in a manifest
_RATE = 10  # frames a second

_CONFIG = """
daemon off; master_process off; error_log {folder}/error.log; pid {folder}/pid;
events {{ }}
http {{
  types {{ application/vnd.apple.mpegurl m3u8; application/dash+xml mpd; video/mp2t ts;
          video/mp4 mp4 m4s; audio/aac aac; }}
  access_log {folder}/access.log;
  client_body_temp_path {folder}/1; proxy_temp_path {folder}/2; fastcgi_temp_path {folder}/3;
  uwsgi_temp_path {folder}/4; scgi_temp_path {folder}/5;
  server {{
    listen 127.0.0.1:{port}; root {folder}/root;
    location = /moved.m3u8 {{ return 302 /one/live.m3u8; }}
    location = /time {{ return 200 $date_now; }}
  }}
  map $time_iso8601 $date_now {{ default $time_iso8601; }}
}}
"""

_PICTURE = f"testsrc2=size=96x64:rate={_RATE}"
_SOUND = "aevalsrc='0.4*sin(2*PI*(300+20*mod(floor(t),200))*t)':s=44100"
_EACH = round(_RATE * SEGMENT)  # pictures in a segment
_VIDEO = f"-c:v libx264 -preset ultrafast -g {_EACH} -keyint_min {_EACH} -sc_threshold 0"
_ENCODED = f"-map 0:v -map 1:a {_VIDEO} -c:a aac"
_HLS = (
    f"-f hls -hls_time {SEGMENT} -hls_list_size {_LISTED} -hls_delete_threshold 2 "
    "-hls_flags delete_segments+temp_file+program_date_time"
)
_FMP4 = "-hls_segment_type fmp4 -hls_fmp4_init_filename init.mp4"
_DASH = (  # by numbers, segments are there as the clock says: longer than an encoder may be late
    f"-f dash -seg_duration {SEGMENT} -window_size 40 -extra_window_size 20 "
    "-utc_timing_url {time} -init_seg_name i$RepresentationID$.m4s "
    "-media_seg_name s$RepresentationID$-$Number%05d$.m4s"
)

# Of each kind of channel: what ffmpeg makes it with, and the name of its manifest.
_KINDS = {
    "hls-ts": (f"{_ENCODED} {_HLS} -hls_segment_filename s%05d.ts", "live.m3u8"),
    "hls-fmp4": (f"{_ENCODED} {_HLS} {_FMP4} -hls_segment_filename s%05d.m4s", "live.m3u8"),
    "hls-key": (
        f"{_ENCODED} {_HLS} -hls_key_info_file key.info -hls_segment_filename s%05d.ts",
        "live.m3u8",
    ),
    "hls-audio": (
        f"-map 1:a -c:a aac -b:a 64k {_HLS} -hls_segment_filename s%05d.aac",
        "live.m3u8",
    ),
    "hls-master": (
        f"-map 0:v -map 1:a -map 0:v -map 1:a {_VIDEO} -b:v:0 200k -b:v:1 60k -c:a aac {_HLS} "
        "-var_stream_map v:0,a:0~v:1,a:1 -master_pl_name master.m3u8 "
        "-hls_segment_filename v%v-%05d.ts",
        "v%v.m3u8",
    ),
    "dash": (f"{_ENCODED} {_DASH}", "live.mpd"),
    "dash-number": (f"{_ENCODED} -use_timeline 0 {_DASH}", "live.mpd"),
}
KEY = bytes(range(16))


class Nginx:
    """A web server on a free port of this machine, which can be killed and started again.

    Attributes:
        root: what is in this folder is served.
    """

    def __init__(self, folder: Path) -> None:
        """Write its configuration."""
        self.root = folder / "root"
        self.root.mkdir()
        self._folder, self._port = folder, free_port()
        self._config = folder / "nginx.conf"
        self._config.write_text(_CONFIG.format(folder=folder, port=self._port))
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        """Start it, and wait until it answers."""
        command = [NGINX, "-c", str(self._config), "-e", str(self._folder / "error.log")]
        self._process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        listening(self._port)

    def stop(self) -> None:
        """Kill it."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def url(self, path: str) -> str:
        """Return where something is served."""
        return f"http://127.0.0.1:{self._port}{path}"

    def asked(self) -> list[tuple[str, int]]:
        """Return what was asked for so far, and what was answered."""
        lines = (self._folder / "access.log").read_text().splitlines()
        parts = [line.split('"') for line in lines]
        return [(each[1].split()[1], int(each[2].split()[0])) for each in parts]


class Channel:
    """An encoder, which makes a channel in its own time.

    Attributes:
        manifest: the name of its manifest, in its folder.
        encoded: all segments that it made, by name; of a name that was used again, the last.
        manifests: all that its manifest was, in its order.
    """

    def __init__(self, folder: Path, kind: str, time_url: str = "http://127.0.0.1/time") -> None:
        """Prepare it.

        Args:
            folder: into which it writes; served by nginx.
            kind: "hls-ts", "hls-fmp4", "hls-key", "hls-audio", "hls-master", "dash" or
                "dash-number".
            time_url: what DASH names as its clock.
        """
        how, name = _KINDS[kind]
        self.manifest = "master.m3u8" if kind == "hls-master" else name
        self.encoded: dict[str, bytes] = {}
        self.manifests: list[bytes] = []
        self._folder, self._how, self._name = folder, how.replace("{time}", time_url), name
        folder.mkdir()
        (folder / "key.bin").write_bytes(KEY)
        (folder / "key.info").write_text("key.bin\nkey.bin\n")
        self._encoder: subprocess.Popen[bytes] | None = None
        self._watcher: threading.Thread | None = None
        self._watching = False

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self, **more: str) -> None:
        """Begin to encode; return once there is a manifest.

        Args:
            more: further options of ffmpeg, without their dash.
        """
        options = [text for name, value in more.items() for text in (f"-{name}", value)]
        how = [each.replace("~", " ") for each in self._how.split()]
        sources = ["-re", "-f", "lavfi", "-i", _PICTURE, "-re", "-f", "lavfi", "-i", _SOUND]
        command = ["ffmpeg", "-nostdin", "-v", "error", "-y", *sources, *how, *options, self._name]
        self._encoder = subprocess.Popen(command, cwd=self._folder)
        self._watching = True
        self._watcher = threading.Thread(target=self._watch)
        self._watcher.start()
        for _ in range(500):
            if (self._folder / self.manifest).exists() and self.encoded:
                return
            time.sleep(0.02)
        raise AssertionError("ffmpeg writes no manifest")

    def stop(self, *, gently: bool = False) -> None:
        """End it: as a crash does, or so that its manifest says that it is over."""
        encoder, self._encoder = self._encoder, None
        if encoder is None:
            return
        if gently:
            encoder.terminate()
        else:
            encoder.kill()
        encoder.wait(20)
        self._watching = False
        assert self._watcher is not None
        self._watcher.join()

    def seen(self, count: int) -> None:
        """Wait until it has made so many segments in all."""
        for _ in range(1500):
            if len(self.encoded) >= count:
                return
            time.sleep(0.02)
        raise AssertionError(f"ffmpeg made {len(self.encoded)} segments, and not {count}")

    def _watch(self) -> None:
        """Note all that it makes, before it is deleted."""
        while True:
            watching = self._watching
            for path in self._folder.iterdir():
                if path.suffix in (".ts", ".m4s", ".aac", ".mp4"):
                    self._note(path)
            self._note_manifest()
            if not watching:
                return
            time.sleep(0.05)

    def _note(self, path: Path) -> None:
        try:
            self.encoded[path.name] = path.read_bytes()
        except FileNotFoundError:  # deleted meanwhile
            return

    def _note_manifest(self) -> None:
        try:
            body = (self._folder / self._name.replace("%v", "0")).read_bytes()
        except FileNotFoundError:
            return
        if body and (not self.manifests or self.manifests[-1] != body):
            self.manifests.append(body)


def picture_hashes(media: bytes) -> list[str]:
    """Return the MD5 of each decoded picture and each decoded stretch of sound, in their order."""
    done = subprocess.run(
        ["ffmpeg", "-v", "error", "-i", "pipe:0", "-f", "framemd5", "-"],
        input=media, stdout=subprocess.PIPE, check=True, timeout=60,
    )  # fmt: skip
    lines = done.stdout.decode().splitlines()
    parts = [line.split(",") for line in lines if not line.startswith("#")]
    return [f"{each[0]} {each[-1].strip()}" for each in parts]
