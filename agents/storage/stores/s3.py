"""A bucket of any S3-compatible object store as a store: the files of a disk, as objects.

Names and bytes are those of docs/reference/archive-layout.md, so that a bucket copied into a
folder is a disk, and a disk copied into a bucket is a store. A structure file is fetched into a
folder of its own, written there as on any disk, and put back: its heads first, then its lines,
each on condition that nobody has changed it meanwhile. Heads only ever grow, so whatever of this
a crash leaves behind is whole, or bytes that no line points at.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from twisted.internet.defer import DeferredLock
from zope.interface import implementer

from agents.capture import Capture, content_key, structure_key
from agents.storage.disk.layout import CAPTURES, HEADS, Kind, Layout
from agents.storage.disk.lines import prefix
from agents.storage.disk.store import DiskStore
from agents.storage.disk.structures import read_captures
from agents.storage.errors import DigestMismatch
from agents.storage.stores.bucket import Bucket
from agents.storage.stores.bucket_address import BucketAddress
from agents.storage.stores.errors import NotHeld, OtherWriter, StoreRefused
from agents.storage.stores.fetching import fetch
from agents.storage.stores.interface import PIECE, Given, Held, IStore
from agents.storage.stores.together import in_rounds, outcomes_of_each, together
from anet.workers import Workers

_TRIES = 3  # at a structure file that somebody else writes too
_PAGE = 1000  # names that a store lists at once
_AT_ONCE = 16  # contents that are put
_CAPTURES = 100  # read at once, with their heads
_WAITING_LIMIT = 1 << 28  # bytes


@implementer(IStore)
class S3Store:
    """Contents and structure files in a bucket.

    Args:
        address: which.
        workers: threads that wait for it.
    """

    def __init__(self, address: BucketAddress, workers: Workers) -> None:
        self.name = str(address)
        self.absent: list[str] = []
        self._bucket = Bucket(address)
        self._workers = workers
        self._folder: TemporaryDirectory[str] | None = None
        self._desk: DiskStore | None = None  # where structure files are written
        self._locks: dict[str, DeferredLock] = {}

    async def open(self, *, writing: bool = False) -> None:
        """Look whether the bucket is one of ours; make it when it is to be written.

        Raises:
            StoreRefused: it is not there, or not ours to use.
            LayoutRefused: it holds something else.
        """
        self._folder = TemporaryDirectory(prefix="dlweb-bucket-")
        root = Path(self._folder.name) / "desk"
        await self._workers.run(self._check, root, writing)
        if writing:
            self._desk = DiskStore(root, self._workers, reserve=0, waiting_limit=_WAITING_LIMIT)
            await self._desk.open()
            await self._workers.run(self._mark, root)

    async def close(self) -> None:
        """Finish what was begun."""
        if self._desk is not None:
            await self._desk.close()
            self._desk = None
        if self._folder is not None:
            await self._workers.run(self._folder.cleanup)
            self._folder = None
        self._bucket.close()

    async def put(self, key: str, body: bytes | memoryview | Path) -> bool:
        """Store a content, durably; return whether it is new."""
        return await self._workers.run(self._put, key, body)

    async def put_all(
        self, contents: Sequence[Given], *, hashed: bool = False
    ) -> list[bool | Exception]:
        """Store contents, durably; return for each whether it is new, or why it is not stored."""
        return await in_rounds(contents, self._put_different)

    async def _put_different(self, contents: Sequence[Given]) -> list[bool | Exception]:
        return await outcomes_of_each(contents, lambda each: self.put(*each), _AT_ONCE)

    async def size(self, key: str) -> int | None:
        """Return the bytes of a content, or None."""
        return await self._workers.run(self._bucket.size, _content(key))

    async def content(
        self, key: str, start: int = 0, size: int | None = None
    ) -> AsyncIterator[bytes]:
        """Yield a content in pieces."""
        if start or size is not None:
            total = await self.size(key)
            if total is None:
                raise NotHeld(f"{self.name}: the content {key} is not there")
            size = min(total - start, total if size is None else size)
            if size <= 0:
                return
        body, _ = await self._workers.run(self._bucket.get, _content(key), start, size)
        try:
            while piece := await self._workers.run(self._bucket.read, body, PIECE):
                yield piece
        finally:
            body.close()

    async def fetch(self, key: str, spool: Path) -> bytes | Path:
        """Return a whole content, proven."""
        return await fetch(key, [partial(self.content, key)], self._workers, spool)

    async def listing(self, kind: Kind, after: str = "", limit: int = 1000) -> list[Held]:
        """Return the next things held."""
        return await self._workers.run(self._list, kind, after, limit)

    async def append(self, captures: Sequence[Capture]) -> None:
        """Record captures, durably."""
        by_key: dict[str, list[Capture]] = {}
        for capture in captures:
            by_key.setdefault(structure_key(capture.url), []).append(capture)
        await together(self._append(*each) for each in by_key.items())

    async def captures(self, key: str) -> AsyncIterator[list[Capture]]:
        """Yield the captures of a URL."""
        with TemporaryDirectory(dir=self._root()) as folder:
            layout = Layout(Path(folder))
            await self._workers.run(self._take, layout, key)
            after = b""
            while found := await self._workers.run(_read, layout, key, after):
                yield found
                after = prefix(found[-1].date, found[-1].content)

    def _put(self, key: str, body: bytes | memoryview | Path) -> bool:
        """Store a content unless it is there; blocks."""
        name = _content(key)
        if not isinstance(body, Path) and (found := content_key(body)) != key:
            raise DigestMismatch(f"the body hashes to {found}, not to {key}")
        known = self._bucket.size(name)
        if known == (body.stat().st_size if isinstance(body, Path) else len(body)):
            return False
        if isinstance(body, Path):
            self._bucket.put_file(name, body, key)
        else:
            self._bucket.put(name, bytes(body))
        return known is None

    def _check(self, root: Path, writing: bool) -> None:
        """Make the desk of the layout that the bucket says it has; blocks."""
        if not self._bucket.is_there():
            if not writing:
                raise StoreRefused(f"{self.name}: there is no such bucket")
            self._bucket.make()
        root.mkdir()
        with suppress(NotHeld):
            body, _ = self._bucket.get("layout")
            (root / "layout").write_bytes(self._bucket.read(body, 100))
            body.close()
            Layout(root).check()
            return
        if self._bucket.names("contents", "", 1) or not writing:
            raise StoreRefused(f"{self.name} is no archive: it has no object `layout`")

    def _mark(self, root: Path) -> None:
        """Say in the bucket which layout it has; blocks."""
        if self._bucket.size("layout") is None:
            self._bucket.put("layout", (root / "layout").read_bytes())

    def _root(self) -> str:
        if self._folder is None:
            raise StoreRefused(f"{self.name} is not open")
        return self._folder.name

    def _list(self, kind: Kind, after: str, limit: int) -> list[Held]:
        """List some; blocks. Beside lines there may be heads alone, which a crash has left."""
        suffix = CAPTURES if kind == "structures" else ""
        last = "" if not after else f"{_folder(kind, after)}/{after}{suffix and HEADS}"
        found: list[Held] = []
        while len(found) < limit and (names := self._bucket.names(kind, last, _PAGE)):
            last = names[-1][0]
            for name, size in names:
                if name.endswith(suffix):
                    key = name.rpartition("/")[2].removesuffix(suffix)
                    found.append(Held(key, str(size) if suffix else ""))
        return found[:limit]

    async def _append(self, key: str, captures: list[Capture]) -> None:
        lock = self._locks.setdefault(key, DeferredLock())
        await lock.acquire()
        try:
            for _ in range(_TRIES - 1):
                with suppress(OtherWriter):
                    return await self._append_once(key, captures)
            await self._append_once(key, captures)
        finally:
            lock.release()
            if not lock.waiting:
                self._locks.pop(key, None)

    async def _append_once(self, key: str, captures: list[Capture]) -> None:
        desk = self._desk
        if desk is None:
            raise StoreRefused(f"{self.name} was opened to be read")
        try:
            tags = await self._workers.run(self._take, desk.layout, key)
            if (await desk.append(captures)).new:
                await self._workers.run(self._give, desk.layout, key, tags)
        finally:
            await self._workers.run(_clear, desk.layout, key)

    def _take(self, layout: Layout, key: str) -> dict[str, str]:
        """Fetch the two objects of a structure file; return their tags, empty for none. Blocks.

        The lines first: heads only grow, so those fetched later hold all that the lines name.
        """
        Path(layout.folder("structures", key)).mkdir(parents=True, exist_ok=True)
        tags: dict[str, str] = {}
        for suffix in (CAPTURES, HEADS):
            tags[suffix] = ""
            with suppress(NotHeld):
                body, tags[suffix] = self._bucket.get(_structure(key, suffix))
                with _structure_path(layout, key, suffix).open("wb") as file:
                    while piece := self._bucket.read(body, PIECE):
                        file.write(piece)
        return tags

    def _give(self, layout: Layout, key: str, tags: dict[str, str]) -> None:
        """Put both objects back, unless somebody has changed them; blocks."""
        for suffix in (HEADS, CAPTURES):
            path = _structure_path(layout, key, suffix)
            self._bucket.put_file(_structure(key, suffix), path, replacing=tags[suffix])


def _read(layout: Layout, key: str, after: bytes) -> list[Capture]:
    return list(read_captures(layout, key, after=after, limit=_CAPTURES))


def _clear(layout: Layout, key: str) -> None:
    for suffix in (CAPTURES, HEADS):
        _structure_path(layout, key, suffix).unlink(missing_ok=True)


def _structure_path(layout: Layout, key: str, suffix: str) -> Path:
    return layout.captures(key) if suffix == CAPTURES else layout.heads(key)


def _folder(kind: Kind, key: str) -> str:
    return f"{kind}/{key[:2]}/{key[2:4]}"


def _content(key: str) -> str:
    return f"{_folder('contents', key)}/{key}"


def _structure(key: str, suffix: str) -> str:
    return f"{_folder('structures', key)}/{key}{suffix}"
