"""A WACZ file (1.1.1), written: WARCs, their index, pages, and what proves all of it.

Nothing of it is held in memory, and its members are written one after the other, so that it may be
of any size. What is compressed already is stored as it is, so that a reader on the web can fetch a
record by its bytes.
"""

import io
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import datetime
from hashlib import sha256
from json import dumps
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO, cast
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
_LARGE = (1 << 31) - 1  # bytes of a member from which on it takes zip64
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
        with self._spool() as blocks, self._spool() as places:
            write_blocks(lines, blocks, places, _BLOCKS)
            self._add(f"indexes/{_BLOCKS}", ZIP_STORED, blocks)
            self._add("indexes/index.idx", ZIP_DEFLATED, places)

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
        with self._spool() as file:
            file.write(_line(head | ({"hasText": True} if with_text else {})))
            file.writelines(_line(_page(page)) for page in pages)
            self._add(f"pages/{name}.jsonl", ZIP_DEFLATED, file)

    def warc(self, path: Path) -> None:
        """Write a WARC as it is, by its own name, which has to end with `.warc` or `.warc.gz`."""
        with path.open("rb") as file:
            self._add(f"archive/{path.name}", ZIP_STORED, file)

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
        shown = {"title": about.title, "desc": about.description}  # what ReplayWeb.page shows
        return {
            **about.more,
            "profile": "data-package",
            "wacz_version": VERSION,
            "created": about.created,
            "software": about.software,
            **_without_empty(optional),
            "metadata": _without_empty(shown),
            "resources": self._resources,
        }

    def _spool(self) -> BinaryIO:
        """Return a file for a member whose size is not known before it is whole."""
        return cast(BinaryIO, TemporaryFile(dir=self._target.parent))

    def _add(self, name: str, how: int, file: BinaryIO) -> None:
        """Write a member, and note its size and its hash.

        What zip64 adds to the head of a member may only be there when the table of members has it
        too: ReplayWeb.page takes its bytes from a wrong place otherwise.
        """
        if name in self._zip.NameToInfo:
            raise ValueError(f"two files of a WACZ are named {name}")
        size = file.seek(0, io.SEEK_END)
        file.seek(0)
        digest = sha256()
        with self._zip.open(self._info(name, how), "w", force_zip64=size > _LARGE) as member:
            while piece := file.read(_PIECE):
                digest.update(piece)
                member.write(piece)
        resource = {"name": name.rpartition("/")[2].lower(), "path": name}
        hash_ = f"sha256:{digest.hexdigest()}"
        self._resources.append(resource | {"hash": hash_, "bytes": size})

    def _info(self, name: str, how: int) -> ZipInfo:
        info = ZipInfo(name, self._date)
        info.compress_type = how
        info.external_attr = 0o644 << 16
        return info


def _hash(data: bytes) -> str:
    return f"sha256:{sha256(data).hexdigest()}"


def _line(said: Mapping[str, object]) -> bytes:
    return dumps(said, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def _page(page: Page) -> dict[str, str]:
    identity = sha256(f"{page.date} {page.url}".encode("utf-8", "replace")).hexdigest()[:16]
    said = {"id": identity, "url": page.url, "ts": page.date}
    return said | _without_empty({"title": page.title, "text": page.text})


def _without_empty(texts: Mapping[str, str]) -> dict[str, str]:
    return {name: text for name, text in texts.items() if text}
