"""What every store of contents and structure files does (*INA §2.2*)."""

# ruff: noqa: N805 (an interface has no self)

from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from attrs import frozen
from zope.interface import Attribute, Interface

from agents.capture import Capture
from agents.storage.disk.layout import Kind

IN_MEMORY = 1 << 20  # bytes of a content up to which it is held whole in memory
PIECE = 1 << 20  # bytes read at once of a larger one

Given: TypeAlias = tuple[str, bytes | memoryview | Path]
"""A content to be stored: its key, and its bytes or the file that has them."""


@frozen
class Held:
    """One thing in a listing.

    Attributes:
        key: SHA-256, hexadecimal.
        version: of a structure file, what changes whenever a capture is added to one of its
            copies; empty when the store cannot tell. Empty for a content, which never changes.
    """

    key: str
    version: str = ""


class IStore(Interface):
    """Contents named by their SHA-256, and the captures of URLs.

    What is acknowledged is durable; everything may be repeated without harm. All methods may
    raise `StorageError` as their docstrings say, and `StoreUnreachable` when nothing answers.
    """

    name: str = Attribute("What a person calls it; holds no credential.")
    absent: list[str] = Attribute("Parts of it that cannot be reached now, by name.")

    async def open(*, writing: bool = False) -> None:
        """Get ready; with `writing`, make what is not there yet.

        Raises:
            StoreRefused: it is no such store, or must not be used so.
        """

    async def close() -> None:
        """Finish what was begun, and let go."""

    async def put(key: str, body: bytes | Path) -> bool:
        """Store a content, durably; return whether it is new.

        Raises:
            DigestMismatch: the bytes are not what the key says; nothing was stored.
            DiskFull: there is no room.
        """

    async def put_all(contents: Sequence[Given], *, hashed: bool = False) -> list[bool | Exception]:
        """Store contents, durably; return for each whether it is new, or why it is not stored.

        Quicker than one `put` after another, the more so the more there are; some megabytes, or
        hundreds of contents, are enough. One that is given twice is new once. What is given as
        bytes must stay as it is until this has returned, and files stay the caller's. Exceptions
        are those of `put`, and those of a target that takes no more.

        Args:
            contents: keys, and bytes or files.
            hashed: whether this program itself has made the keys by hashing just these bytes. A
                store that writes them into files on its own then does not hash them once more.

        Raises:
            StoreRefused: the store was opened to be read.
        """

    async def size(key: str) -> int | None:
        """Return the bytes of a content, or None when the store lacks it."""

    def content(key: str, start: int = 0, size: int | None = None) -> AsyncIterator[bytes]:
        """Yield a content, or `size` bytes of it from `start` on, in pieces, unproven.

        Raises:
            NotHeld: the store lacks it.
        """

    async def fetch(key: str, spool: Path) -> bytes | Path:
        """Return a whole content, proven: its bytes, or a new file in `spool` for a large one.

        Each copy is tried until one is what the key says. The caller removes the file.

        Raises:
            NotHeld: the store lacks it.
            NotProven: every copy is damaged.
        """

    async def listing(kind: Kind, after: str = "", limit: int = 1000) -> list[Held]:
        """Return the next things held, in the order of their keys; none at the end."""

    async def append(captures: Sequence[Capture]) -> None:
        """Record captures of any URLs, durably; those it has already change nothing.

        Raises:
            InvalidCapture: one cannot be recorded.
            OtherWriter: the store takes one writer, and there is another.
        """

    def captures(key: str) -> AsyncIterator[list[Capture]]:
        """Yield the captures of a structure file in order, with their heads, some at a time.

        Nothing for a URL that the store lacks; of several copies, the union.

        Raises:
            DamagedStructure: something can be read from no copy; all that can was yielded before.
        """


async def all_held(store: Any, kind: Kind, page: int = 1000) -> AsyncIterator[Held]:
    """Yield everything that a store holds of a kind, in the order of keys."""
    after = ""
    while found := await store.listing(kind, after, page):
        for held in found:
            yield held
        after = found[-1].key
