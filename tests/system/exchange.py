"""Commands that bring files of web archives in and out, and what an independent reader sees.

`warcio` reads the files here, and a few lines of this module undo chunks: nothing of the project.
"""

import json
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from os.path import commonprefix
from pathlib import Path
from typing import Any, NamedTuple

from warcio.archiveiterator import ArchiveIterator

BIN = Path(sys.executable).parent
CHECKER = Path(__file__).parent.parent / "checker.py"
EMPTY_LINE = b"\r\n\r\n"
TOLD = 20  # differences that are told; the others are counted
SHOWN = 80  # bytes of what differs


class Seen(NamedTuple):
    """A record as `warcio` reads it.

    Attributes:
        kind: its `WARC-Type`.
        fields: all of its fields, in order.
        block: its bytes.
    """

    kind: str
    fields: tuple[tuple[str, str], ...]
    block: bytes

    def field(self, name: str) -> str:
        """Return the value of a field, or nothing."""
        return next((value for key, value in self.fields if key.lower() == name.lower()), "")

    @property
    def url(self) -> str:
        """What it is of, without the angle brackets of wget."""
        return self.field("WARC-Target-URI").strip("<>")

    @property
    def date(self) -> str:
        """When, as 14 digits."""
        return "".join(each for each in self.field("WARC-Date") if each.isdigit())[:14]

    @property
    def head(self) -> bytes:
        """The head of HTTP, with the empty line."""
        head, end, _ = self.block.partition(EMPTY_LINE)
        return head + end

    @property
    def body(self) -> bytes:
        """The body of HTTP, without chunks."""
        _, _, body = self.block.partition(EMPTY_LINE)
        return unchunked(body) if b"transfer-encoding: chunked" in self.head.lower() else body


def unchunked(body: bytes) -> bytes:
    """Return a body without its chunks."""
    pieces, at = [], 0
    while True:
        line, _, _ = body[at : at + 20].partition(b"\r\n")
        size, begin = int(line, 16), at + len(line) + 2
        if size == 0:
            return b"".join(pieces)
        pieces.append(body[begin : begin + size])
        at = begin + size + 2


def records(path: Path) -> Iterator[Seen]:
    """Yield the records of a file."""
    with path.open("rb") as file:
        for record in ArchiveIterator(file, no_record_parse=True):
            fields = tuple(record.rec_headers.headers)
            yield Seen(record.rec_type, fields, record.raw_stream.read())


def line(verb: str, directory: Path, *words: str | Path) -> list[str]:
    """Return a command on the archive in a folder, which need not run."""
    return [str(BIN / "dlweb"), verb, f"--archive={directory}", "--json", *map(str, words)]


def dlweb(verb: str, directory: Path, *words: str | Path, status: int = 0) -> dict[str, Any]:
    """Run a command on the archive in a folder, and return what it tells."""
    done = subprocess.run(
        line(verb, directory, *words), capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == status, done.stdout + done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def held(disk: Path) -> dict[str, bytes]:
    """Return every content and every structure file of a disk, by its path in it."""
    return {
        str(path.relative_to(disk)): path.read_bytes()
        for kind in ("contents", "structures")
        for path in sorted((disk / kind).rglob("*"))
        if path.is_file()
    }


def structures(disk: Path) -> dict[str, bytes]:
    """Return the structure files of a disk, but for those that keep the records of files."""
    found = {path: data for path, data in held(disk).items() if path.startswith("structures")}
    kept = {path.removesuffix(".heads") for path, data in found.items() if b" warc:" in data[:30]}
    return {path: data for path, data in found.items() if path.rpartition(".")[0] not in kept}


def differences(wanted: Mapping[str, bytes], found: Mapping[str, bytes]) -> list[str]:
    """Return in which names, and from which byte on, `found` is not `wanted`: a few lines to read.

    Two dictionaries of thousands of files say nothing when pytest shows what is left of them.
    """
    names = sorted(name for name in {*wanted, *found} if wanted.get(name) != found.get(name))
    lines = [f"{name} {_difference(wanted.get(name), found.get(name))}" for name in names[:TOLD]]
    return lines + [f"and {len(names) - TOLD} more"] * (len(names) > TOLD)


def _difference(wanted: bytes | None, found: bytes | None) -> str:
    if found is None or wanted is None:
        return "is too much" if wanted is None else "is missing"
    at = max(0, len(commonprefix([wanted, found])) - SHOWN // 2)
    return f"has from byte {at} on {found[at:][:SHOWN]!r}, not {wanted[at:][:SHOWN]!r}"


def let_the_second_pass() -> None:
    """Wait until what is captured from now on has another second than what was captured.

    Other tools write and look for whole seconds. Where a URL has two contents in one second,
    nobody can tell which of them such a date means.
    """
    time.sleep(1.1)


def captures(*disks: Path) -> list[dict[str, Any]]:
    """Return every capture on some disks, as the checker that shares nothing with us sees them."""
    words = [sys.executable, str(CHECKER), "--captures", *map(str, disks)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return [json.loads(each) for each in done.stdout.splitlines()]


def warcio_check(*paths: Path) -> None:
    """Have `warcio check` compute every digest of some files."""
    words = [str(BIN / "warcio"), "check", "-v", *map(str, paths)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
