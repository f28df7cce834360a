"""The servers of benchmarks/storage.py, each one process, over the same files."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple
from urllib.request import urlopen

from crawl_sites import free_ports

HERE = Path(__file__).parent
BIN = Path(sys.executable).parent
PATIENCE = 60.0  # seconds for a server to be ready
SECRET = "benchmark"


class Server(NamedTuple):
    """A server that runs.

    Attributes:
        pid: its process.
        port: where it listens.
        paths: of the files to GET.
        large: path of the large file, if it has it.
        header: what a PUT must show, if anything.
        backlog: a folder of what was acknowledged and is not made into files yet.
    """

    pid: int
    port: int
    paths: Sequence[str] = ()
    large: str = ""
    header: str = ""
    backlog: Path | None = None


class Files(NamedTuple):
    """What is served: a storage folder, with small contents and a large one."""

    root: Path
    keys: list[str]
    large: str


def write_files(root: Path, bundle: Path, large: int) -> Files:
    """Write a storage folder with the contents of a bundle, which then are in memory."""
    keys = []
    with bundle.open("rb") as file:
        while line := file.readline():
            key, size = line.decode().split()
            keys.append(key)
            _place(root, key).write_bytes(file.read(int(size)))
    (root / "layout").write_text("dlweb-storage 1\n")
    os.sync()
    return Files(root, keys, _write_large(root, large))


def _write_large(root: Path, size: int) -> str:
    piece, digest, draft = os.urandom(1 << 20), sha256(), root / "draft"
    with draft.open("wb") as file:
        for _ in range(size >> 20):
            file.write(piece)
            digest.update(piece)
    draft.rename(_place(root, digest.hexdigest()))
    return digest.hexdigest()


def _place(root: Path, key: str) -> Path:
    folder = root / "contents" / key[:2] / key[2:4]
    folder.mkdir(parents=True, exist_ok=True)
    return folder / key


@contextmanager
def running(command: Sequence[str | Path], log: Path, **more: object) -> Iterator[int]:
    """Run a process as long as the context lasts."""
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output, **more)  # type: ignore[call-overload]
    try:
        yield process.pid
    finally:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(30)
        process.kill()
        process.wait()


@contextmanager
def dlweb(files: Files, work: Path) -> Iterator[Server]:
    """Run a storage node over the folder; no master is there, and none is needed."""
    port = free_ports(1)
    archive = work / "archive"
    archive.mkdir()
    (archive / "secret").write_text(f"{SECRET}\n")
    (archive / "archive.yaml").write_text(
        f"storage-node: {{folder: '{files.root}', address: '127.0.0.1:{port}', multicast: false}}\n"
    )
    command = [
        BIN / "twistd", "--nodaemon", "--pidfile=", "storage-node", "--config",
        archive / "archive.yaml", "--archive", archive, "--base-port", str(free_ports(20)),
    ]  # fmt: skip
    with running(command, work / "dlweb.log") as pid:
        wait_for_port(port)
        _wait_until_surveyed(port, len(files.keys))
        paths = [f"/contents/{key}" for key in files.keys]
        large = f"/contents/{files.large}"
        header = f"Authorization: Bearer {SECRET}"
        yield Server(pid, port, paths, large, header, files.root / "journal")


def wait_for_port(port: int) -> None:
    """Wait until somebody listens."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        with closing(socket.socket()) as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    sys.exit(f"nothing listens at port {port}; its log is in the folder of the benchmark")


