"""An archive's captures as one WARC file, for the other replay tools to serve.

    python benchmarks/as_warc.py ARCHIVE FILE.warc.gz [--plain]

ARCHIVE is the folder of an archive, or of a disk of a storage node; nothing has to run. Every
capture becomes a response record, with the head that an export would write and the content as it
lies in the archive.
"""

import argparse
import sys
import uuid
from pathlib import Path
from typing import Any

sys.path.append(sys.path.pop(0))  # `hip` is the package, and not the benchmark beside this one

from fastwarc.stream_io import GzipWriter
from fastwarc.warc import WarcRecord, WarcRecordType
from twisted.internet.defer import Deferred
from twisted.internet.task import react

from agents.capture import Capture
from agents.capture_records import readable_head
from agents.storage.stores.folder import FolderStore
from agents.storage.stores.interface import all_held
from anet.workers import Workers


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("archive", type=Path)
    parser.add_argument("file", type=Path)
    parser.add_argument("--plain", action="store_true", help="do not compress")
    options = parser.parse_args()
    react(lambda reactor: Deferred.fromCoroutine(
        say(reactor, options.archive, options.file, plain=options.plain)
    ))  # fmt: skip


async def say(reactor: Any, archive: Path, file: Path, *, plain: bool) -> None:
    """Write the file, and say how many captures it has."""
    print(f"{await write_warc(reactor, archive, file, plain=plain)} captures in {file}")


async def write_warc(reactor: Any, archive: Path, file: Path, *, plain: bool = False) -> int:
    """Write all captures of an archive into a new WARC file; return how many.

    Args:
        reactor: runs it.
        archive: the folder of an archive, or of one disk of a storage node.
        file: written anew.
        plain: whether records are not compressed.
    """
    workers = Workers(reactor, 4, name="warc")
    workers.startService()
    store = FolderStore(disks(archive), workers)
    await store.open()
    count = 0
    try:
        with file.open("wb") as raw:
            out = raw if plain else GzipWriter(raw)
            async for held in all_held(store, "structures"):
                async for captures in store.captures(held.key):
                    for capture in captures:
                        body = await store.fetch(capture.content, file.parent)
                        write(out, capture, whole(body))
                        count += 1
    finally:
        await store.close()
        await workers.stopService()
    return count


def disks(archive: Path) -> list[Path]:
    """Return the folders of the disks in an archive's folder."""
    return [archive] if (archive / "layout").is_file() else sorted(
        layout.parent for layout in archive.glob("*/layout")
    )  # fmt: skip


def whole(body: bytes | Path) -> bytes:
    """Return a content that a store has fetched; the benchmarks have none too large for memory."""
    if isinstance(body, bytes):
        return body
    try:
        return body.read_bytes()
    finally:
        body.unlink()


def write(out: Any, capture: Capture, body: bytes) -> None:
    """Write a capture as a response record."""
    record = WarcRecord()
    record.init_headers(
        record_type=WarcRecordType.response, record_urn=uuid.uuid4().urn[4:].encode()
    )
    record.headers["WARC-Target-URI"] = capture.url
    record.headers["WARC-Date"] = moment(capture.date)
    record.headers["Content-Type"] = "application/http; msgtype=response"
    record.set_bytes_content(readable_head(capture.head)[0] + body)
    record.write(out, checksum_data=True)
    if isinstance(out, GzipWriter):
        out.finish()  # a member of its own for each record, so that one can be read alone


def moment(date: str) -> str:
    """Return a date as WARC writes it, to the second, which is as fine as CDX files tell it."""
    return f"{date[:4]}-{date[4:6]}-{date[6:8]}T{date[8:10]}:{date[10:12]}:{date[12:14]}Z"


if __name__ == "__main__":
    main()
