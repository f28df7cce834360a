"""What imports into one target have done: how far each file is, and what is known of contents.

An LMDB environment, which several processes may use at once, with three tables:

    files      SHA-256 of the name, and the first 8 bytes of the identity → `FileState`
    digests    algorithm:digest → the key of the content, and its size
    pending    key of the file, and offset → a revisit whose content is not known yet

Losing it costs reading the files again, and nothing else. What `note` was called with is durable
when it returns. Everything blocks: call it in a worker.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

import lmdb
import msgspec

from agents.archive.errors import ArchiveError
from agents.archive.importing.captures import Repeat
from agents.archive.importing.digests import Digest, key_of

_ADDRESSES = 1 << 40  # bytes of address space; the file is only as large as what it holds
_SIZE = 8  # bytes of a number, the most significant first
_KEY = 32  # bytes of a content's key
_PAGE = 500  # revisits read in one transaction
_TOLD = 100  # problems of a file that are named; the others are counted


class StateFailed(ArchiveError):
    """The state of imports cannot be read or written."""


class FileState(msgspec.Struct, omit_defaults=True):
    """How far the import of a file is.

    Attributes:
        identity: SHA-256 of its first bytes.
        hashed: how many these are.
        next: the offset at which reading goes on.
        size: its bytes when it was read to its end; -1 before.
        damage: parts of it that hold no sound record.
        digests: records of it whose digests are not true.
        told: some of that, in words.
        torn: whether the last damage is at its end, and may be whole when the file has grown.
        content: one that came of it; empty if none did. A target that does not hold it is not the
            one that is spoken of here, though it has its name: somebody made it anew.
    """

    identity: str
    hashed: int
    next: int = 0
    size: int = -1
    damage: int = 0
    digests: int = 0
    told: list[str] = []
    torn: bool = False
    content: str = ""

    def tell(self, words: str) -> None:
        """Take note of what is wrong, in words."""
        if len(self.told) < _TOLD:
            self.told.append(words)

    def go_on(self, *, anew: bool = False) -> None:
        """Forget the damage at the end of a file that has grown: there it is read again.

        Args:
            anew: whether all of it is, for it is known only unpacked what is its end.
        """
        if anew:
            self.next = self.damage = self.digests = 0
            self.told, self.torn = [], False
        if self.torn:
            self.torn = False
            self.damage -= 1
            self.told = self.told[:-1]
        self.size = -1


class ImportState:
    """The state of all imports into one target.

    Args:
        folder: of its files; made if need be.

    Raises:
        StateFailed: it cannot be used.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with self._in_words():
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._environment = lmdb.open(
                str(folder), map_size=_ADDRESSES, max_dbs=3, readahead=False, mode=0o600
            )
            self._environment.reader_check()
            self._files = self._environment.open_db(b"files")
            self._digests = self._environment.open_db(b"digests")
            self._pending = self._environment.open_db(b"pending")

    def close(self) -> None:
        """Close it."""
        self._environment.close()

    def files(self, name: str) -> list[FileState]:
        """Return the states of the files of a name."""
        prefix = _digest(name)
        with self._in_words(), self._environment.begin(db=self._files) as txn:
            found = _beginning(txn.cursor(), prefix)
            return [msgspec.msgpack.decode(value, type=FileState) for value in found]

    def known(
        self, digests: Iterable[Digest], own: Mapping[bytes, tuple[str, int]]
    ) -> tuple[str, int] | None:
        """Return key and size of the content that has one of some digests.

        Args:
            digests: which.
            own: what is known besides, and not kept yet.
        """
        with self._in_words(), self._environment.begin(db=self._digests) as txn:
            for digest in map(key_of, digests):
                if digest in own:
                    return own[digest]
                if found := txn.get(digest):
                    return found[:_KEY].hex(), int.from_bytes(found[_KEY:], "big")
        return None

    def note(
        self,
        name: str,
        state: FileState,
        digests: Iterable[tuple[bytes, str, int]] = (),
        pending: Sequence[Repeat] = (),
        settled: Sequence[Repeat] = (),
    ) -> None:
        """Keep how far a file is, with what was learnt on the way.

        Args:
            name: of the file.
            state: of it.
            digests: what contents are found by, their keys and sizes.
            pending: revisits that wait.
            settled: revisits that do not.
        """
        key = file_key(name, state.identity)
        known = [
            (found_by, bytes.fromhex(content) + size.to_bytes(_SIZE, "big"))
            for found_by, content, size in digests
        ]
        with self._in_words(), self._environment.begin(write=True) as txn:
            if known:
                txn.cursor(db=self._digests).putmulti(known)
            for each in pending:
                txn.put(_repeat_key(key, each), msgspec.msgpack.encode(each), db=self._pending)
            for each in settled:
                txn.delete(_repeat_key(key, each), db=self._pending)
            txn.put(key, msgspec.msgpack.encode(state), db=self._files)

    def learn(self, found_by: Iterable[Digest], content: str, size: int) -> None:
        """Keep what a content is found by."""
        value = bytes.fromhex(content) + size.to_bytes(_SIZE, "big")
        with self._in_words(), self._environment.begin(write=True, db=self._digests) as txn:
            for digest in found_by:
                txn.put(key_of(digest), value)

    def pending(self, after: bytes = b"") -> list[tuple[bytes, Repeat]]:
        """Return the next revisits that wait, by their keys; none at the end."""
        found = []
        with self._in_words(), self._environment.begin(db=self._pending) as txn:
            cursor = txn.cursor()
            if cursor.set_range(after + b"\0" if after else b"\0"):
                for key, value in cursor.iternext():
                    found.append((key, msgspec.msgpack.decode(value, type=Repeat)))
                    if len(found) == _PAGE:
                        break
        return found

    def settle(self, keys: Iterable[bytes]) -> None:
        """Take away revisits that wait no longer."""
        with self._in_words(), self._environment.begin(write=True, db=self._pending) as txn:
            for key in keys:
                txn.delete(key)

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        """Say in words what goes wrong."""
        try:
            yield
        except (lmdb.Error, OSError, msgspec.MsgspecError) as error:
            raise StateFailed(
                f"the state of imports in {self._folder} cannot be used: {error}; what was "
                "imported is safe. Mend it and repeat the command, or take the folder away: then "
                "files are read from their beginnings again, to no harm"
            ) from None


KEY = 40  # bytes of what `file_key` returns


def _digest(name: str) -> bytes:
    return sha256(name.encode("utf-8", "surrogatepass")).digest()


def file_key(name: str, identity: str) -> bytes:
    """Return what the state of a file is found by, and what the keys of its revisits begin with."""
    return _digest(name) + bytes.fromhex(identity[:16])


def _repeat_key(file: bytes, repeat: Repeat) -> bytes:
    return file + repeat.offset.to_bytes(_SIZE, "big")


def _beginning(cursor: lmdb.Cursor, prefix: bytes) -> Iterator[bytes]:
    """Yield what has a key with a prefix."""
    if cursor.set_range(prefix):
        for key, value in cursor.iternext():
            if bytes(key[: len(prefix)]) != prefix:
                return
            yield bytes(value)
