"""A WACZ file (1.1.1), written: WARCs, their index, pages, and what proves all of it.

Nothing of it is held in memory, and its members are written one after the other, so that it may be
of any size. What is compressed already is stored as it is, so that a reader on the web can fetch a
record by its bytes.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime
from hashlib import sha256
from json import dumps
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import IO, BinaryIO, cast
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from attrs import field, frozen
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

from anet.durable import sync_path
from anet.formats.cdxj import write_blocks
from anet.formats.serial import OPEN
from anet.formats.signing import signed
from anet.formats.wacz import DIGEST, PACKAGE, Page

VERSION = "1.1.1"
_PIECE = 1 << 20
_BLOCKS = "index.cdx.gz"


@frozen
class About:
    """What a WACZ file says of itself.

    Attributes:
        created: when: RFC 3339, to the second, in UTC (`2026-11-22T03:15:00Z`).
        software: with what.
        title: of the collection; empty for none, like all that follow.
        description: in Markdown.
        main_page: URL at which readers begin.
        main_date: its date, RFC 3339.
        more: other properties of datapackage.json.
    """

    created: str
    software: str
    title: str = ""
    description: str = ""
    main_page: str = ""
    main_date: str = ""
    more: Mapping[str, object] = field(factory=dict)


class WaczWriter:
    """Writes one WACZ file. For one thread; blocks.

    with WaczWriter(path, about, key) as wacz:
        wacz.index(lines)
        wacz.pages(pages)
        wacz.warc(path)

    The file has its name when it is whole and durable; when writing fails, nothing is left.
    """

    def __init__(
        self, target: Path, about: About, key: EllipticCurvePrivateKey | None = None
    ) -> None:
        """Begin a file.

        Args:
            target: its path.
            about: what it says of itself.
            key: that signs it (`anet.formats.signing`); without one it is not signed.

        Raises:
            OSError: it cannot be written.
        """
        self._target = target
        self._about = about
        self._key = key
        self._date = datetime.fromisoformat(about.created).timetuple()[:6]
        self._resources: list[dict[str, object]] = []
        self._file = target.with_name(target.name + OPEN).open("wb")
        self._zip = ZipFile(self._file, "w", allowZip64=True)

    def __enter__(self) -> "WaczWriter":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.close()
        else:
            self.abandon()

    def index(self, lines: Iterable[bytes]) -> None:
        """Write the index of all WARCs.

        Args:
            lines: sorted, each with its line end (`anet.formats.cdxj`, `anet.formats.sorting`).
        """
        with TemporaryFile(dir=self._target.parent) as places:
            with self._member(f"indexes/{_BLOCKS}", ZIP_STORED) as blocks:
                write_blocks(lines, blocks, cast(BinaryIO, places), _BLOCKS)
            places.seek(0)
            self._copy("indexes/index.idx", ZIP_DEFLATED, places)

    def pages(
        self,
        pages: Iterable[Page],
        name: str = "pages",
        title: str = "All Pages",
        *,
        with_text: bool = False,
    ) -> None:
        """Write a list of pages.

        Args:
            pages: that it names.
            name: "pages" for the one every WACZ has; "extraPages" for what else there is.
            title: of the list.
            with_text: whether they come with their text, and readers can search in it.
        """
        head = {"format": "json-pages-1.0", "id": name, "title": title}
        with self._member(f"pages/{name}.jsonl", ZIP_DEFLATED) as file:
            file.write(_line(head | ({"hasText": True} if with_text else {})))
            for page in pages:
                file.write(_line(_page(page)))

    def warc(self, path: Path) -> None:
        """Write a WARC as it is, by its own name, which has to end with `.warc` or `.warc.gz`."""
        with path.open("rb") as file:
            self._copy(f"archive/{path.name}", ZIP_STORED, file)

    def close(self) -> None:
        """Write what proves the rest, and make the file durable."""
        try:
            self._seal()
            self._zip.close()
            self._file.flush()
            os.fsync(self._file.fileno())
        except BaseException:
            self.abandon()
            raise
        self._file.close()
        Path(self._file.name).rename(self._target)
        sync_path(self._target.parent)

    def abandon(self) -> None:
        """Remove what was written."""
        with suppress(OSError, ValueError):  # writes its table of members
            self._zip.close()
        self._file.close()
        Path(self._file.name).unlink(missing_ok=True)

    def _seal(self) -> None:
        package = dumps(self._package(), indent=2).encode()
        seal: dict[str, object] = {"path": PACKAGE, "hash": _hash(package)}
        if self._key is not None:
            said = self._about
            seal["signedData"] = signed(_hash(package), said.created, said.software, self._key)
        for name, text in ((PACKAGE, package), (DIGEST, dumps(seal, indent=2).encode())):
            self._zip.writestr(self._info(name, ZIP_DEFLATED), text)

    def _package(self) -> dict[str, object]:
        about = self._about
        optional = {
            "title": about.title,
            "description": about.description,
            "mainPageUrl": about.main_page,
            "mainPageDate": about.main_date,
        }
        return {
            **about.more,
            "profile": "data-package",
            "wacz_version": VERSION,
            "created": about.created,
            "software": about.software,
            **{name: text for name, text in optional.items() if text},
            "resources": self._resources,
        }

    def _copy(self, name: str, how: int, file: IO[bytes]) -> None:
        with self._member(name, how) as member:
            copyfileobj(file, member, _PIECE)

    @contextmanager
    def _member(self, name: str, how: int) -> Iterator[BinaryIO]:
        """Give a file to write a member into; note its size and its hash."""
        if name in self._zip.NameToInfo:
            raise ValueError(f"two files of a WACZ are named {name}")
        with self._zip.open(self._info(name, how), "w", force_zip64=True) as file:
            hashed = _Hashed(file)
            yield cast(BinaryIO, hashed)
        resource = {"name": name.rpartition("/")[2].lower(), "path": name}
        self._resources.append(resource | {"hash": hashed.hash(), "bytes": hashed.size})

    def _info(self, name: str, how: int) -> ZipInfo:
        info = ZipInfo(name, self._date)
        info.compress_type = how
        info.external_attr = 0o644 << 16
        return info


class _Hashed:
    """Writes into a file, and counts and hashes what is written."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._digest = sha256()
        self.size = 0

    def write(self, data: bytes) -> int:
        self._digest.update(data)
        self.size += len(data)
        return self._file.write(data)

    def hash(self) -> str:
        return f"sha256:{self._digest.hexdigest()}"


def _hash(data: bytes) -> str:
    return f"sha256:{sha256(data).hexdigest()}"


def _line(said: Mapping[str, object]) -> bytes:
    return dumps(said, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def _page(page: Page) -> dict[str, str]:
    identity = sha256(f"{page.date} {page.url}".encode("utf-8", "replace")).hexdigest()[:16]
    optional = {"title": page.title, "text": page.text}
    said = {"id": identity, "url": page.url, "ts": page.date}
    return said | {name: text for name, text in optional.items() if text}
