"""The directory of a crawl: what the crawler leaves for the connectivity agent.

`docs/reference/crawl-directory.md` describes it. All files are plain; `report.xml` comes last, by
renaming, once everything else is durable: its presence means that the crawl is whole.
"""

import ctypes
import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
from attrs import asdict, evolve

from agents.certificates import Certificates
from agents.compact import Digests
from agents.crawler.pack import Pack
from agents.order import Order
from anet.durable import sync_path

_encode = msgspec.json.Encoder().encode


class CrawlDirectory:
    """Writes the directory of one crawl.

    Args:
        path: the directory; one left by an attempt that did not end is emptied.

    Attributes:
        path: as given.
        temporary: a folder for what is on its way.
        met: the SHA-256 of all contents met.
        certificates: takes what servers show over TLS.
        pack: takes small contents.

    Raises:
        OSError: it can't be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.temporary = path / "incoming"
        self.met = Digests()
        self.certificates = Certificates(path / "certificates")
        if path.exists():
            shutil.rmtree(path)
        self.temporary.mkdir(parents=True)
        self.pack = Pack(path / "pack")
        self._contents = str(path / "contents")
        self._structure = (path / "structure").open("wb", buffering=256 * 1024)

    def content(self, digest: bytes) -> str:
        """Return where a content lies that has a file of its own."""
        key = digest.hex()
        return f"{self._contents}/{key[:2]}/{key}"

    def write_order(self, order: Order) -> None:
        """Leave the order that the crawl answers, without its secrets."""
        access = evolve(order.access, credentials=(), given_cookies=(), proxy=None)
        told = asdict(evolve(order, access=access))
        (self.path / "order.json").write_bytes(_encode(told) + b"\n")

    def write_line(self, line: Any) -> None:
        """Append a capture to the structure; `line` is what JSON can hold."""
        self._structure.write(_encode(line) + b"\n")

    def finish(self, report: bytes) -> None:
        """Write signatures and report, and make everything durable.

        Blocks while the disk works: to be called in a worker.

        Raises:
            OSError: they can't be written.
        """
        self._structure.close()
        self.pack.close()
        shutil.rmtree(self.temporary)
        with (self.path / "signatures").open("wb") as file:
            file.writelines(digest.hex().encode("ascii") + b"\n" for digest in self.met)
        draft = self.path / "report.xml.new"
        draft.write_bytes(report)
        _sync_file_system(self.path)
        draft.rename(self.path / "report.xml")
        sync_path(self.path)
        sync_path(self.path.parent)

    def abandon(self) -> None:
        """Remove everything. Blocks: to be called in a worker."""
        with suppress(OSError):  # what was not written yet may find the disk full
            self._structure.close()
        self.pack.close()
        shutil.rmtree(self.path, ignore_errors=True)


def _sync_file_system(path: Path) -> None:
    """Make all that was written to the file system of `path` durable, in one call.

    A crawl has thousands of small files; one fsync each would take minutes.
    """
    descriptor = os.open(path, os.O_RDONLY)
    try:
        syncfs = getattr(ctypes.CDLL(None, use_errno=True), "syncfs", None)
        if syncfs is None or syncfs(descriptor) != 0:
            os.sync()
    finally:
        os.close(descriptor)
