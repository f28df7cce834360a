"""The file of the index of delimitations: four tables in LMDB, which can always be made again."""

from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import lmdb
import msgspec

VERSION = b"dlweb-delimitations 1"
_ADDRESSES = 1 << 40  # bytes of address space; the file is only as large as what it holds

Transaction: TypeAlias = Any  # lmdb.Transaction; it gives bytes, for it is not asked for views


class Stamp(NamedTuple):
    """How far the index goes.

    Attributes:
        sites: how many have been registered, those that were refused among them.
        last: the highest number among them.
        mark: what the caller told to remember with the last change.
    """

    sites: int = 0
    last: int = 0
    mark: int = 0


class Tables:
    """The file; one thread of one process uses it at a time.

    Args:
        path: of the file.

    Attributes:
        names: of a host, its labels turned round: levels of its anchors with a port, without,
            and below it, a byte each.
        anchors: numbers of the sites at an anchor, four bytes each.
        sites: what each site claims, by number.
        about: version and stamp.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._env: lmdb.Environment | None = None
        self.names: Any = None
        self.anchors: Any = None
        self.sites: Any = None
        self.about: Any = None

    def open(self) -> None:
        """Open the file, or make it; one that is damaged or of another version is begun anew.

        Raises:
            OSError: the file cannot be made.
        """
        try:
            self._open()
        except (lmdb.Error, msgspec.MsgspecError):
            self.clear()

    def close(self) -> None:
        """Close the file."""
        env, self._env = self._env, None
        if env is not None:
            env.close()

    def clear(self) -> None:
        """Begin anew, with empty tables."""
        self.close()
        for name in (self._path.name, f"{self._path.name}-lock"):
            self._path.with_name(name).unlink(missing_ok=True)
        self._open()

    def begin(self, *, write: bool = False) -> Transaction:
        """Return a transaction, to be used with `with`."""
        if self._env is None:
            raise RuntimeError("the index of delimitations is not open")
        return self._env.begin(write=write)

    def stamp(self, txn: Transaction) -> Stamp:
        """Return how far the index goes."""
        kept = txn.get(b"stamp", db=self.about)
        return msgspec.msgpack.decode(kept, type=Stamp) if kept else Stamp()

    def mark(self, txn: Transaction, mark: int | None) -> None:
        """Keep how far the index goes, and what the caller tells to remember with it."""
        if mark is None:
            mark = self.stamp(txn).mark
        cursor = txn.cursor(db=self.sites)
        last = int.from_bytes(cursor.key(), "big") if cursor.last() else 0
        stamp = Stamp(txn.stat(self.sites)["entries"], last, mark)
        txn.put(b"stamp", msgspec.msgpack.encode(stamp), db=self.about)

    def _open(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._env = env = lmdb.open(
            str(self._path),
            subdir=False,
            map_size=_ADDRESSES,
            max_dbs=4,
            readahead=False,
            metasync=False,  # the last transaction may be lost; the stamp tells
            mode=0o600,
        )
        size, page = self._path.stat().st_size, env.stat()["psize"]
        if size and size < (env.info()["last_pgno"] + 1) * page:
            raise lmdb.CorruptedError("the file is shorter than it was")  # reading would kill us
        self.names, self.anchors = env.open_db(b"names"), env.open_db(b"anchors")
        self.sites, self.about = env.open_db(b"sites"), env.open_db(b"about")
        with self.begin(write=True) as txn:
            if txn.get(b"version", VERSION, db=self.about) != VERSION:
                raise lmdb.VersionMismatchError("the file is of another version")
            txn.put(b"version", VERSION, db=self.about)
            self.stamp(txn)
