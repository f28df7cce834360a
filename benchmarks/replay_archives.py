"""The same captures, given back by dlweb's proxy and by pywb's: for benchmarks/replay.py."""

import os
import random
import subprocess
import sys
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

from crawl_sites import free_ports, wait_for_port
from deposit import processor, ready, running
from fastwarc.warc import WarcRecord, WarcRecordType

from agents.capture import Capture, content_key
from agents.configuration import secret
from agents.deposit import ContentSize, Placement
from anet.http import HttpClient
from hip import Agent, convert

HOST = "replay.test"
DATE = "20260101120000000000"
MEBIBYTE = 2**20
VIDEO = "/video.mp4"
BIN = Path(sys.executable).parent
PYWB = Path(os.environ.get("PYWB", BIN))  # programs of pywb, which wants libraries of its own
AGENTS = {"storage-master": "storage-master", "index-1": "index-node", "storage-1": "storage-node"}
CONFIG = """\
storage-master: {replicas: 1}
storage-node: {multicast: false}
consultation: {lookup: index}
"""


class Resource(NamedTuple):
    """What a URL answers."""

    path: str
    media_type: str
    body: bytes

    @property
    def url(self) -> str:
        """The URL."""
        return f"http://{HOST}{self.path}"

    @property
    def head(self) -> bytes:
        """The head as it was received."""
        return (
            f"HTTP/1.1 200 OK\r\nServer: nginx\r\nContent-Type: {self.media_type}\r\n"
            f"Content-Length: {len(self.body)}\r\nLast-Modified: Thu, 01 Jan 2026 00:00:00 GMT\r\n"
            'ETag: "1"\r\nAccept-Ranges: bytes\r\n\r\n'
        ).encode()


class Proxy(NamedTuple):
    """A proxy that runs.

    Attributes:
        ports: of its processes that browsers ask; the load is shared out to them.
        pids: of all processes, whose processor time counts.
        front: of the processes that answer browsers, whose memory counts.
    """

    ports: list[int]
    pids: list[int]
    front: list[int]


def small_pages(count: int, size: int, name: str) -> list[Resource]:
    """Return pages of that many bytes, each another."""
    return [
        Resource(f"/{name}/{number}.html", "text/html", _text(size * 10**6 + number, size))
        for number in range(count)
    ]


def mixed_site(count: int) -> list[Resource]:
    """Return pages, styles, scripts and pictures, of sizes as the web has them."""
    chance = random.Random(7)  # noqa: S311  what a made-up site holds is no secret
    kinds = [
        ("html", "text/html", 9.6), ("css", "text/css", 9.0), ("js", "text/javascript", 10.2),
        ("png", "image/png", 9.4), ("jpg", "image/jpeg", 10.6), ("json", "application/json", 7.5),
    ]  # fmt: skip
    found = []
    for number in range(count):
        extension, media_type, median = chance.choice(kinds)
        size = min(MEBIBYTE, int(chance.lognormvariate(median, 1.1)) + 64)
        path = f"/mixed/{number}.{extension}"
        found.append(Resource(path, media_type, _text(number, size)))
    return found


def video() -> Resource:
    """Return 100 MB that nothing can compress."""
    return Resource(VIDEO, "video/mp4", random.Random(9).randbytes(100 * 10**6))  # noqa: S311


def _text(number: int, size: int) -> bytes:
    words = random.Random(number).randbytes(size).hex().encode()  # noqa: S311
    return b"<!doctype html><title>%d</title><p>" % number + words[: max(0, size - 40)]


@contextmanager
def dlweb(
    folder: Path, processes: int, base: int, extra: str = ""
) -> Iterator[tuple[Proxy, dict[str, "subprocess.Popen[bytes]"]]]:
    """Run an archive of one storage node, with one consultation agent or several."""
    names = [f"consultation-{number + 1}" for number in range(processes)]
    with running(folder, base, AGENTS, CONFIG + extra) as children:
        ports, started = [], []
        try:
            for number, name in enumerate(names):
                port = base + 40 + 10 * number
                config = folder / f"{name}.yaml"
                config.write_text(
                    f"consultation: {{lookup: index, proxy: '127.0.0.1:{port}', "
                    f"pages: '127.0.0.1:{port + 1}', replay: '127.0.0.1:{port + 2}'}}\n"
                )
                started.append(_twistd(folder, config, base, name))
                ports.append(port)
            for port in ports:
                wait_for_port(port)
            wait_until_idle([child.pid for child in children.values()])
            front = [child.pid for child in started]
            yield (
                Proxy(ports, [*front, *(child.pid for child in children.values())], front),
                children,
            )
        finally:
            for child in started:
                child.terminate()
                child.wait()


def wait_until_idle(pids: list[int]) -> None:
    """Wait until what agents do after their start is done: the master counts replicas, once."""
    before = -1.0
    for _ in range(60):
        now = sum(map(processor, pids))
        if now - before < 0.05:
            return
        before = now
        time.sleep(1.0)


