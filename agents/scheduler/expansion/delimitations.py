"""The index of all delimitations: which site a URL belongs to, in microseconds (*INA §1.5.1*).

An LMDB file, derived from the table of sites: it is made again whenever it is missing, damaged or
behind. What it says on a URL is always one site, the one whose claim is the most specific;
`agents.scheduler.expansion.borders` tells how sites are kept apart.
"""

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import msgspec
from msgspec.structs import replace

from agents.scheduler.expansion.anchors import Address, Portion, address_of
from agents.scheduler.expansion.borders import TooWide
from agents.scheduler.expansion.claims import Claim
from agents.scheduler.expansion.surroundings import rows_near
from agents.scheduler.expansion.tables import Stamp, Tables, Transaction

__all__ = ["CROWD", "Delimitations", "Stamp"]

CROWD = 64  # sites at one anchor: each is tested for a URL that has the key
NEIGHBOURS = 5000  # sites that are looked at near a portion
_BATCH = 20_000  # sites of one transaction
_NUMBER = 4  # bytes
_NONE = b"\0\0\0"

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Claim).decode


class Delimitations:
    """The index; one thread of one process uses it at a time, for its methods block.

    Args:
        path: of the file.
    """

    def __init__(self, path: Path) -> None:
        self._tables = Tables(path)

    def open(self) -> Stamp:
        """Open the file, or make it, and tell how far it goes: what is not in it is for the caller.

        Raises:
            OSError: the file cannot be made.
        """
        self._tables.open()
        return self.stamp

    def close(self) -> None:
        """Close the file."""
        self._tables.close()

    def clear(self) -> None:
        """Begin anew, with no site."""
        self._tables.clear()

    @property
    def stamp(self) -> Stamp:
        """How far the index goes."""
        with self._tables.begin() as txn:
            return self._tables.stamp(txn)

    def register(self, claims: Iterable[Claim], mark: int | None = None) -> dict[int, str]:
        """Take in sites, or new bounds of sites that are in it.

        Args:
            claims: any number; each batch of them is a transaction.
            mark: to be kept in the stamp with the last of them; by default what is kept stays.

        Returns:
            Why some were refused, in words by number; such a site's URLs are not found.
        """
        refused: dict[int, str] = {}
        waiting = iter(claims)
        following = list(islice(waiting, _BATCH))
        while True:
            batch, following = following, list(islice(waiting, _BATCH))
            with self._tables.begin(write=True) as txn:
                for claim in batch:
                    reason = self._register(txn, claim)
                    if reason:
                        refused[claim.number] = reason
                if not following:
                    self._tables.mark(txn, mark)
                    return refused

    def forget(self, numbers: Iterable[int], mark: int | None = None) -> None:
        """Take sites out; their numbers are not given again."""
        with self._tables.begin(write=True) as txn:
            for number in numbers:
                self._forget(txn, number.to_bytes(_NUMBER))
            self._tables.mark(txn, mark)

    def site_of(self, url: str) -> int | None:
        """Return the number of the site that a canonical URL belongs to, or None."""
        return self.sites_of([url])[0]

    def sites_of(self, urls: Iterable[str]) -> list[int | None]:
        """Return for each canonical URL the number of its site, or None."""
        with self._tables.begin() as txn:
            levels: dict[str, bytes] = {}
            return [self._site_of(txn, levels, url) for url in urls]

    def claim(self, number: int) -> Claim | None:
        """Return what a site claims, as it was registered."""
        with self._tables.begin() as txn:
            return self._claim(txn, number.to_bytes(_NUMBER))

    def neighbours(self, claim: Claim, limit: int = NEIGHBOURS) -> list[Claim]:
        """Return the sites with a portion that meets one of a site's, itself not among them.

        Raises:
            TooWide: more than `limit` are near.
        """
        found: dict[int, Claim] = {}
        with self._tables.begin() as txn:
            for portion in claim.taken:
                rows = rows_near(txn, self._tables, portion)
                for looked, other in enumerate(self._at(txn, rows, claim.number)):
                    if looked >= limit:
                        raise TooWide(f"more than {limit} sites lie at {portion} or within")
                    if any(portion.meets(each) for each in other.taken):
                        found[other.number] = other
        return list(found.values())

    # In a transaction

    def _claim(self, txn: Transaction, number: bytes) -> Claim | None:
        kept = txn.get(number, db=self._tables.sites)
        return _decode(kept) if kept else None

    def _register(self, txn: Transaction, claim: Claim) -> str:
        number = claim.number.to_bytes(_NUMBER)
        self._forget(txn, number)
        anchors = {portion.anchor: portion for portion in claim.taken}
        rows = {each: txn.get(each.encode(), b"", db=self._tables.anchors) for each in anchors}
        crowded = next((each for each in rows if len(rows[each]) >= CROWD * _NUMBER), None)
        if crowded is not None:
            txn.put(number, _encode(replace(claim, taken=())), db=self._tables.sites)
            return (
                f"{CROWD} sites are at {_place(anchors[crowded])} already, and only their "
                "expressions tell them apart: write one for them all, or give each a folder"
            )
        txn.put(number, _encode(claim), db=self._tables.sites)
        for anchor, row in rows.items():
            kept = b"".join(sorted({*_numbers(row), number}))
            txn.put(anchor.encode(), kept, db=self._tables.anchors)
            self._note(txn, anchor)
        return ""

    def _forget(self, txn: Transaction, number: bytes) -> None:
        claim = self._claim(txn, number)
        if claim is None:
            return
        txn.delete(number, db=self._tables.sites)
        for anchor in {portion.anchor.encode() for portion in claim.taken}:
            row = txn.get(anchor, b"", db=self._tables.anchors)
            kept = b"".join(each for each in _numbers(row) if each != number)
            if kept:
                txn.put(anchor, kept, db=self._tables.anchors)
            else:
                txn.delete(anchor, db=self._tables.anchors)

    def _note(self, txn: Transaction, anchor: str) -> None:
        """Remember of a name at which levels it has anchors; that is never forgotten."""
        name, _, rest = anchor.partition("|")
        port, *segments = rest.split("/")
        kind = 2 if port == "*" else 0 if port else 1
        before = txn.get(f"{name}|".encode(), _NONE, db=self._tables.names)
        levels = bytearray(before)
        levels[kind] |= 1 << len(segments)
        if levels != before:
            txn.put(f"{name}|".encode(), bytes(levels), db=self._tables.names)

    def _site_of(self, txn: Transaction, known: dict[str, bytes], url: str) -> int | None:
        """Look on the host with its port, the host, and the names above, the nearest first.

        Args:
            known: levels of names that were looked up before in this transaction.
        """
        address = address_of(url)
        own = txn.get(f"{address.name}|".encode(), _NONE, db=self._tables.names)
        for place, host in enumerate(address.hosts):
            if place < 2:
                levels = own[place]
            elif host in known:
                levels = known[host][2]
            else:
                known[host] = txn.get(host[:-1].encode(), _NONE, db=self._tables.names)
                levels = known[host][2]
            if levels:
                found = self._on(txn, host, levels, address, url)
                if found is not None:
                    return found
        return None

    def _on(
        self, txn: Transaction, host: str, levels: int, address: Address, url: str
    ) -> int | None:
        """Return who has a URL by an anchor on this host; the deepest are tried first."""
        for level in range(min(levels.bit_length(), len(address.paths)) - 1, -1, -1):
            if levels >> level & 1:
                path = address.paths[level]
                row = txn.get((host + path).encode(), db=self._tables.anchors)
                if row:
                    found = self._among(txn, row, host, len(path), address, url)
                    if found is not None:
                        return found
        return None

    def _among(
        self, txn: Transaction, row: bytes, host: str, length: int, address: Address, url: str
    ) -> int | None:
        """Return who of the sites at an anchor has a URL, which nobody has at a deeper one.

        Args:
            row: their numbers, the lowest first.
            host: of the anchor.
            length: characters of the anchor's path.
        """
        best: Portion | None = None
        winner = None
        for number in _numbers(row):
            claim = self._claim(txn, number)
            if claim is not None:
                here = [each for each in claim.taken if _is_at(each, host, length)]
                portion = claim.best(url, address, here)
                if portion is not None and (best is None or portion.rank > best.rank):
                    best, winner = portion, claim.number
        return winner

    def _at(self, txn: Transaction, rows: Iterable[bytes], but: int) -> Iterator[Claim]:
        """Yield the sites of rows, each once."""
        seen = {but.to_bytes(_NUMBER)}
        for row in rows:
            for number in _numbers(row):
                if number not in seen:
                    seen.add(number)
                    claim = self._claim(txn, number)
                    if claim is not None:
                        yield claim


def _numbers(row: bytes) -> list[bytes]:
    if len(row) == _NUMBER:
        return [row]
    return [row[start : start + _NUMBER] for start in range(0, len(row), _NUMBER)]


def _is_at(portion: Portion, host: str, length: int) -> bool:
    """Tell whether a portion that a URL lies in is found at an anchor of the URL, or deeper."""
    return portion.host == host and (
        len(portion.path) > length or portion.exact or not length  # who ends in "/x" is not at "/x"
    )


def _place(portion: Portion) -> str:
    """Write an anchor for a person to read, from one of its portions."""
    return str(replace(portion, path=portion.anchor[len(portion.host) :], exact=False))
