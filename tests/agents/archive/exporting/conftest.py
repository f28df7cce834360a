"""Archives to export, and what exports them."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import pytest_twisted
from twisted.internet import reactor
from twisted.internet.defer import ensureDeferred as ensured

from agents.archive.exporting.exporting import Exporting
from agents.archive.exporting.figures import Figures
from agents.archive.exporting.folder import ExportFolder
from agents.archive.exporting.order import Order
from agents.capture import Capture, content_key
from agents.storage.stores.folder import FolderStore
from anet.workers import Workers

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
Fill = Callable[..., Awaitable[None]]
Export = Callable[..., Awaitable[Figures]]


def capture(url: str, date: str, body: bytes, **changes: Any) -> Capture:
    """Return a capture of a body."""
    values: dict[str, Any] = {
        "url": url,
        "date": date.ljust(20, "0"),
        "content": content_key(body),
        "size": len(body),
        "status": 200,
        "head": HEAD,
        "origin": "crawl: 1\nsite: a site\naddress: 192.0.2.1:80\n",
    }
    return Capture(**(values | changes))


@pytest.fixture
def threads() -> Iterator[Workers]:
    """Give threads."""
    workers = Workers(reactor, 4, name="tests")
    workers.startService()
    yield workers
    pytest_twisted.blockon(ensured(workers.stopService()))


@pytest.fixture
def thread() -> Iterator[Workers]:
    """Give one thread."""
    workers = Workers(reactor, 1, name="test")
    workers.startService()
    yield workers
    pytest_twisted.blockon(ensured(workers.stopService()))


@pytest.fixture
def fill(tmp_path: Path, threads: Workers) -> Fill:
    """Give what puts captures and contents on a disk."""

    async def put(captures: Sequence[Capture], bodies: Sequence[bytes], name: str = "disk") -> None:
        store = FolderStore([tmp_path / name], threads)
        await store.open(writing=True)
        for body in bodies:
            await store.put(content_key(body), body)
        await store.append(captures)
        await store.close()

    return put


@pytest.fixture
def export(tmp_path: Path, threads: Workers, thread: Workers) -> Export:
    """Give what exports a disk into the folder `out`."""

    async def run(
        store: Any = None, *, out: str = "out", begun: str = "20261122000000", **order: Any
    ) -> Figures:
        store = store or FolderStore([tmp_path / "disk"], threads)
        await store.open()
        folder = ExportFolder(tmp_path / out, Order(source="disk", **order), begun, tmp_path)
        try:
            exporting = Exporting(store, Order(source="disk", **order), folder, threads, thread)
            await exporting.run()
        finally:
            await thread.run(folder.close)
            await store.close()
        return exporting.figures

    return run
