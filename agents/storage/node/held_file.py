"""A content's file, which may have gone to another disk of the node when it is opened."""

from collections.abc import Callable

from attrs import frozen

from anet.http import FileBody
from anet.http.file_body import FilePart


@frozen
class HeldFile(FileBody):
    """A part of the file of a content, opened where the content is by then.

    What moves is on the other disk before it is taken from the one (see `disk.moving`), so that
    looking a second time is enough.

    Attributes:
        find: returns where the whole file is now; None when it is nowhere.
    """

    find: Callable[[], FileBody | None]

    def open(self) -> FilePart:
        """Open the file, to send the part.

        Raises:
            OSError: it cannot be opened.
        """
        try:
            return FileBody.open(self)
        except FileNotFoundError:
            moved = self.find()
            if moved is None:
                raise
            return FileBody(moved.path, self.offset, self.length).open()