def _wait_until_surveyed(port: int, count: int) -> None:
    """Wait until the node knows what it holds."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        with urlopen(f"http://127.0.0.1:{port}/status") as answer:
            if json.load(answer)["contents"] >= count:
                return
        time.sleep(0.2)
    sys.exit("the storage node does not say what it holds")


@contextmanager
def nginx(files: Files, work: Path) -> Iterator[Server]:
    """Run nginx with one worker: files, WebDAV without any sync, and a redirect."""
    port = free_ports(1)
    root = work / "nginx"
    root.mkdir()
    (work / "dav").mkdir()
    (root / "nginx.conf").write_text(
        f"""daemon off; pid {root}/pid; error_log {root}/log; worker_processes 1;
        {"user root;" if os.geteuid() == 0 else ""}
        events {{ worker_connections 256; }}
        http {{ access_log off; keepalive_requests 100000000; sendfile on; tcp_nopush on;
          client_body_temp_path {work}/dav/temporary; client_body_buffer_size 64k;
          proxy_temp_path {root}/2; fastcgi_temp_path {root}/3; uwsgi_temp_path {root}/4;
          scgi_temp_path {root}/5; client_max_body_size 0;
          server {{ listen 127.0.0.1:{port}; root {files.root};
            location = /to {{ return 302 http://127.0.0.1/elsewhere; }}
            location /put/ {{ root {work}/dav; dav_methods PUT; create_full_put_path on; }} }} }}"""
    )
    with running(["nginx", "-c", root / "nginx.conf", "-p", root], root / "output") as pid:
        wait_for_port(port)
        paths = [f"/contents/{key[:2]}/{key[2:4]}/{key}" for key in files.keys]
        large = f"/contents/{files.large[:2]}/{files.large[2:4]}/{files.large}"
        yield Server(pid, port, paths, large)


@contextmanager
def twisted_web(files: Files, work: Path) -> Iterator[Server]:
    """Run twisted.web's File and Redirect."""
    log = work / "twisted.log"
    command = [sys.executable, HERE / "storage_twisted_web.py", files.root / "contents"]
    with running(command, log) as pid:
        paths = [f"/contents/{key[:2]}/{key[2:4]}/{key}" for key in files.keys]
        large = f"/contents/{files.large[:2]}/{files.large[2:4]}/{files.large}"
        yield Server(pid, _port_in(log), paths, large)


@contextmanager
def redirects(files: Files, work: Path) -> Iterator[Server]:
    """Run our HTTP server, which only redirects."""
    log = work / "redirects.log"
    with running([sys.executable, HERE / "storage_redirects.py"], log) as pid:
        yield Server(pid, _port_in(log))


def _port_in(log: Path) -> int:
    """Wait for the port that a server prints."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        said = log.read_text().split()
        if said:
            return int(said[0])
        time.sleep(0.05)
    sys.exit(f"{log.stem} does not start")


@contextmanager
def seaweedfs(files: Files, work: Path) -> Iterator[Server]:
    """Run SeaweedFS, master and volume server in one process, asked for objects natively."""
    weed = weed_command()
    assert weed is not None
    master = free_ports(2)
    volume = master + 1
    folder = work / "seaweedfs"
    folder.mkdir()
    command = [
        weed, "server", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", f"-dir={folder}",
        f"-master.port={master}", f"-master.port.grpc={free_ports(20)}",
        f"-volume.port={volume}", f"-volume.port.grpc={free_ports(20) + 1}", "-volume.max=30",
        "-master.telemetry=false",
    ]  # fmt: skip
    with running(command, work / "seaweedfs.log", cwd=folder) as pid:
        wait_for_port(volume)
        paths = assigned(master, len(files.keys))
        yield Server(pid, volume, paths, header=f"X-Master: {master}")


def assigned(master: int, count: int) -> list[str]:
    """Return paths that SeaweedFS's master gives to new objects."""
    deadline = time.monotonic() + PATIENCE
    while True:
        with suppress(OSError):
            with urlopen(f"http://127.0.0.1:{master}/dir/assign?count={count}") as answer:
                first = json.load(answer)
            if "fid" in first:
                return [f"/{first['fid']}_{number}" for number in range(count)]
        if time.monotonic() > deadline:
            sys.exit(f"SeaweedFS does not start: {first}")
        time.sleep(0.2)


def weed_command() -> str | None:
    """Return SeaweedFS's command, of this virtual environment or of the system."""
    return shutil.which("weed", path=f"{BIN}:{os.environ.get('PATH', '')}")
