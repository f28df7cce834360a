"""A WACZ file (1.1.1): a collection of WARCs in a zip file, with its pages and its digests.

    with Wacz(path) as wacz:
        for problem in wacz.verified(): ...
        for page in wacz.pages(): ...

What is read of it as records, `anet.formats.wacz_records` tells.
"""

import hashlib
import re
from collections.abc import Iterator
from json import loads
from pathlib import Path
from typing import Any, Self

from attrs import frozen

from anet.formats.record import Damage
from anet.formats.signing import BadSignature, Signed, verified
from anet.formats.zip_members import BadMember, Member, ZipMembers

PACKAGE = "datapackage.json"
DIGEST = "datapackage-digest.json"
_WARC = re.compile(r"archive/.+\.w?arc(\.gz|\.zst)?", re.I)
_PAGES = re.compile(r"pages/.+\.jsonl")
_JSON_LIMIT = 16 << 20  # bytes of the package's own files
_LINE_LIMIT = 4 << 20  # bytes of a page; some hold its whole text
_HASHES = ("md5", "sha1", "sha256", "sha512")


@frozen
class Page:
    """A page that a collection is entered by.

    Attributes:
        url: its URL.
        date: when it was archived: RFC 3339.
        title: what it is called; empty if unknown.
        text: what it says, if the collection holds that.
    """

    url: str
    date: str
    title: str = ""
    text: str = ""


class Wacz:
    """A WACZ file that is open for reading. Blocks.

    Attributes:
        zip: its members.
        package: what datapackage.json says; empty if there is none that can be read.
    """

    def __init__(self, path: Path) -> None:
        """Read what it holds.

        Raises:
            NotZip: it is no zip file that can be read.
            OSError: it cannot be opened.
        """
        self.zip = ZipMembers(path)
        self.package, self._package_hash = self._json(PACKAGE)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.zip.close()

    @property
    def warcs(self) -> list[Member]:
        """Its files of records, in the order in which they lie."""
        return [member for member in self.zip.members if is_warc(member)]

    def signed(self) -> Signed | None:
        """Return what a good signature says; None if it has none.

        Raises:
            BadSignature: it has one that is not good.
        """
        said = self._json(DIGEST)[0].get("signedData")
        if said is None:
            return None
        if not isinstance(said, dict):
            raise BadSignature("signedData is no object")
        return verified(said, self._package_hash)

    def verified(self) -> Iterator[Damage]:
        """Read all of it, and yield what is not as the package says, or its signature."""
        yield from self.zip.problems
        if not self.warcs:
            yield Damage(0, 0, "archive/ holds no WARC")
        hashes = self._hashes()
        for member in self.zip.members:
            cause = self._cause(member, hashes.pop(member.name, ""))
            if cause:
                yield Damage(member.begin, member.begin, cause)
        for name in hashes:
            yield Damage(0, 0, f"{name!r} is in {PACKAGE}, but cannot be read or is not there")
        yield from self._sealed()

    def pages(self) -> Iterator[Page]:
        """Yield the pages of all lists, `pages/pages.jsonl` first; lines that are none are skipped.

        Raises:
            BadMember: a list cannot be unpacked.
        """
        lists = [member for member in self.zip.members if _PAGES.fullmatch(member.name)]
        for member in sorted(lists, key=lambda each: each.name != "pages/pages.jsonl"):
            for line in self._lines(member):
                page = _page(line)
                if page is not None:
                    yield page

    def _lines(self, member: Member) -> Iterator[bytes]:
        left = b""
        for piece in self.zip.pieces(member):
            *lines, left = (left + piece).split(b"\n")
            yield from lines
            left = left if len(left) < _LINE_LIMIT else b""
        yield left

    def _json(self, name: str) -> tuple[dict[str, Any], str]:
        """Return what one of the package's own files says, and its hash."""
        member = self.zip.get(name)
        if member is None or member.size > _JSON_LIMIT:
            return {}, ""
        try:
            text = b"".join(self.zip.pieces(member))
            said = loads(text)
        except (BadMember, ValueError, RecursionError):
            return {}, ""
        hash_ = f"sha256:{hashlib.sha256(text).hexdigest()}"
        return (said if isinstance(said, dict) else {}), hash_

    def _hashes(self) -> dict[str, str]:
        """Return the hash of each file that the package names."""
        resources = self.package.get("resources")
        listed = resources if isinstance(resources, list) else []
        named = [each for each in listed if isinstance(each, dict)]
        return {str(each.get("path", "")): str(each.get("hash", "")) for each in named}

    def _cause(self, member: Member, hash_: str) -> str:
        """Return what is wrong with a member; empty if nothing is."""
        algorithm, _, expected = hash_.partition(":")
        digest = hashlib.new(algorithm if algorithm in _HASHES else "sha256")
        try:
            for piece in self.zip.pieces(member):
                digest.update(piece)
        except BadMember as error:
            return str(error)
        if member.name in (PACKAGE, DIGEST) or not self.package:
            return ""
        if not hash_:
            return f"{member.name!r} is not named in {PACKAGE}"
        if algorithm not in _HASHES:
            return f"{member.name!r} has a hash that is not known here: {algorithm[:40]!r}"
        return "" if digest.hexdigest() == expected else f"{member.name!r} is not as its hash says"

    def _sealed(self) -> Iterator[Damage]:
        """Yield what is wrong with the package itself."""
        package, seal = self.zip.get(PACKAGE), self._json(DIGEST)[0]
        if package is None or not self.package:
            yield Damage(0, 0, f"{PACKAGE} is missing or cannot be read: nothing proves the rest")
        elif seal and seal.get("hash") != self._package_hash:
            yield Damage(package.begin, package.begin, f"{PACKAGE} is not as {DIGEST} says")
        try:
            self.signed()
        except BadSignature as error:
            yield Damage(0, 0, str(error))


def is_warc(member: Member) -> bool:
    """Return whether a member holds records."""
    return _WARC.fullmatch(member.name) is not None


def _page(line: bytes) -> Page | None:
    try:
        said = loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(said, dict):
        return None
    texts = [said.get(name, "") for name in ("url", "ts", "title", "text")]
    url, date, title, text = (each if isinstance(each, str) else "" for each in texts)
    return Page(url, date, title, text) if url and date else None
