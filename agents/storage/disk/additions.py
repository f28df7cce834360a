"""The log of what was added to a disk and taken from it, which others follow (*INA §2.3*).

The file `additions` begins with `dlweb-additions 1 <log id>`; each line after it names one
addition: kind, key, size, mark. The mark `gone` says that it was taken away. A follower (the
master, the index nodes) remembers the log's id and how many bytes of it it has seen, and so misses
nothing and asks for nothing twice, whatever breaks in between. The log can be made again from the
disk, under a new id; followers then begin at its start. That must be done when a follower has seen
more than there is: the disk was put back to an older state.
"""

import errno
import os
import re
import secrets
from collections.abc import Iterable
from pathlib import Path
from threading import Lock

from attrs import frozen

from agents.storage.disk.layout import Kind
from agents.storage.errors import LayoutRefused

_HEADER = re.compile(rb"dlweb-additions 1 ([0-9a-f]{32})\n")
START = 51  # where the first line begins, in bytes
_BLOCK = 65536
_REPLACED = "another log is in the place of this one"
_NO_MARK = "-"
_GONE = "gone"
_LINE = re.compile(
    r"^(contents|structures) ([0-9a-f]{64}) ([0-9]{1,15}) (-|gone|[0-9a-f]{16})$", re.M
)


@frozen
class Entry:
    """One addition, or that something is gone.

    Attributes:
        kind: "contents" or "structures".
        key: SHA-256, hexadecimal.
        size: bytes of a content; captures of a structure file.
        mark: which captures a structure file has (see `lines.mark`); empty for a content.
        gone: whether the disk does not hold it any more: it was damaged, or one too many.
    """

    kind: Kind
    key: str
    size: int
    mark: str = ""
    gone: bool = False

    def encode(self) -> bytes:
        """Return the entry's line."""
        mark = _GONE if self.gone else self.mark or _NO_MARK
        return f"{self.kind} {self.key} {self.size} {mark}\n".encode("ascii")


@frozen
class Additions:
    """A part of a log.

    Attributes:
        log: the log's id.
        since: where the part begins, in bytes from the start of the log.
        position: where it ends, and the next begins.
        entries: what was added.
    """

    log: str
    since: int
    position: int
    entries: list[Entry]


class AdditionsLog:
    """The log of one disk; its methods block, and may be called from several workers.

    Attributes:
        log: its id.
        position: bytes of it that are durable.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._writing = Lock()  # one writer at a time, for as long as a disk is scanned
        self._replacing = Lock()  # so that no reader takes one log's bytes for another's
        self.log = ""
        self.position = 0

    def open(self, existing: Iterable[Entry]) -> None:
        """Open the log, cutting off a torn line; one that is missing is made of `existing`.

        Raises:
            LayoutRefused: the file is something else.
            OSError: the system could not.
        """
        if not self._path.exists():
            self._draft(existing).rename(self._path)
        with self._path.open("rb") as file:
            header = _HEADER.fullmatch(file.read(START))
        if header is None:
            raise LayoutRefused(
                f"{self._path} is no log of additions; move it away, and it is made again"
            )
        self.log = header[1].decode("ascii")
        self.position = self._cut_torn_line()

    def is_behind(self, log: str, position: int) -> bool:
        """Tell whether somebody has seen more of this log than there is."""
        return log == self.log and position > self.position

    def renew(self, existing: Iterable[Entry]) -> None:
        """Make the log again of what the disk holds, under a new id.

        What is appended meanwhile waits, and comes after.

        Raises:
            OSError: the system could not.
        """
        with self._writing:
            draft = self._draft(existing)
            with self._replacing:
                draft.rename(self._path)
                self.open(())

    def append(self, entries: Iterable[Entry]) -> None:
        """Write entries and make them durable.

        Raises:
            OSError: the system could not.
        """
        data = b"".join(entry.encode() for entry in entries)
        with self._writing:
            self._append(data)

    def _append(self, data: bytes) -> None:
        own = self._own()
        descriptor = os.open(self._path, os.O_WRONLY)
        try:
            if not os.path.samestat(own, os.fstat(descriptor)):
                raise OSError(errno.ESTALE, _REPLACED)
            os.ftruncate(descriptor, self.position)  # what an append that failed has left
            view, offset = memoryview(data), self.position
            while view:
                written = os.pwrite(descriptor, view, offset)
                view, offset = view[written:], offset + written
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        self.position = offset

    def _own(self) -> os.stat_result:
        """Return what file the log is, once it is sure that it is still this one.

        A write that hung goes on when somebody has put another disk into its place.
        """
        with self._path.open("rb") as file:
            header = _HEADER.fullmatch(file.read(START))
            if header is None or header[1].decode("ascii") != self.log:
                raise OSError(errno.ESTALE, _REPLACED)
            return os.fstat(file.fileno())

    def read(self, log: str, since: int, limit: int = 1 << 18) -> Additions:
        """Return what was added since a position; all from the start if it is of another log.

        A part without a single line feed is damaged; it is passed over.

        Args:
            log: the log that the position is of.
            since: the position.
            limit: bytes of the log to read at most.
        """
        with self._replacing:
            own, position = self.log, self.position
            file = self._path.open("rb")
        with file:
            if log != own or not START <= since <= position:
                since = START
            file.seek(since)
            data = file.read(min(max(limit, 256), position - since))
        whole = data[: data.rfind(b"\n") + 1] or data
        return Additions(own, since, since + len(whole), _decode(whole))

    def _draft(self, existing: Iterable[Entry]) -> Path:
        """Write a log of what exists, durably, beside the place where it belongs."""
        draft = self._path.with_name("incoming") / "additions"
        with draft.open("wb") as file:
            file.write(b"dlweb-additions 1 " + secrets.token_hex(16).encode("ascii") + b"\n")
            for entry in existing:
                file.write(entry.encode())
            file.flush()
            os.fsync(file.fileno())
        return draft

    def _cut_torn_line(self) -> int:
        """Return the size of the log after its last whole line, having cut off the rest."""
        end = size = self._path.stat().st_size
        with self._path.open("r+b") as file:
            while end > START:
                start = max(0, end - _BLOCK)
                file.seek(start)
                end = start + file.read(end - start).rfind(b"\n") + 1
                if end > start:
                    break
            if end != size:
                file.truncate(end)
        return end


def _decode(lines: bytes) -> list[Entry]:
    """Return the entries of lines; one that is damaged has none."""
    found: list[tuple[Kind, str, str, str]] = _LINE.findall(lines.decode("ascii", "replace"))
    return [
        Entry(kind, key, 0, gone=True)
        if mark == _GONE
        else Entry(kind, key, int(size), mark.strip(_NO_MARK))
        for kind, key, size, mark in found
    ]
