"""Where the contents of a disk are kept once it has taken them: on the disk, or in a depot.

A depot is an object store that belongs to one disk (see `agents.storage.stores.depot`). A content
is on the disk first, whole and durable, and so acknowledged; `shipping` then gives it to the depot,
and frees the disk of it. Who looks for a content looks on the disk first and in the depot then: it
is in one of them at every moment.
"""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterable, Iterator
from typing import Protocol

from agents.storage.disk.contents import is_sound
from agents.storage.disk.layout import Layout
from agents.storage.errors import LayoutRefused

FOLDER = "depot"  # on the disk: what is known of the depot


class Piecewise(ABC, AsyncIterator[bytes]):
    """Some bytes of a content that come from a depot in pieces, as a body of HTTP.

    Attributes:
        length: how many bytes.
    """

    length: int

    @abstractmethod
    def cut(self, start: int, length: int) -> "Piecewise":
        """Return `length` bytes of these from `start` on; before anything was asked for."""

    @abstractmethod
    async def begin(self) -> None:
        """Ask for the bytes, so that what can fail has not failed half-way.

        Raises:
            NotHeld: the depot has lost the content.
            StoreUnreachable: it does not answer.
        """

    @abstractmethod
    async def aclose(self) -> None:
        """Let go of what was asked for."""


class Depot(Protocol):
    """What a disk asks of its depot."""

    def open(self, layout: Layout) -> None:
        """Get ready to serve a disk. Blocks.

        Raises:
            LayoutRefused: it is not the depot of this disk, or cannot be used.
        """

    def close(self) -> None:
        """Let go of it. Blocks."""

    def size_of(self, key: str) -> int | None:
        """Return the bytes of a content, or None; from what the disk knows, and so quick."""

    def keys(self, prefix: str, after: str) -> Iterator[str]:
        """Yield in order the keys with a prefix that come after a key. Blocks."""

    def pieces(self, key: str) -> Iterator[bytes]:
        """Yield a content, to be hashed. Blocks.

        Raises:
            NotHeld: the depot has lost it.
            StoreUnreachable: it does not answer.
        """

    def stream(self, key: str, start: int, length: int) -> Piecewise:
        """Return `length` bytes of a content from `start` on, which nothing was asked for yet."""

    def is_sound(self, key: str) -> bool:
        """Tell whether a content is what its key says. Blocks, and reads all of it.

        Raises:
            StoreUnreachable: the depot does not answer.
        """

    def forget(self, key: str) -> None:
        """Count on a content no more; the depot itself may keep it. Blocks.

        Raises:
            OSError: the system could not write.
        """


class NoDepot:
    """Contents stay on the disk."""

    def open(self, layout: Layout) -> None:
        """Make sure that none of its contents are elsewhere.

        Raises:
            LayoutRefused: they are.
        """
        if (layout.root / FOLDER).exists():
            raise LayoutRefused(
                f"{layout.root} keeps its contents in an object store: name that as "
                "`storage-node.contents` (see docs/how-to/use-an-object-store.md)"
            )

    def close(self) -> None:
        """Do nothing."""

    def size_of(self, key: str) -> int | None:
        """Return None."""
        return None

    def keys(self, prefix: str, after: str) -> Iterator[str]:
        """Yield nothing."""
        return iter(())

    def pieces(self, key: str) -> Iterator[bytes]:
        """Refuse: there is none."""
        raise FileNotFoundError(key)

    def stream(self, key: str, start: int, length: int) -> Piecewise:
        """Refuse: there is none."""
        raise FileNotFoundError(key)

    def is_sound(self, key: str) -> bool:
        """Return False."""
        return False

    def forget(self, key: str) -> None:
        """Do nothing."""


NO_DEPOT: Depot = NoDepot()


def is_sound_in_place(layout: Layout, depot: Depot, key: str) -> bool:
    """Tell whether a disk, or its depot, has a content and it is what its key says. Blocks.

    Raises:
        OSError: the system could not read it.
        StoreUnreachable: the depot does not answer.
    """
    if depot.size_of(key) is not None:
        return depot.is_sound(key)
    return is_sound(layout.content(key), key)


def sizes_of(layout: Layout, depot: Depot, keys: Iterable[str]) -> dict[str, int]:
    """Return the bytes of those contents that a disk or its depot has. Blocks."""
    sizes: dict[str, int] = {}
    for key in keys:
        try:
            sizes[key] = layout.content(key).stat().st_size
        except OSError:
            found = depot.size_of(key)
            if found is not None:
                sizes[key] = found
    return sizes
