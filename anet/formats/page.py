"""A page as writers of old formats take it: what was asked, when, and what came."""

from attrs import field, frozen

Bytes = bytes | memoryview


class CannotWrite(Exception):
    """A page cannot be said in a format; the message says why."""


@frozen
class Page:
    """A capture of a page, or of anything else that has a URL.

    Attributes:
        url: where it was.
        date: when it came: digits, UTC, `YYYYMMDDhhmmss` and what may follow.
        head: of the answer, byte for byte, from the status line to the empty line and with it;
            empty if there is none.
        body: what follows it: bytes, or a view of a file that is mapped into memory.
        address: of the server; empty if it is not known.
        media_type: as the format's own field says it; taken from the head when empty.
        origin: the URL that redirected here; empty if none did.
    """

    url: str
    date: str
    head: bytes
    body: Bytes = field(repr=False)
    address: str = ""
    media_type: str = ""
    origin: str = ""

    @property
    def block(self) -> tuple[bytes, Bytes]:
        """Return the head and the body: what the server sent."""
        return self.head, self.body
