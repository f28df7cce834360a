"""The file of the index of URLs: LMDB, which can always be made again from the storage nodes.

    urls    first half of a structure key -> the URL
    order   urlkey, a zero, first half of the structure key -> nothing
    forms   hash of the fuzzy form, first half of the structure key -> nothing
    about   how far each log has been read, what the index was made with, and the names of the logs
            of streams

Its methods block. One thread writes; a change and how far it leads are one transaction.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from threading import Semaphore
from typing import Any, TypeAlias

import lmdb
import msgspec
from attrs import field, frozen

from agents.capture import is_key, structure_key
from agents.consultation.urls.surt import surt
from agents.stream import LOG_SCHEME
from agents.urls import is_of_the_web
from anet.errors import Stopped

Transaction: TypeAlias = Any  # lmdb.Transaction; it gives bytes, for it is not asked for views

VERSION = b"dlweb-urls 1"
READERS = 2  # threads
_LOG = b"stream "
HALF_KEY = 16  # bytes of a SHA-256
_ADDRESSES = 1 << 40  # bytes of address space; the file is only as large as what it holds
URLKEY = 480  # bytes of a urlkey that are kept; LMDB takes keys of up to 511


@frozen
class Listed:
    """An archived URL, and the key of its structure file."""

    url: str
    key: str


@frozen
class Progress:
    """How far a storage node has been followed.

    Attributes:
        listed: the key after which its list goes on; None when it was read to its end.
        logs: of each disk, by name: the log, and how many bytes of it were read.
    """

    listed: str | None = ""
    logs: dict[str, tuple[str, int]] = field(factory=dict)


class Tables:
    """The file; one process has it open at a time.

    Args:
        path: of the file.
        form: makes fuzzy forms.
        rules: a mark of the rules that `form` goes by; with others the index is made again.
    """

    def __init__(self, path: Path, form: Callable[[str], str], rules: str) -> None:
        self._path, self._form = path, form
        self._version = VERSION + b" " + rules.encode()
        self._env: lmdb.Environment | None = None
        self._readers = Semaphore(READERS)
        self._urls: Any = None
        self._order: Any = None
        self._forms: Any = None
        self._about: Any = None

    def open(self) -> None:
        """Open the file, or make it; one that is damaged or of another version is begun anew.

        Raises:
            OSError: the file cannot be made.
        """
        try:
            self._open()
        except (lmdb.Error, msgspec.MsgspecError):
            self._close()
            for name in (self._path.name, f"{self._path.name}-lock"):
                self._path.with_name(name).unlink(missing_ok=True)
            self._open()

    def close(self) -> None:
        """Wait for those who read, and close."""
        for _ in range(READERS):  # LMDB must not be closed under those who read
            self._readers.acquire()
        self._close()
        self._readers.release(READERS)

    @property
    def size(self) -> int:
        """Bytes of the file that are in use."""
        if self._env is None:
            return 0
        return int((self._env.info()["last_pgno"] + 1) * self._env.stat()["psize"])

    def count(self) -> int:
        """Return how many URLs there are."""
        with self._reading() as txn:
            return int(txn.stat(self._urls)["entries"])

    def progress(self) -> dict[str, Progress]:
        """Return how far each node has been followed, by its base URL."""
        with self._reading() as txn:
            cursor = txn.cursor(db=self._about)
            found = cursor.iternext() if cursor.set_range(b"node ") else ()
            return {
                key[5:].decode(): msgspec.msgpack.decode(value, type=Progress)
                for key, value in found
                if key.startswith(b"node ")
            }

    def add(self, node: str, progress: Progress, urls: Iterable[str]) -> int:
        """Take in URLs, and how far that leads; return how many were new."""
        with self._writing() as txn:
            added = sum(self._put(txn, url) for url in urls)
            txn.put(_of_node(node), msgspec.msgpack.encode(progress), db=self._about)
        return added

    def stream_logs(self) -> list[str]:
        """Return the names of the logs of streams."""
        with self._reading() as txn:
            cursor = txn.cursor(db=self._about)
            found = cursor.iternext() if cursor.set_range(_LOG) else ()
            return [value.decode("ascii") for key, value in found if key.startswith(_LOG)]

    def unknown(self, keys: Iterable[str]) -> list[str]:
        """Return those structure keys whose URLs are not here, each once, in order."""
        with self._reading() as txn:
            return [key for key in sorted(set(keys)) if txn.get(_half(key), db=self._urls) is None]

    def between(self, start: bytes, end: bytes, limit: int) -> list[tuple[bytes, str]]:
        """Return the places and URLs from a place on and before another, in order."""
        found: list[tuple[bytes, str]] = []
        with self._reading() as txn:
            cursor = txn.cursor(db=self._order)
            there = cursor.set_range(start or b"\0")
            while there and len(found) < limit and cursor.key() < end:
                place = cursor.key()
                url = txn.get(place[-HALF_KEY:], db=self._urls)
                if url is not None:
                    found.append((place, url.decode("ascii")))
                there = cursor.next()
        return found

    def skip(self, start: bytes, end: bytes, count: int) -> tuple[int, bytes]:
        """Pass over places from one on; return how many there were before the end, and the next."""
        passed = 0
        with self._reading() as txn:
            cursor = txn.cursor(db=self._order)
            there = cursor.set_range(start or b"\0")
            while there and passed < count and cursor.key() < end:
                passed += 1
                there = cursor.next()
            return passed, cursor.key() if there else end

    def of_form(self, form: str, limit: int) -> list[str]:
        """Return URLs that have a fuzzy form."""
        begin = _hash(form)
        found: list[str] = []
        with self._reading() as txn:
            cursor = txn.cursor(db=self._forms)
            there = cursor.set_range(begin)
            while there and len(found) < limit and cursor.key().startswith(begin):
                url = txn.get(cursor.key()[HALF_KEY:], db=self._urls)
                if url is not None:
                    found.append(url.decode("ascii"))
                there = cursor.next()
        return found

    def _put(self, txn: Transaction, url: str) -> bool:
        half = _half(structure_key(url))
        if url.startswith(LOG_SCHEME):
            txn.put(_LOG + half, url.encode("ascii"), db=self._about)
            return False
        if not txn.put(half, url.encode("ascii"), overwrite=False, db=self._urls):
            return False
        txn.put(place_of(surt(url)) + b"\0" + half, b"", db=self._order)
        txn.put(_hash(self._form(url)) + half, b"", db=self._forms)
        return True

    @contextmanager
    def _reading(self) -> Iterator[Transaction]:
        with self._readers:
            if self._env is None:
                raise Stopped("the index of URLs is closed")
            with self._env.begin() as txn:
                yield txn

    @contextmanager
    def _writing(self) -> Iterator[Transaction]:
        if self._env is None:
            raise Stopped("the index of URLs is closed")
        with self._env.begin(write=True) as txn:
            yield txn

    def _open(self) -> None:
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._env = env = lmdb.open(
            str(self._path),
            subdir=False,
            map_size=_ADDRESSES,
            max_dbs=4,
            readahead=False,
            metasync=False,  # the last transaction may be lost; how far it led is lost with it
            mode=0o600,
        )
        env.reader_check()  # frees the places of readers of a process that was killed
        if 0 < self._path.stat().st_size < self.size:
            raise lmdb.CorruptedError("the file is shorter than it was")  # reading would kill us
        self._urls, self._order = env.open_db(b"urls"), env.open_db(b"order")
        self._forms, self._about = env.open_db(b"forms"), env.open_db(b"about")
        with self._writing() as txn:
            if txn.get(b"version", self._version, db=self._about) != self._version:
                raise lmdb.VersionMismatchError("it was made by other rules")
            txn.put(b"version", self._version, db=self._about)
        self.progress()

    def _close(self) -> None:
        env, self._env = self._env, None
        if env is not None:
            env.close()


def place_of(urlkey: str) -> bytes:
    """Return where the URLs of a urlkey begin in the order; long ones lie together."""
    return urlkey.encode("ascii")[:URLKEY]


def is_whole(listed: Listed) -> bool:
    """Tell whether a name that a node lists is a URL or that of a stream's log, and can be kept."""
    url = listed.url
    is_named = is_key(listed.key) and structure_key(url) == listed.key
    return is_named and url.isascii() and (is_of_the_web(url) or url.startswith(LOG_SCHEME))


def _half(key: str) -> bytes:
    return bytes.fromhex(key[: 2 * HALF_KEY])


def _hash(form: str) -> bytes:
    return sha256(form.encode()).digest()[:HALF_KEY]


def _of_node(node: str) -> bytes:
    return b"node " + node.encode()[:500]
