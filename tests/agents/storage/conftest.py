"""What tests of storage share: captures, and a disk that is open."""

from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import pytest_twisted
from twisted.internet import reactor

from agents.capture import Capture
from agents.storage.disk.node_store import NodeStore
from agents.storage.disk.store import DiskStore
from anet.workers import Workers

HEAD = b"HTTP/1.1 200 OK\r\nServer: tests\r\nX-Odd:\xff \r\n\r\n"


def make_capture(url: str = "http://a.example/", day: int = 1, body: bytes = b"body") -> Capture:
    """Return a capture of a day of January 2026."""
    return Capture(
        url=url,
        date=f"202601{day:02}120000000000",
        content=sha256(body).hexdigest(),
        size=len(body),
        status=200,
        head=HEAD,
        origin=f"crawl: c{day}\n",
    )


@pytest.fixture(name="make_capture")
def make_capture_fixture() -> Callable[..., Capture]:
    """Give `make_capture`."""
    return make_capture


@pytest.fixture
def workers() -> Iterator[Workers]:
    """Give two threads."""
    pool = Workers(reactor, 2)
    pool.startService()
    yield pool
    pytest_twisted.blockon(_ensured(pool.stopService()))


@pytest.fixture
def store(tmp_path: Path, workers: Workers) -> Iterator[DiskStore]:
    """Give an empty disk that is open."""
    disk = DiskStore(tmp_path / "storage-1", workers, reserve=0, waiting_limit=1 << 26)
    pytest_twisted.blockon(_ensured(disk.open()))
    yield disk
    pytest_twisted.blockon(_ensured(disk.close()))


@pytest.fixture
def disks(tmp_path: Path) -> Iterator[NodeStore]:
    """Give a node's three disks that are empty and open, with threads of their own."""
    pools = [Workers(reactor, 2) for _ in range(3)]
    for pool in pools:
        pool.startService()
    made = [
        DiskStore(tmp_path / f"disk-{number}", pool, reserve=0, waiting_limit=1 << 26)
        for number, pool in enumerate(pools, 1)
    ]
    node = NodeStore(reactor, made)
    pytest_twisted.blockon(_ensured(node.open()))
    yield node
    pytest_twisted.blockon(_ensured(node.close()))
    for pool in pools:
        pytest_twisted.blockon(_ensured(pool.stopService()))


@pytest.fixture
def node_store(tmp_path: Path, workers: Workers) -> Iterator[NodeStore]:
    """Give a node's only disk, empty and open."""
    disk = DiskStore(tmp_path / "storage-1", workers, reserve=0, waiting_limit=1 << 26)
    node = NodeStore(reactor, [disk])
    pytest_twisted.blockon(_ensured(node.open()))
    yield node
    pytest_twisted.blockon(_ensured(node.close()))


def _ensured(coroutine: Any) -> Any:
    from twisted.internet.defer import ensureDeferred

    return ensureDeferred(coroutine)
