"""Who links to whom, and what resembles what: one LMDB file, made from the archive alone.

One table each; numbers are big-endian, so that entries of one kind lie side by side:

    documents    name of a document (a URL with one content of it) -> `Document`
    links        name of a target URL, name of a document that links to it -> nothing
    contents     name of a content -> `Text`, its signatures and one place where it lies
    chunks       a signature, name of a content that has it -> nothing
    about        version, and how far the archive has been followed

A name is the first 8 bytes of a SHA-256. Of 100 million names two are the same by chance with a
probability of 0.03 %: somebody then sees one backlink too many, so readers of a document compare
what is written in it where that tells. What is lost with the file is made anew by following the
archive from its beginning.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, TypeAlias

import lmdb
import msgspec

from agents.analysis.signatures import Signatures, resemblance
from agents.consultation.mining.extraction import Extracted
from agents.consultation.mining.records import Alike, Backlink, Document, Position, Seen, Text

VERSION: Final = b"1"
COMMON: Final = 100  # contents that have a chunk; with more of them it tells nothing, and is left
LINKS_LIMIT: Final = 2000  # links of a document that are noted
_COMPARED = 2000  # contents that share a chunk with one, the closest of which are compared
_LOOKED_AT = 20_000  # links to a URL that one answer looks through
_ADDRESSES = 2**40  # bytes of address space for the file, which takes only what it needs
_NAME = 8
_NUMBER = bytes.fromhex
_SPOILT = (lmdb.CorruptedError, lmdb.InvalidError, lmdb.VersionMismatchError)

Transaction: TypeAlias = Any  # lmdb.Transaction


class Graph:
    """The file; one thread at a time writes it, any may read."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._env: Any = None
        self._tables: dict[str, Any] = {}

    def open(self) -> None:
        """Open the file, or make it; one that is damaged or of another version is begun anew.

        Raises:
            OSError: it can't be made.
            lmdb.Error: it can't be used now, as on a full disk.
        """
        try:
            self._open()
        except _SPOILT:
            self.close()
            self._path.unlink(missing_ok=True)
            self._open()
        except lmdb.Error:
            self.close()
            raise

    def _open(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._env = env = lmdb.open(
            str(self._path), subdir=False, map_size=_ADDRESSES, max_dbs=5, readahead=False,
            mode=0o600,
        )  # fmt: skip
        size, page = self._path.stat().st_size, env.stat()["psize"]
        if size < (env.info()["last_pgno"] + 1) * page:
            raise lmdb.CorruptedError("the file is shorter than it was")  # reading would kill us
        names = ("documents", "links", "contents", "chunks", "about")
        self._tables = {name: env.open_db(name.encode()) for name in names}
        with env.begin(write=True) as txn:
            if txn.get(b"version", VERSION, db=self._tables["about"]) != VERSION:
                raise lmdb.VersionMismatchError("the file is of another version")
            txn.put(b"version", VERSION, db=self._tables["about"])

    def close(self) -> None:
        """Close the file."""
        env, self._env = self._env, None
        if env is not None:
            env.close()

    @property
    def size(self) -> int:
        """Bytes of the file that are in use; none before it is open."""
        if self._env is None:
            return 0
        found: int = (self._env.info()["last_pgno"] + 1) * self._env.stat()["psize"]
        return found

    def position(self) -> Position:
        """Return how far the archive has been followed."""
        with self._env.begin() as txn:
            kept = txn.get(b"position", db=self._tables["about"])
        return msgspec.msgpack.decode(kept, type=Position) if kept else Position()

    def known(self, captures: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
        """Return which documents, by URL and key of content, are here already."""
        with self._env.begin() as txn:
            return {
                (url, content)
                for url, content in captures
                if txn.get(name_of(url, content), db=self._tables["documents"]) is not None
            }

    def note(self, seen: Iterable[Seen], position: Position) -> None:
        """Note captures, and how far they go; both are durable on return, or neither is."""
        with self._env.begin(write=True) as txn:
            for one in seen:
                if one.extracted is not None:
                    self._note_links(txn, one, one.extracted)
                    self._note_text(txn, one, one.extracted)
                self._note_document(txn, one)
            told = msgspec.msgpack.encode(position)
            txn.put(b"position", told, db=self._tables["about"])

    def _note_document(self, txn: Transaction, one: Seen) -> None:
        name = name_of(one.url, one.content)
        kept = txn.get(name, db=self._tables["documents"])
        first = last = one.date
        if kept is not None:
            before = msgspec.msgpack.decode(kept, type=Document)
            first, last = min(first, before.first), max(last, before.last)
        document = Document(one.url, _NUMBER(one.content), first, last)
        txn.put(name, msgspec.msgpack.encode(document), db=self._tables["documents"])

    def _note_links(self, txn: Transaction, one: Seen, extracted: Extracted) -> None:
        name = name_of(one.url, one.content)
        targets = dict.fromkeys(link.url for link in extracted.links if link.url != one.url)
        for target in list(targets)[:LINKS_LIMIT]:
            txn.put(name_of(target) + name, b"", db=self._tables["links"])

    def _note_text(self, txn: Transaction, one: Seen, extracted: Extracted) -> None:
        key = _NUMBER(one.content)
        signatures = _NUMBER(extracted.signatures)
        if not signatures or txn.get(key[:_NAME], db=self._tables["contents"]) is not None:
            return
        text = Text(key, one.url, one.date, extracted.chunks, signatures)
        txn.put(key[:_NAME], msgspec.msgpack.encode(text), db=self._tables["contents"])
        for signature in _split(signatures):
            if sum(1 for _ in self._after(txn, "chunks", signature, COMMON)) < COMMON:
                txn.put(signature + key[:_NAME], b"", db=self._tables["chunks"])

    def backlinks(self, url: str, after: str, limit: int) -> tuple[list[Backlink], str]:
        """Return documents that link to a URL, each URL once, and where to go on, or nothing.

        Several contents of one URL lie apart; those beyond the present page come with the next,
        as that URL once more.
        """
        found: dict[str, Backlink] = {}
        begin = bytes.fromhex(after) if after else b""
        target, place = name_of(url), begin
        with self._env.begin() as txn:
            names = self._after(txn, "links", target, _LOOKED_AT, begin)
            for name in names:
                document = self._document(txn, name)
                if document is not None and document.url not in found and len(found) == limit:
                    return list(found.values()), place.hex()
                place = name
                if document is not None:
                    _join(found, document)
        return list(found.values()), ""

    def _document(self, txn: Transaction, name: bytes) -> Document | None:
        kept = txn.get(name, db=self._tables["documents"])
        return msgspec.msgpack.decode(kept, type=Document) if kept else None

    def similar(self, content: str, chunks: int, signatures: str, limit: int) -> list[Alike]:
        """Return contents that have chunks in common with one, the most alike first."""
        own, wanted = _NUMBER(content), Signatures.read(chunks, signatures)
        shared: Counter[bytes] = Counter()
        alike: list[Alike] = []
        with self._env.begin() as txn:
            for signature in _split(_NUMBER(signatures)):
                having = list(self._after(txn, "chunks", signature, COMMON))
                shared.update(having if len(having) < COMMON else ())
            for name, _ in shared.most_common(_COMPARED):
                kept = txn.get(name, db=self._tables["contents"])
                text = msgspec.msgpack.decode(kept, type=Text) if kept else None
                if text is None or text.content == own:
                    continue
                other = Signatures.read(text.chunks, text.signatures.hex())
                share = resemblance(wanted, other)
                alike.append(Alike(text.url, text.date, text.content.hex(), share))
        return sorted(alike, key=lambda one: (-one.resemblance, one.url))[:limit]

    def _after(
        self, txn: Transaction, table: str, prefix: bytes, limit: int, begin: bytes = b""
    ) -> Iterator[bytes]:
        """Yield what stands behind a prefix, after `begin`, at most `limit`."""
        cursor = txn.cursor(db=self._tables[table])
        more = cursor.set_range(prefix + begin)
        while more and limit and cursor.key().startswith(prefix):
            rest = bytes(cursor.key()[len(prefix) :])
            if rest != begin or not begin:
                yield rest
                limit -= 1
            more = cursor.next()


def name_of(url: str, content: str = "") -> bytes:
    """Return the name of a URL; with the key of a content, of that document."""
    return sha256(f"{url} {content}".encode("utf-8", "surrogatepass")).digest()[:_NAME]


def _split(signatures: bytes) -> Iterator[bytes]:
    return (signatures[start : start + 8] for start in range(0, len(signatures), 8))


def _join(found: dict[str, Backlink], document: Document) -> None:
    before = found.get(document.url)
    first, last = document.first, document.last
    if before is not None:
        first, last = min(first, before.first), max(last, before.last)
    found[document.url] = Backlink(document.url, first, last)
