"""The five sites collected into an archive of real processes, and looked at live and archived."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from select import select
from urllib.error import HTTPError
from urllib.request import urlopen

import yaml
from attrs import frozen
from chromium import Chromium
from comparing import Compared, Visit, compare, replayed, visit
from replay_sites import Web, hosts, served

BIN = Path(sys.executable).parent
NAMES = "*.test"
SPAN = 100  # ports of an archive
PATIENCE = 120.0  # seconds


@frozen
class Archive:
    """An archive that runs.

    Attributes:
        folder: where it is.
        base: the first of its ports.
    """

    folder: Path
    base: int

    @property
    def proxy(self) -> str:
        """Where its proxy is."""
        return f"127.0.0.1:{self.base + 6}"

    @property
    def replay(self) -> str:
        """Where it is read without its proxy; browsers take this machine for secure."""
        return f"http://localhost:{self.base + 96}"

    def collect(self, starts: list[str]) -> None:
        """Collect sites, and wait until they are deposited."""
        words = ["run", *_options(self.folder, self.base), "--once", "--json", "--delay=0"]
        done = subprocess.run(
            [BIN / "dlweb", *words, "--private-networks", *starts],
            capture_output=True, timeout=PATIENCE, check=False,
        )  # fmt: skip
        said = done.stderr.decode() + done.stdout.decode()
        if done.returncode or json.loads(said.splitlines()[-1])["failures"]:
            raise RuntimeError(said)


@contextmanager
def archive(folder: Path, base: int, engine: str | None = None) -> Iterator[Archive]:
    """Run an archive, whose crawlers know the names of the sites, as long as the context lasts.

    Args:
        folder: where it is to be.
        base: the first of a hundred free ports.
        engine: file of the replay engine, if pages are to be replayed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    settings = {"site-crawler": {"hosts": [hosts()]}, "consultation": {"replay_engine": engine}}
    (folder / "archive.yaml").write_text(yaml.safe_dump(settings))
    with (folder / "archive.log").open("ab") as log:
        process = subprocess.Popen(
            [
                BIN / "twistd", "--nodaemon", f"--pidfile={folder}/twistd.pid", "archive",
                *_options(folder, base),
            ],
            stdout=log, stderr=log,
        )  # fmt: skip
    try:
        _wait(lambda: answers(f"http://127.0.0.1:{base + 96}/web/sw.js"))
        yield Archive(folder, base)
    finally:
        process.terminate()
        process.wait(60)


def _options(folder: Path, base: int) -> list[str]:
    return [f"--config={folder}/archive.yaml", f"--archive={folder}", f"--base-port={base}"]


def answers(url: str) -> bool:
    """Tell whether something answers at a URL, be it with an error."""
    try:
        urlopen(url, timeout=5).close()
    except HTTPError:
        return True
    except OSError:
        return False
    return True


def _wait(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise RuntimeError("what was started does not answer; the logs in its folder say more")
        time.sleep(0.1)


@contextmanager
def collected(
    work: Path, browser: Chromium, base: int, engine: str | None = None
) -> Iterator[tuple[Archive, dict[str, Visit], "Trap"]]:
    """Serve the sites, look at them, collect them, and switch them off; then run the archive.

    Gives the archive, each page as it was live, and what notices who still asks for the sites.
    The two ports after the archive's are those of the sites.
    """
    with archive(work / "archive", base, engine) as running:
        with served(work, base + SPAN, base + SPAN + 1) as web:
            _wait(lambda: answers(f"http://127.0.0.1:{web.port}/"))
            running.collect(web.starts)
            live = seen(browser, web)
        with Trap(web) as trap:
            yield running, live, trap


def seen(browser: Chromium, web: Web) -> dict[str, Visit]:
    """Return what the browser makes of each page."""
    return {page: visit(browser, page) for pages in web.pages.values() for page in pages}


def by_proxy(browser: Chromium, live: dict[str, Visit], proxy: str) -> list[Compared]:
    """Return each page as it is through a proxy, compared."""
    return [compare(browser, url, then, visit(browser, url, proxy)) for url, then in live.items()]


def by_replay(browser: Chromium, live: dict[str, Visit], origin: str) -> list[Compared]:
    """Return each page as it is under `/web/` of an origin, compared."""
    return [
        compare(
            browser, url, then, visit(browser, f"{origin}/web/2100/{url}", original=replayed(url))
        )
        for url, then in live.items()
    ]


class Trap:
    """Listens where the sites were, and notices whoever still asks for them."""

    def __init__(self, web: Web) -> None:
        self.web = web
        self._ports = (web.port, web.secure_port)
        self._stack = ExitStack()

    def __enter__(self) -> "Trap":
        self._listening = [
            self._stack.enter_context(closing(socket.create_server(("127.0.0.1", port))))
            for port in self._ports
        ]
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def caught(self) -> bool:
        """Tell whether somebody has asked."""
        return bool(select(self._listening, [], [], 0)[0])


def free_ports(count: int) -> int:
    """Return the first of `count` free ports in a row."""
    for base in range(20_000 + os.getpid() % 9000, 60_000, count):
        with suppress(OSError), ExitStack() as stack:
            for port in range(base, base + count):
                stack.enter_context(closing(socket.create_server(("127.0.0.1", port))))
            return base
    raise RuntimeError("no free ports")
