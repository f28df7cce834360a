"""The disks of storage nodes on this machine as a store, whether their node runs or not."""

from collections.abc import AsyncIterator, Iterator, Sequence
from functools import partial
from heapq import merge
from itertools import groupby, islice
from pathlib import Path

from zope.interface import implementer

from agents.capture import Capture
from agents.storage.disk import scan
from agents.storage.disk.copies import captures_of
from agents.storage.disk.layout import Kind, Layout
from agents.storage.disk.lines import prefix
from agents.storage.disk.store import DiskStore
from agents.storage.errors import DamagedStructure
from agents.storage.stores.depot_map import bucket_of
from agents.storage.stores.errors import NotHeld, StoreRefused
from agents.storage.stores.fetching import fetch
from agents.storage.stores.interface import PIECE, Given, Held, IStore
from agents.storage.stores.journals import JournalReader, Place
from agents.storage.stores.together import outcomes_of_each
from anet.together import together as outcomes_of
from anet.workers import Workers

_CAPTURES = 100  # read at once, with their heads
_WAITING_LIMIT = 1 << 28  # bytes of writes that may wait
_FILES = 16  # contents that are files elsewhere, brought at once


@implementer(IStore)
class FolderStore:
    """One disk, or several read as one, of which each may hold what another lacks.

    Args:
        folders: each with a `layout`; one that is written may be new, and is the only one.
        workers: threads for what blocks.
        reserve: bytes of the disk that stay free.

    Attributes:
        folders: the same.
    """

    def __init__(self, folders: Sequence[Path], workers: Workers, *, reserve: int = 0) -> None:
        self.folders = list(folders)
        self.name = ", ".join(map(str, folders))
        self.absent: list[str] = []
        self._layouts = [Layout(folder) for folder in folders]
        self._journals = [JournalReader(folder) for folder in folders]
        self._workers, self._reserve = workers, reserve
        self._disk: DiskStore | None = None

    async def open(self, *, writing: bool = False) -> None:
        """Check the folders; make the one that is written.

        Raises:
            LayoutRefused: one holds something else.
            StoreRefused: several cannot be written as one, or it cannot be written.
        """
        if writing:
            if len(self._layouts) != 1:
                raise StoreRefused("several folders are read as one; name one to write to")
            [layout] = self._layouts
            self._disk = DiskStore(
                layout.root, self._workers, reserve=self._reserve, waiting_limit=_WAITING_LIMIT
            )
            try:
                await self._disk.open()
            except OSError as error:
                raise StoreRefused(
                    f"{layout.root} cannot be written ({error.strerror or error}): name a folder "
                    "that can"
                ) from error
        for layout in self._layouts:
            if not (layout.root / "layout").exists():
                raise StoreRefused(
                    f"{layout.root} is no disk of a storage node, and holds none: name a folder "
                    "that has a file `layout`, or the one around such folders"
                )
            layout.check()

    async def close(self) -> None:
        """Finish what was begun."""
        if self._disk is not None:
            await self._disk.close()
            self._disk = None

    async def put(self, key: str, body: bytes | Path) -> bool:
        """Store a content, durably; return whether it is new."""
        if isinstance(body, Path):
            return await self._put_file((key, body))
        return await self._writable().put(key, body)

    async def put_all(
        self, contents: Sequence[Given], *, hashed: bool = False
    ) -> list[bool | Exception]:
        """Store contents, durably; return for each whether it is new, or why it is not stored."""
        disk = self._writable()
        held = [(key, body) for key, body in contents if not isinstance(body, Path)]
        files = [(key, body) for key, body in contents if isinstance(body, Path)]
        of_held, of_files = await outcomes_of(
            [disk.put_files(held, hashed=hashed), outcomes_of_each(files, self._put_file, _FILES)]
        )
        outcomes = {
            False: iter([of_held] * len(held) if isinstance(of_held, Exception) else of_held),
            True: iter([of_files] * len(files) if isinstance(of_files, Exception) else of_files),
        }
        return [next(outcomes[isinstance(body, Path)]) for _, body in contents]

    async def size(self, key: str) -> int | None:
        """Return the bytes of a content, or None."""
        if self._disk is not None:
            return self._disk.size_of("contents", key)
        places = await self._workers.run(self._places, key)
        return places[0].size if places else None

    async def content(
        self, key: str, start: int = 0, size: int | None = None
    ) -> AsyncIterator[bytes]:
        """Yield a content in pieces."""
        places = await self._workers.run(self._places, key)
        if not places:
            raise await self._workers.run(self._not_held, key)
        place = places[0]
        left = max(0, place.size - start)
        part = Place(place.path, place.offset + start, left if size is None else min(left, size))
        async for piece in self._pieces(part):
            yield piece

    async def fetch(self, key: str, spool: Path) -> bytes | Path:
        """Return a whole content, proven."""
        places = await self._workers.run(self._places, key)
        if not places:
            raise await self._workers.run(self._not_held, key)
        copies = [partial(self._pieces, place) for place in places]
        return await fetch(key, copies, self._workers, spool)

    async def listing(self, kind: Kind, after: str = "", limit: int = 1000) -> list[Held]:
        """Return the next things held."""
        return await self._workers.run(self._list, kind, after, limit)

    async def append(self, captures: Sequence[Capture]) -> None:
        """Record captures, durably."""
        await self._writable().append(captures)

    async def captures(self, key: str) -> AsyncIterator[list[Capture]]:
        """Yield the captures of a URL, of all folders together, and say of damage at the end."""
        after = b""
        damage: list[DamagedStructure] = []
        layouts = await self._workers.run(self._having, key)
        while found := await self._workers.run(self._read, layouts, key, after, damage):
            yield found
            after = prefix(found[-1].date, found[-1].content)
        if damage and (len(layouts) == 1 or not after):
            raise damage[0]  # of several copies another has it, as far as anybody can tell

    def _writable(self) -> DiskStore:
        if self._disk is None:
            raise StoreRefused(f"{self.name} was opened to be read")
        return self._disk

    async def _put_file(self, content: tuple[str, Path]) -> bool:
        """Store a content that is a file elsewhere."""
        key, path = content
        disk = self._writable()
        incoming = await disk.receive()
        try:
            async for piece in self._pieces(Place(path, 0, path.stat().st_size)):
                await disk.write(incoming, piece)
        except BaseException:
            await self._workers.run(incoming.discard)
            raise
        return await disk.put(key, incoming)

    def _places(self, key: str) -> list[Place]:
        """Return where the copies of a content are; blocks.

        One that has no file yet is in a journal, which is emptied once it has: so look twice.
        """
        for _ in range(2):
            paths = [layout.content(key) for layout in self._layouts]
            found = [Place(path, 0, path.stat().st_size) for path in paths if path.is_file()]
            if not found:
                journals = [journal.places() for journal in self._journals]
                found = [places[key] for places in journals if key in places]
            if found:
                return found
        return []

    async def _pieces(self, place: Place) -> AsyncIterator[bytes]:
        """Yield what is at a place."""

        def read(at: int, most: int) -> bytes:
            with place.path.open("rb") as file:
                file.seek(at)
                return file.read(most)

        at, end = place.offset, place.offset + place.size
        while at < end and (piece := await self._workers.run(read, at, min(PIECE, end - at))):
            at += len(piece)
            yield piece

    def _list(self, kind: Kind, after: str, limit: int) -> list[Held]:
        """Merge the listings of all folders; blocks."""
        listings = [scan.keys(layout, kind, after) for layout in self._layouts]
        if kind == "contents":
            listings += [_keys(journal, after) for journal in self._journals]
        keys = merge(*listings)
        found = (key for key, _ in groupby(keys))
        return [Held(key, self._version(kind, key)) for key in islice(found, limit)]

    def _version(self, kind: Kind, key: str) -> str:
        """Return the sizes of all copies: lines are added, and never taken away."""
        if kind == "contents":
            return ""
        paths = (layout.captures(key) for layout in self._layouts)
        return "+".join(str(path.stat().st_size) for path in paths if path.is_file())

    def _having(self, key: str) -> list[Layout]:
        """Return the disks that have a structure file; blocks."""
        return [layout for layout in self._layouts if layout.captures(key).is_file()]

    def _read(
        self, layouts: list[Layout], key: str, after: bytes, damage: list[DamagedStructure]
    ) -> list[Capture]:
        """Return the next captures of all copies together; blocks."""
        return list(captures_of(layouts, key, after=after, limit=_CAPTURES, damage=damage))

    def _not_held(self, key: str) -> NotHeld:
        """Return what to say of a content that is not there; blocks."""
        missing = f"{self.name}: the content {key} is not there"
        if buckets := sorted(filter(None, {bucket_of(folder) for folder in self.folders})):
            missing += f"; the disk gives its contents to {' and '.join(buckets)}: see there"
        return NotHeld(missing)


def _keys(journal: JournalReader, after: str) -> Iterator[str]:
    return iter(sorted(key for key in journal.places() if key > after))
