"""What a depot holds, kept on its disk: key to size, in LMDB, so that nobody need ask the depot.

It can be made again from the depot's listing. What `note`, `forget` and `follow` were called with
is durable when they return.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from threading import Lock

import lmdb

from agents.capture import is_key
from agents.storage.disk.depot import FOLDER
from agents.storage.errors import LayoutRefused
from agents.storage.status import Followed

_ADDRESSES = 1 << 40  # bytes of address space; the file is only as large as what it holds
_SIZE = 8  # bytes of a size, the most significant first
_PAGE = 1000  # keys read in one transaction, lest a slow reader keep what was deleted
_COMMIT = 10_000  # keys that a listing gives at once


def bucket_of(root: Path) -> str:
    """Return the object store that a disk gives its contents to, or an empty text. Blocks.

    The disk's node may run or not.
    """
    if not (root / FOLDER / "data.mdb").is_file():
        return ""
    try:
        with lmdb.open(
            str(root / FOLDER), readonly=True, lock=False, max_dbs=2, create=False
        ) as env:
            about = env.open_db(b"about", create=False)
            with env.begin(db=about) as txn:
                address: str = txn.get(b"address", b"").decode("utf-8", "replace")
    except lmdb.Error:
        return "its object store"
    return address.partition("?")[0]


class DepotMap:
    """The contents of one depot; `size_of` is quick, the rest blocks.

    Args:
        folder: of its files.
        address: where the depot is; it stays what it was first.

    Raises:
        LayoutRefused: the map is damaged, or of a depot elsewhere.

    Attributes:
        is_made: whether it knows what is in the depot.
        followed: how much of the disk's log the depot has.
    """

    def __init__(self, folder: Path, address: str) -> None:
        self._address = address.encode()
        self._reading = Lock()  # LMDB must not be closed under those who read
        folder.mkdir(mode=0o700, exist_ok=True)
        try:
            self._env: lmdb.Environment | None = lmdb.open(
                str(folder), map_size=_ADDRESSES, max_dbs=2, readahead=False, mode=0o600
            )
            self._env.reader_check()
            self._sizes, self._about = self._env.open_db(b"sizes"), self._env.open_db(b"about")
            with self._env.begin(db=self._about) as txn:
                found = txn.get(b"address")
                log, position = txn.get(b"log", b""), txn.get(b"position", b"")
        except lmdb.Error as error:
            raise LayoutRefused(
                f"{folder} cannot be read ({error}); take it away, and it is made again from "
                "what the object store lists"
            ) from None
        if found not in (None, self._address):
            self._env.close()
            raise LayoutRefused(
                f"the contents of {folder.parent} are in {found.decode(errors='replace')}, not in "
                f"{address}: copy that object store there first, then take {folder} away"
            )
        self.is_made = found is not None
        self.followed = Followed(log.decode("ascii"), int.from_bytes(position, "big"))

    def close(self) -> None:
        """Close it; it then holds nothing."""
        with self._reading:
            env, self._env = self._env, None
            if env is not None:
                env.close()

    def make(self, listed: Iterable[tuple[str, int]]) -> None:
        """Fill it with what the depot lists."""
        sound = ((key, size) for key, size in listed if is_key(key))
        while some := dict(islice(sound, _COMMIT)):
            self.note(some)
        with self._writing() as txn:
            txn.put(b"address", self._address, db=self._about)
        self.is_made = True

    def size_of(self, key: str) -> int | None:
        """Return the size of a content, or None."""
        with self._reading:
            if self._env is None:
                return None
            with self._env.begin(db=self._sizes) as txn:
                found = txn.get(bytes.fromhex(key))
        return None if found is None else int.from_bytes(found, "big")

    def keys(self, prefix: str, after: str) -> Iterator[str]:
        """Yield in order the keys with a prefix of whole bytes that come after a key."""
        end = bytes.fromhex(prefix)
        last = bytes.fromhex(after) + b"\0" if after > prefix else end
        while page := self._page(last, end):
            yield from (key.hex() for key in page)
            last = page[-1] + b"\0"

    def _page(self, first: bytes, prefix: bytes) -> list[bytes]:
        with self._reading:
            if self._env is None:
                return []
            with self._env.begin(db=self._sizes) as txn, txn.cursor() as cursor:
                page: list[bytes] = []
                if cursor.set_range(first):
                    for key in cursor.iternext(values=False):
                        if len(page) == _PAGE or not key.startswith(prefix):
                            break
                        page.append(key)
        return page

    def note(self, sizes: dict[str, int]) -> None:
        """Take note of contents."""
        with self._writing() as txn:
            for key, size in sizes.items():
                txn.put(bytes.fromhex(key), size.to_bytes(_SIZE, "big"), db=self._sizes)

    def forget(self, key: str) -> None:
        """Let go of a content."""
        with self._writing() as txn:
            txn.delete(bytes.fromhex(key), db=self._sizes)

    def follow(self, followed: Followed) -> None:
        """Keep how much of the log the depot has."""
        with self._writing() as txn:
            txn.put(b"log", followed.log.encode("ascii"), db=self._about)
            txn.put(b"position", followed.position.to_bytes(_SIZE, "big"), db=self._about)

    @contextmanager
    def _writing(self) -> Iterator[lmdb.Transaction]:
        """Give a transaction that is durable at its end.

        Raises:
            OSError: it is not.
        """
        if self._env is None:
            raise OSError("the map of the depot is closed")
        try:
            with self._env.begin(write=True) as txn:
                yield txn
        except lmdb.Error as error:
            raise OSError(f"the map of the depot cannot be written: {error}") from None
