"""Documents that are zip files: their members, inflated piece by piece within limits.

Only the members that a parser asks for are read. A bomb gets no further than the limit; the sizes
that the file itself claims are not believed.
"""

import zlib
from collections.abc import Iterator
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

INFLATED_LIMIT = 128 * 1024 * 1024  # bytes of all members of a document that are read
_PIECE = 64 * 1024
# What the library raises for files that are broken, encrypted or in another method of compression.
_UNREADABLE = (
    BadZipFile, EOFError, KeyError, NotImplementedError, OSError, OverflowError, RuntimeError,
    UnicodeError, ValueError, zlib.error,
)  # fmt: skip


class ZipMembers:
    """The members of a zip file that lies in memory.

    Attributes:
        names: in the order of the file's directory; none, if it is no zip file.
        truncated: whether something could not be read, or not within the limit.
    """

    def __init__(self, body: bytes) -> None:
        self.truncated = False
        self.names: dict[str, None] = {}  # as a set that keeps its order
        self._left = INFLATED_LIMIT
        try:
            self._file = ZipFile(BytesIO(body))
            self.names = dict.fromkeys(self._file.namelist())
        except _UNREADABLE:
            self.truncated = True

    def read(self, name: str) -> Iterator[bytes]:
        """Yield the pieces of a member, as far as they can be read; none, if there is no such."""
        if name not in self.names:
            return
        try:
            information = self._file.getinfo(name)
            if information.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
                raise BadZipFile  # other methods inflate without a limit, and no office uses them
            with self._file.open(information) as member:
                while piece := member.read(min(_PIECE, self._left + 1)):
                    self._left -= len(piece)
                    if self._left < 0:
                        self._left, self.truncated = 0, True
                        return
                    yield piece
        except _UNREADABLE:
            self.truncated = True
