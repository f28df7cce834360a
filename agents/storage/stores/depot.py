"""A bucket as the depot of one disk: its contents live there, and copies of its structure files.

The objects lie below the disk's own name, each named and filled as the file of a disk is, so that
they are a store by themselves (see `s3`), and nobody else writes them. Nothing is ever deleted: an
object that the disk does not count on any more, as it was damaged, is replaced when the content
comes again.
"""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from attrs import evolve
from twisted.internet.defer import Deferred

from agents.storage.disk.depot import FOLDER, Depot, Piecewise
from agents.storage.disk.layout import CAPTURES, HEADS, VERSION, Layout
from agents.storage.errors import LayoutRefused
from agents.storage.status import Followed
from agents.storage.stores.bucket import Bucket
from agents.storage.stores.bucket_address import BucketAddress
from agents.storage.stores.depot_map import DepotMap
from agents.storage.stores.errors import NotHeld, StoreError
from anet.workers import Workers

_PIECE = 256 * 1024  # bytes of a content that are in memory at once
_PAGE = 1000  # names that a bucket lists at once
_TRIES = 3  # at a structure file that is written meanwhile


class BucketDepot(Depot):
    """Below a prefix of a bucket, one disk's contents.

    Args:
        address: the bucket, and the prefix of all disks.
        workers: threads that wait for it.

    Attributes:
        followed: how much of the disk's log it has.
    """

    def __init__(self, address: BucketAddress, workers: Workers) -> None:
        self.workers = workers
        self.followed = Followed()
        self._above = address
        self._bucket: Bucket
        self._map: DepotMap

    def open(self, layout: Layout) -> None:
        """Get ready; only the first time is the bucket asked, and may be full already."""
        self._address = evolve(self._above, prefix=f"{self._above.prefix}{layout.name}/")
        try:
            self._bucket = Bucket(self._address)
            self._map = DepotMap(layout.root / FOLDER, str(self._address))
            if not self._map.is_made:
                self._begin(layout)
                self._map.make(self._listed())
        except StoreError as error:
            raise LayoutRefused(f"{layout.root} needs its object store: {error}") from None
        self.followed = self._map.followed

    def _begin(self, layout: Layout) -> None:
        """Say in the bucket what lies there.

        Raises:
            LayoutRefused: it holds something else.
        """
        self._bucket.make()
        for name, text in (("layout", VERSION), ("disk", layout.name)):
            if self._bucket.size(name) is None:
                self._bucket.put(name, f"{text}\n".encode("ascii"))
            body, _ = self._bucket.get(name)
            found = self._bucket.read(body, 100)
            body.close()
            if found.decode("ascii", "replace").strip() != text:
                raise LayoutRefused(f"{self._address}{name} is {found!r}, not {text!r}")

    def _listed(self) -> Iterator[tuple[str, int]]:
        after = ""
        while names := self._bucket.names("contents", after, _PAGE):
            after = names[-1][0]
            for name, size in names:
                yield name.rpartition("/")[2], size

    def close(self) -> None:
        """Close the map and the connections."""
        self._map.close()
        self._bucket.close()

    def size_of(self, key: str) -> int | None:
        """Return the bytes of a content that is there, or None."""
        return self._map.size_of(key)

    def keys(self, prefix: str, after: str) -> Iterator[str]:
        """Yield keys in order."""
        return self._map.keys(prefix, after)

    def pieces(self, key: str) -> Iterator[bytes]:
        """Yield a content."""
        body, _ = self._bucket.get(_content(key))
        try:
            while piece := self._bucket.read(body, _PIECE):
                yield piece
        finally:
            body.close()

    def stream(self, key: str, start: int, length: int) -> Piecewise:
        """Return a part of a content."""
        return _Part(self._bucket, self.workers, key, start, length)

    def is_sound(self, key: str) -> bool:
        """Hash a content."""
        digest = sha256()
        try:
            for piece in self.pieces(key):
                digest.update(piece)
        except NotHeld:
            return False
        return digest.hexdigest() == key

    def forget(self, key: str) -> None:
        """Count on a content no more."""
        self._map.forget(key)

    def give_content(self, key: str, path: Path) -> int:
        """Store a content, in place of whatever has its name."""
        size = path.stat().st_size
        self._bucket.put_file(_content(key), path, key)
        return size

    def give_structure(self, layout: Layout, key: str) -> None:
        """Store heads, then lines; again when heads came meanwhile that the lines may name."""
        heads, captures = layout.heads(key), layout.captures(key)
        name = f"structures/{key[:2]}/{key[2:4]}/{key}"
        for _ in range(_TRIES):
            before = heads.stat().st_size
            self._bucket.put_file(name + HEADS, heads)
            self._bucket.put_file(name + CAPTURES, captures)
            if heads.stat().st_size == before:
                return

    def note(self, sizes: dict[str, int]) -> None:
        """Keep which contents are there."""
        self._map.note(sizes)

    def follow(self, followed: Followed) -> None:
        """Keep how much of the log is there."""
        self._map.follow(followed)
        self.followed = followed


class _Part(Piecewise):
    """A part of a content, asked for when it is needed."""

    def __init__(self, bucket: Bucket, workers: Workers, key: str, start: int, length: int) -> None:
        self.length = length
        self._bucket, self._workers = bucket, workers
        self._key, self._start = key, start
        self._body: Any = None
        self._reading: Deferred[bytes] | None = None

    def cut(self, start: int, length: int) -> "Piecewise":
        return _Part(self._bucket, self._workers, self._key, self._start + start, length)

    async def begin(self) -> None:
        if self.length:
            self._body, _ = await self._workers.run(
                self._bucket.get, _content(self._key), self._start, self.length
            )

    async def __anext__(self) -> bytes:
        if self._body is None:
            raise StopAsyncIteration
        piece = await self._workers.run(self._bucket.read, self._body, _PIECE)
        if not piece:
            raise StopAsyncIteration
        return piece

    async def aclose(self) -> None:
        if self._body is not None:
            self._body.close()


def _content(key: str) -> str:
    return f"contents/{key[:2]}/{key[2:4]}/{key}"
