# ruff: noqa: PTH123 (done for each stream and second; a path costs as much as opening its file)
"""The files of a piece that is open. All of it blocks, and is for the thread.

Three files of one name, none of which is held open between two flushes:

    NAME.begin   what was known first; without it the others mean nothing
    NAME.media   the bytes, of a piece that has any
    NAME.log     the log; its last line, `end`, says that the piece is whole

A piece is cut in this order: the bytes behind the cut are written as the next piece's media; the
next one's `begin` is put in its place, and says where the former ends; the former's log gets its
last line; and its media is cut off only when all that is durable. Killed at any moment, each byte
is found once.
"""

import os
import shutil
from hashlib import sha256
from pathlib import Path

import msgspec

from agents import dates
from agents.stream_log import Begun, Ended, encoded
from agents.streaming.recording.beginning import Beginning
from agents.streaming.recording.log import Changes, Ending
from anet.media.interface import Described

BEGIN, MEDIA, LOG, DRAFT = ".begin", ".media", ".log", ".draft"
_AT_ONCE = 2**16  # bytes that are hashed at once, from the system's cache, some seconds after


class Cut(msgspec.Struct, frozen=True):
    """Where the piece before ends.

    Attributes:
        name: of its files.
        line: the last of its log, but for the SHA-256.
    """

    name: str
    line: Ended


class Begin(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is in `NAME.begin`.

    Attributes:
        line: the first of the log.
        site: the site to which the stream belongs.
        described: what its server said.
        has_media: whether there is a content, and not a log alone.
        follows: the piece that it was cut off.
    """

    line: Begun
    site: str
    described: Described
    has_media: bool
    follows: Cut | None = None


class PieceFiles:
    """A piece on its way to the disk.

    Args:
        path: of its files, without the ends of their names.
        beginning: what is known of it.
        has_media: whether there is a content, and not a log alone.
        follows: the piece that it will be cut off.

    Attributes:
        path: as given.
        ended: whether its last line is on the way.
    """

    def __init__(
        self,
        path: str,
        beginning: Beginning,
        *,
        has_media: bool,
        follows: "PieceFiles | None" = None,
    ) -> None:
        self.path = path
        self.ended = False
        self._beginning, self._has_media = beginning, has_media
        self._begun, self._follows = False, follows is not None
        self._next: PieceFiles | None = None
        if follows is not None:
            follows._next = self
        self._data = b""
        self._lines = encoded(beginning.line)
        self._digest = sha256()
        self._written = self._hashed = self._safe = 0
        self._ending: Ending | None = None

    @property
    def waiting(self) -> int:
        """Bytes that are in memory."""
        return len(self._data) + len(self._lines)

    @property
    def is_idle(self) -> bool:
        """Whether all that was taken is with the system."""
        is_over = self._ending is None or self.ended
        return self._begun and is_over and not self._data and not self._lines

    def take(self, changes: Changes) -> None:
        """Take what came."""
        if self._data or len(changes.data) > 1:
            self._data = b"".join([self._data, *changes.data])
        elif changes.data:
            self._data = changes.data[0]
        if changes.lines:
            self._lines = b"".join([self._lines, *changes.lines])
        self._safe = changes.safe
        self._ending = changes.ending or self._ending

    def write(self) -> None:
        """Give the system all that was taken; end what is to be ended.

        Raises:
            OSError: the disk does not take all of it; the rest waits for the next call.
        """
        if not self._begun:
            if self._follows:
                return  # until the piece before is cut
            self._begin()
        if self._has_media and (self._data or self._ending):
            self._write_media()
        if self._lines:
            self._write_log()
        if self._ending is not None and not self.ended:
            self._end(self._ending)

    def _begin(self, cut: Cut | None = None) -> None:
        """Put the piece in its place, and what its media begins with, if that is there yet."""
        if self._has_media and cut is None:
            Path(self.path + MEDIA).write_bytes(b"")
        Path(self.path + LOG).write_bytes(b"")
        known = self._beginning
        begin = Begin(known.line, known.site, known.described, self._has_media, cut)
        draft = Path(self.path + DRAFT)
        draft.write_bytes(msgspec.json.encode(begin))
        draft.rename(self.path + BEGIN)
        self._begun = True

    def _write_media(self) -> None:
        descriptor = os.open(self.path + MEDIA, os.O_RDWR | os.O_APPEND)
        try:
            while self._data:
                written = os.write(descriptor, self._data)
                self._data = self._data[written:]
                self._written += written
            self._hash(descriptor)
        finally:
            os.close(descriptor)

    def _hash(self, descriptor: int) -> None:
        """Take into the digest what will not be cut off any more: at the end, all of it."""
        until = min(self._safe, self._written)
        least = 1 if self._ending else _AT_ONCE
        while until - self._hashed >= least:
            read = os.pread(descriptor, min(until - self._hashed, _AT_ONCE), self._hashed)
            if not read:
                raise OSError(f"somebody has cut {self.path}{MEDIA}")
            self._digest.update(read)
            self._hashed += len(read)

    def _write_log(self) -> None:
        descriptor = os.open(self.path + LOG, os.O_WRONLY | os.O_APPEND)
        try:
            while self._lines:
                self._lines = self._lines[os.write(descriptor, self._lines) :]
        finally:
            os.close(descriptor)

    def _end(self, ending: Ending) -> None:
        """Write the last line of the log, once what is behind is in the next piece."""
        line = Ended(
            end=dates.from_timestamp(ending.at),
            ms=ending.offset.milliseconds,
            why=ending.why,
            bytes=ending.offset.byte if self._has_media else None,
            content=self._digest.hexdigest() if self._has_media else "",
            left_out=ending.left_out,
        )
        if self._next is not None and not self._next._begun:
            self._next._receive(self, line)
        self._lines = encoded(line)
        self.ended = True
        self._write_log()

    def _receive(self, former: "PieceFiles", line: Ended) -> None:
        """Begin with what is behind the end of another piece."""
        assert line.bytes is not None
        with open(former.path + MEDIA, "rb") as source, open(self.path + MEDIA, "wb") as target:
            source.seek(line.bytes)
            shutil.copyfileobj(source, target)
        self._written = former._written - line.bytes
        self._begin(Cut(Path(former.path).name, line))
