"""Real servers and a whole archive in real processes, for the tests of this folder."""

import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.request import urlopen

import pytest

BIN = Path(sys.executable).parent
CHECKER = Path(__file__).parent.parent / "checker.py"
AGENTS = 10  # of the default tree: eight agents and two crawlers of the nursery
DOCUMENTATION = Path("/usr/share/doc/python3.11/html")


def free_ports(count: int) -> int:
    """Return the first of `count` ports in a row of which none is in use."""
    for base in range(20000 + os.getpid() % 10000, 60000, count):
        try:
            with closing(socket.create_server(("127.0.0.1", base))):
                pass
            for port in range(base, base + count):
                with closing(socket.socket()) as probe:
                    probe.bind(("127.0.0.1", port))
        except OSError:
            continue
        return base
    raise RuntimeError("no free ports")


def wait_for(condition, what: str, seconds: float = 120.0, pause: float = 0.05):
    """Return what `condition` returns once it is true; it is asked after each pause."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if value := condition():
            return value
        time.sleep(pause)
    raise AssertionError(f"waited {seconds:g} seconds for {what}")


class Nginx:
    """nginx from Debian, serving a folder on loopback, maybe at so many requests a second.

    Args:
        folder: what is served.
        work: for nginx itself.
        rate: such as "500r/s".
        http: more of its configuration.
    """

    def __init__(self, folder: Path, work: Path, rate: str = "", http: str = "") -> None:
        self.folder = folder
        self._work = work
        self.port = free_ports(1)
        zone = f"limit_req_zone $server_port zone=slow:1m rate={rate};" if rate else ""
        limit = "limit_req zone=slow burst=100000;" if rate else ""
        work.mkdir(parents=True, exist_ok=True)
        configuration = work / "nginx.conf"
        configuration.write_text(
            f"""
            daemon off; pid {work}/nginx.pid; error_log {work}/error.log; worker_processes 1;
            {"user root;" if os.getuid() == 0 else ""}
            events {{ worker_connections 256; }}
            http {{
              {zone} {http} include /etc/nginx/mime.types; access_log {work}/access.log;
              client_body_temp_path {work}/b; proxy_temp_path {work}/p;
              fastcgi_temp_path {work}/f; uwsgi_temp_path {work}/u; scgi_temp_path {work}/s;
              keepalive_requests 1000;
              server {{ listen 127.0.0.1:{self.port}; root {folder}; {limit} }}
            }}"""
        )
        self._process = subprocess.Popen(
            ["/usr/sbin/nginx", "-c", str(configuration), "-p", str(work)]
        )
        wait_for(self._answers, "nginx")

    @property
    def url(self) -> str:
        """The address of the folder."""
        return f"http://127.0.0.1:{self.port}/"

    def requests(self) -> list[str]:
        """Return the path of each request that a browser has made so far."""
        lines = (self._work / "access.log").read_text().splitlines()
        return [line.split()[6] for line in lines if "HeadlessChrome" in line]

    def _answers(self) -> bool:
        with closing(socket.socket()) as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def stop(self) -> None:
        """End the server."""
        self._process.terminate()
        self._process.wait(60)


class Archive:
    """An archive that runs in processes of its own, with some variables in their environment."""

    def __init__(
        self, directory: Path, configuration: str = "", environment: dict[str, str] | None = None
    ) -> None:
        self.directory = directory
        self._environment = {**os.environ, **(environment or {})}
        self.base = free_ports(100)
        directory.mkdir(parents=True, exist_ok=True)
        self._configuration = directory / "archive.yaml"
        self.configure(configuration)
        self.start()

    def configure(self, configuration: str) -> None:
        """Write what the tree is told when it starts."""
        self._configuration.write_text(configuration or "{}\n")

    def start(self) -> None:
        """Start the tree."""
        self._log = (self.directory / "supervisor.log").open("ab")
        self._process = subprocess.Popen(
            [
                BIN / "twistd",
                "--nodaemon",
                f"--pidfile={self.directory}/twistd.pid",
                "archive",
                *self.options,
            ],
            stdout=self._log,
            stderr=self._log,
            cwd=self.directory,
            env=self._environment,
        )

    def kill_supervisor(self) -> None:
        """Kill the process that keeps the others."""
        self._process.kill()
        self._process.wait()

    @staticmethod
    def runs(pid: int) -> bool:
        """Tell whether a process is there and not merely unreaped."""
        try:
            return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
        except FileNotFoundError:
            return False

    @property
    def options(self) -> list[str]:
        """What tells a command which archive."""
        return [
            f"--config={self._configuration}",
            f"--archive={self.directory}",
            f"--base-port={self.base}",
        ]

    def command(self, *words: str, timeout: float = 300) -> subprocess.CompletedProcess[bytes]:
        """Run a dlweb command on this archive."""
        verb, *rest = words
        return subprocess.run(
            [BIN / "dlweb", verb, *self.options, *rest],
            capture_output=True,
            timeout=timeout,
            check=False,
        )

    def collect(self, *urls: str, timeout: float = 300) -> dict:
        """Collect sites, wait until they are deposited, and return the summary."""
        done = self.command("run", "--once", "--json", "--delay=0", *urls, timeout=timeout)
        assert done.returncode == 0, done.stderr.decode() + done.stdout.decode()
        return json.loads(done.stdout.decode().strip().splitlines()[-1])

    def start_collecting(self, *urls: str) -> "subprocess.Popen[bytes]":
        """Begin to collect sites."""
        return subprocess.Popen(
            [BIN / "dlweb", "run", *self.options, "--once", "--json", "--delay=0", *urls],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def hip(self, *words: str) -> subprocess.CompletedProcess[bytes]:
        """Run a hip command on the scheduler."""
        return subprocess.run(
            [BIN / "hip", "--to", f"127.0.0.1:{self.base}", *words],
            capture_output=True,
            timeout=60,
            check=False,
        )

    def tree(self) -> dict:
        """Return the tree of agents, or nothing while it does not answer."""
        import yaml

        done = self.hip("call", "hip.tree")
        return yaml.safe_load(done.stdout) if done.returncode == 0 else {}

    def agents(self) -> dict[str, dict]:
        """Return the agents that answer, by name."""
        found: dict[str, dict] = {}

        def note(branch: dict) -> None:
            if branch.get("pid"):
                found[branch["name"]] = branch
            for below in branch.get("slaves", []):
                note(below)

        if tree := self.tree():
            note(tree)
        return found

    def wait_until_whole(self) -> dict[str, dict]:
        """Wait until every agent of the default tree answers."""

        def whole() -> dict[str, dict]:
            agents = self.agents()
            return agents if len(agents) >= AGENTS else {}

        self._whole = wait_for(whole, "the whole tree")
        return self._whole

    def kill(self, name: str) -> None:
        """Kill an agent with signal 9, at once: its process was learned before."""
        os.kill(self._whole[name]["pid"], signal.SIGKILL)

    @property
    def storage(self) -> list[Path]:
        """The disks of the storage nodes."""
        return sorted(path.parent for path in self.directory.glob("storage-*/layout"))

    def check(self) -> list[dict]:
        """Let the independent checker judge the plain files; return every capture."""
        done = self._checker()
        assert done.returncode == 0, done.stdout.decode()[-3000:] + done.stderr.decode()[-3000:]
        return _captures(done.stdout)

    def answers(self) -> dict[str, int]:
        """Return how many requests the proxy has answered, by how."""
        with urlopen(f"http://127.0.0.1:{self.base + 7}/status.json", timeout=10) as answer:
            return json.load(answer)["outcomes"]

    def check_alive(self) -> list[dict]:
        """Return every capture of an archive that is being written to."""
        return _captures(self._checker().stdout)

    def _checker(self) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [sys.executable, CHECKER, "--captures", *self.storage], capture_output=True, check=False
        )

    def get(self, url: str, method: str = "GET", **headers: str) -> tuple[int, list, bytes]:
        """Ask the proxy; return status, header fields and body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.base + 6, timeout=30)
        try:
            connection.request(
                method, url, headers={k.replace("_", "-"): v for k, v in headers.items()}
            )
            answer = connection.getresponse()
            return answer.status, answer.getheaders(), answer.read()
        finally:
            connection.close()

    def listen(self, url: str, size: int, **headers: str) -> tuple[dict[str, str], bytes]:
        """Ask the proxy for what has no end; return header fields and the first bytes."""
        connection = http.client.HTTPConnection("127.0.0.1", self.base + 6, timeout=30)
        try:
            given = {name.replace("_", "-"): text for name, text in headers.items()}
            connection.request("GET", url, headers=given)
            answer = connection.getresponse()
            return dict(answer.getheaders()), answer.read(size)
        finally:
            connection.close()

    def stop(self) -> None:
        """Stop the tree as an operator would; nothing may be left."""
        pids = [agent["pid"] for agent in self.agents().values()]
        self._process.send_signal(signal.SIGINT)
        self._process.wait(120)
        wait_for(lambda: not any(self.runs(pid) for pid in pids), "all agents to end")
        self._log.close()


def _captures(output: bytes) -> list[dict]:
    return [json.loads(line) for line in output.splitlines() if line.startswith(b"{")]


@pytest.fixture(scope="module")
def documentation(tmp_path_factory) -> Iterator[Nginx]:
    """A copy of Python's documentation, served by nginx."""
    folder = tmp_path_factory.mktemp("documentation") / "html"
    shutil.copytree(DOCUMENTATION, folder, ignore_dangling_symlinks=True)
    nginx = Nginx(folder, tmp_path_factory.mktemp("nginx"))
    yield nginx
    nginx.stop()


@pytest.fixture(scope="module")
def archive(tmp_path_factory) -> Iterator[Archive]:
    """A whole archive."""
    archive = Archive(tmp_path_factory.mktemp("archive"))
    try:
        archive.wait_until_whole()
        yield archive
    finally:
        archive.stop()
