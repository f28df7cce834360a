"""The tools that crawl.py compares, each at its best settings: what each took, and what it got."""

import gzip
import json
import os
import re
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urldefrag
from urllib.request import urlopen

from crawl_sites import free_ports

BIN = Path(sys.executable).parent
SCRAPY = Path(__file__).parent / "crawl_scrapy.py"
_RECORD = re.compile(rb"WARC-Target-URI: <?([^>\r\n]+)")


class Run(NamedTuple):
    """One collection of a site."""

    urls: frozenset[str]  # what answered 200 and was stored
    seconds: float
    processor: float  # seconds, over all processes
    processes: dict[str, float]  # the same for each process, where there are several

    @property
    def rate(self) -> float:
        """Resources a second."""
        return len(self.urls) / self.seconds

    @property
    def thrift(self) -> float:
        """Resources a second of processor time."""
        return len(self.urls) / self.processor


def timed(command: list[str | Path], folder: Path, statuses: tuple[int, ...] = (0,)) -> Run:
    """Run a command to its end; its processor time is that of all processes it waited for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.monotonic()
    with (folder / "output").open("wb") as output, (folder / "errors").open("wb") as errors:
        done = subprocess.run(command, cwd=folder, stdout=output, stderr=errors)
    seconds = time.monotonic() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in statuses:
        sys.exit(f"{command[0]} failed:\n{(folder / 'errors').read_text()[-2000:]}")
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Run(frozenset(), seconds, processor, {})


PLAIN = "scheduler: {strategy: {scripts: false}, analysis: {enabled: false}}\n"


def run_dlweb(url: str, folder: Path) -> Run:
    """Collect with a whole archive, started for the occasion."""
    base = free_ports(100)
    command = [BIN / "dlweb", "run", "--once", "--json", "--delay", "0", url]
    run = timed([*command, "--archive", folder / "archive", "--base-port", str(base)], folder)
    return run._replace(urls=archived(folder / "archive"))


def run_running_dlweb(url: str, folder: Path) -> Run:
    """Collect with an archive that was started before; it starts empty too."""
    return run_archive(url, folder, "")


def run_plain_dlweb(url: str, folder: Path) -> Run:
    """The same without what no peer does: running scripts and analysing texts."""
    return run_archive(url, folder, PLAIN)


def run_archive(url: str, folder: Path, configuration: str) -> Run:
    """Collect with a running archive of this configuration."""
    base = free_ports(100)
    (folder / "config.yaml").write_text(configuration)
    where = ["--archive", folder / "archive", "--base-port", str(base)]
    where += ["--config", folder / "config.yaml"]
    archive = subprocess.Popen(
        [BIN / "twistd", "--nodaemon", f"--pidfile={folder / 'pid'}", "archive", *where],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder,
    )
    try:
        wait_until_ready(f"http://127.0.0.1:{base + 98}/status.json")
        before = processor_of_tree(archive.pid)
        run = timed([BIN / "dlweb", "run", "--once", "--json", "--delay", "0", *where, url], folder)
        after = processor_of_tree(archive.pid)
    finally:
        archive.terminate()
        archive.wait()
    spent = {name: round(after[name] - before.get(name, 0.0), 2) for name in after}
    processes = {"dlweb run": round(run.processor, 2), **spent}
    processor = run.processor + sum(after.values()) - sum(before.values())
    return Run(archived(folder / "archive"), run.seconds, processor, processes)


def wait_until_ready(status: str) -> None:
    """Wait until every agent of an archive answers."""
    for _ in range(300):
        with suppress(OSError), urlopen(status, timeout=5) as answer:
            if json.load(answer)["ready"]:
                return
        time.sleep(0.1)
    sys.exit("the archive does not start")


def processor_of_tree(root: int) -> dict[str, float]:
    """Return the seconds of processor time of a process and its living descendants, by name."""
    ticks: dict[int, tuple[int, int]] = {}  # each process's parent and time
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = path.read_text().rpartition(")")[2].split()
            ticks[int(path.parent.name)] = (int(fields[1]), int(fields[11]) + int(fields[12]))
    names = {root: "archive"}
    while (
        more := {pid: parent for pid, (parent, _) in ticks.items() if parent in names}
        - names.keys()
    ):
        names |= {pid: name_of(pid, names[ticks[pid][0]]) for pid in more}
    seconds: dict[str, float] = {}
    for pid, name in names.items():
        seconds[name] = seconds.get(name, 0.0) + ticks[pid][1] / os.sysconf("SC_CLK_TCK")
    return seconds


def name_of(pid: int, parent: str) -> str:
    """Return what a process is called: as it was told to be; what it forked are its children."""
    words: list[str] = []
    with suppress(OSError):
        words = Path(f"/proc/{pid}/cmdline").read_text().split("\0")
    name = words[words.index("--name") + 1] if "--name" in words else parent
    if name == parent.partition("'")[0]:
        return f"{name}'s children"
    return name


def archived(archive: Path) -> frozenset[str]:
    """Return the URLs of which one capture has status 200; from the plain files of one node."""
    found = set()
    for path in (archive / "storage-1").glob("structures/*/*/*.captures"):
        if any(line.split()[3] == b"200" for line in path.read_bytes().splitlines()):
            with path.with_suffix(".heads").open("rb") as heads:
                found.add(heads.readline().split()[2].decode())
    return normal(found)


def run_scrapy(url: str, folder: Path) -> Run:
    """Collect with Scrapy, 16 requests at once, bodies in files."""
    run = timed([sys.executable, SCRAPY, url, folder / "contents"], folder)
    return run._replace(urls=normal((folder / "output").read_text().split()))


def run_wget_plain(url: str, folder: Path) -> Run:
    """Collect with wget to a WARC file that is not compressed."""
    return _wget(url, folder, "site.warc", "--no-warc-compression")


def run_wget(url: str, folder: Path) -> Run:
    """Collect with wget to a WARC file, compressed, which is its default."""
    return _wget(url, folder, "site.warc.gz")


def _wget(url: str, folder: Path, name: str, *options: str) -> Run:
    command: list[str | Path] = [
        "wget", "--recursive", "--page-requisites", "--level=inf", "--quiet", "--delete-after",
        "--execute=robots=off", *options, f"--warc-file={folder / 'site'}",
        f"--directory-prefix={folder / 'files'}", url,
    ]  # fmt: skip
    run = timed(command, folder, statuses=(0, 8))  # 8: some address answered 404, as on any site
    found: set[str] = set()
    target = ""
    with (gzip.open if name.endswith(".gz") else open)(folder / name, "rb") as warc:
        for line in warc:
            if match := _RECORD.match(line):
                target = match[1].decode("latin-1")
            elif line.startswith(b"HTTP/1.1 200 ") and target:
                found.add(target)
                target = ""
    return run._replace(urls=normal(found))


def run_httrack(url: str, folder: Path) -> Run:
    """Collect with httrack, with no limits of its own and pages left as they are."""
    command: list[str | Path] = [
        "httrack", url, "-O", folder / "mirror", "-q", "-s0", "-c16", "-%c0", "-A0", "-%k", "-n",
        "-r9999", "-I0", "-K4", "--disable-security-limits", "-file://*",
    ]  # fmt: skip
    run = timed(command, folder)
    found = set()
    for line in (folder / "mirror/hts-cache/new.txt").read_text("utf-8", "replace").splitlines():
        fields = line.split("\t")
        if len(fields) > 7 and fields[3] == "200":
            found.add(fields[7])
    return run._replace(urls=normal(found))


def normal(urls: Iterable[str]) -> frozenset[str]:
    """Return URLs as all tools would write them; robots.txt is no resource of a site."""
    plain = (unquote(urldefrag(url).url) for url in urls)
    return frozenset(url for url in plain if not url.endswith(("/robots.txt", "/favicon.ico")))


TOOLS: dict[str, Callable[[str, Path], Run]] = {
    "dlweb": run_dlweb,
    "dlweb running": run_running_dlweb,
    "dlweb plain": run_plain_dlweb,
    "scrapy": run_scrapy,
    "wget": run_wget,
    "wget plain": run_wget_plain,
    "httrack": run_httrack,
}