def _twistd(folder: Path, config: Path, base: int, name: str) -> "subprocess.Popen[bytes]":
    command: list[str | Path] = [
        BIN / "twistd", "--nodaemon", "--pidfile=", "consultation", "--config", config,
        "--archive", folder, "--base-port", str(base), "--name", name,
    ]  # fmt: skip
    with (folder / f"{name}.log").open("wb") as log:
        return subprocess.Popen(command, stdout=log, stderr=log, cwd=folder)


async def fill(reactor: Any, folder: Path, base: int, resources: list[Resource]) -> None:
    """Deposit the captures in the archive that runs."""
    console, depositor = (Agent(reactor, kind, kind) for kind in ("console", "connectivity"))
    client = HttpClient(reactor, connections=8)
    for service in (console, depositor, client):
        service.startService()
    await ready(reactor, console.connect(f"127.0.0.1:{base + 2}"), 1)
    index = depositor.connect(f"127.0.0.1:{base + 4}")
    credential = [(b"Authorization", b"Bearer " + secret(folder).encode())]
    for start in range(0, len(resources), 500):
        some = resources[start : start + 500]
        keys = [content_key(it.body) for it in some]
        sizes = [ContentSize(key, len(it.body)) for key, it in zip(keys, some, strict=True)]
        placed = convert(await index.call("place", contents=sizes, timeout=60.0), list[Placement])
        stored = {key: list(where.nodes) for key, where in zip(keys, placed, strict=True)}
        for it, key in zip(some, keys, strict=True):
            for node in stored[key]:
                url = f"{node}/contents/{key}"
                answer = await client.request("PUT", url, credential, it.body)
                await answer.read(10**6)
        captures = [
            Capture(it.url, DATE, key, len(it.body), 200, it.head, origin="crawl: c\n")
            for key, it in zip(keys, some, strict=True)
        ]
        await index.call("record", captures=captures, stored=stored, timeout=120.0)
    for service in (client, depositor, console):
        await service.stopService()


def write_warc(path: Path, resources: list[Resource]) -> None:
    """Write the captures as a WARC, compressed record by record, as archives keep them."""
    with path.open("wb") as file:
        for it in resources:
            record = WarcRecord()
            record.init_headers(WarcRecordType.response)
            record.headers["WARC-Target-URI"] = it.url
            record.headers["WARC-Date"] = "2026-01-01T12:00:00Z"
            record.headers["Content-Type"] = "application/http; msgtype=response"
            record.set_bytes_content(it.head + it.body)
            plain = _written(record)
            deflate = zlib.compressobj(1, wbits=31)
            file.write(deflate.compress(plain) + deflate.flush())


def _written(record: WarcRecord) -> bytes:
    buffer = BytesIO()
    record.write(buffer)
    return buffer.getvalue()


@contextmanager
def pywb(folder: Path, processes: int, warc: Path) -> Iterator[Proxy]:
    """Run pywb in proxy mode under uwsgi, as its documentation has it."""
    if not (folder / "collections").exists():
        for words in (["init", "replay"], ["add", "replay", str(warc)]):
            subprocess.run(
                [PYWB / "wb-manager", *words], cwd=folder, check=True, capture_output=True
            )
        (folder / "config.yaml").write_text(
            "proxy:\n  coll: replay\n  ca_name: benchmark\n  recording: false\n"
            "  enable_banner: false\n  enable_content_rewrite: false\n  enable_wombat: false\n"
        )
    port = free_ports(1)
    (folder / "uwsgi.ini").write_text(
        f"[uwsgi]\nhttp-socket = 127.0.0.1:{port}\nmaster = true\nprocesses = {processes}\n"
        "buffer-size = 65536\ndie-on-term = true\ngevent = 100\ngevent-early-monkey-patch = true\n"
        "wsgi = pywb.apps.wayback\ndisable-logging = true\n"
    )
    environment = {**os.environ, "VIRTUAL_ENV": str(PYWB.parent)}
    with (folder / "uwsgi.log").open("ab") as log:
        child = subprocess.Popen(
            [PYWB / "uwsgi", "--venv", str(PYWB.parent), "uwsgi.ini"],
            cwd=folder, stdout=log, stderr=log, env=environment,
        )  # fmt: skip
    try:
        wait_for_port(port)
        time.sleep(3.0)  # its workers load the application
        pids = [child.pid, *_children(child.pid)]
        yield Proxy([port], pids, pids[1:])
    finally:
        child.terminate()
        child.wait()


def _children(pid: int) -> list[int]:
    return [int(it) for it in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def version_of_pywb() -> str:
    """Return pywb's version."""
    words = "from importlib.metadata import version; print(version('pywb'))"
    done = subprocess.run(
        [PYWB / "python", "-c", words], check=True, capture_output=True, text=True
    )
    return done.stdout.strip()
