"""WACZ files to read, made of a little."""

import zlib
from hashlib import sha256
from json import dumps
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from cryptography.hazmat.primitives.asymmetric import ec

from anet.formats.cdxj import cdxj_line
from anet.formats.serial import Serial, SerialFiles
from anet.formats.sorting import SortedLines
from anet.formats.wacz import Page
from anet.formats.wacz_writing import About, WaczWriter
from anet.formats.warc_writing import (
    RESPONSE_TYPE,
    digest_field,
    new_record,
    record_id,
    warcinfo,
)

CREATED = "2026-11-22T03:15:00Z"
ABOUT = About(
    CREATED, "dlweb test", "A collection", "Of **pages**", "http://example.org/0", CREATED
)
KEY = ec.generate_private_key(ec.SECP384R1())
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
PAGES = [
    Page("http://example.org/0", CREATED, "Zero"),
    Page("http://example.org/1", CREATED, "Eins ñ \U0001f40d", "All its text"),
    Page("http://example.org/2", CREATED),
]


def body(number: int) -> bytes:
    """Return what is at a URL."""
    return b"<p>%d</p>" % number * 20


def warcs_in(folder: Path, count: int, lines: SortedLines) -> list[Path]:
    """Write WARCs, and give the lines of their index."""
    serial = Serial("TEST", "20261122031500", ".warc.gz")
    with SerialFiles(folder, serial, lambda name: warcinfo(name, CREATED, ()), limit=1500) as files:
        for number in range(count):
            url = f"http://example.org/{number}"
            fields = (
                ("WARC-Record-ID", record_id(url)),
                ("WARC-Date", CREATED),
                ("WARC-Target-URI", url),
                ("Content-Type", RESPONSE_TYPE),
                ("WARC-Payload-Digest", digest_field(sha256(body(number)).hexdigest())),
            )
            [place] = files.write(new_record("response", fields, [HEAD, body(number)]))
            line = cdxj_line(f"org,example)/{number}", "response", fields, HEAD, place)
            assert line
            lines.add(line.encode())
    return sorted(folder.glob("*.warc.gz"))


def wacz_in(folder: Path, count: int = 7, *, signed: bool = True) -> Path:
    """Write a WACZ of several WARCs, of which each URL is a digit's."""
    path = folder / "test.wacz"
    with SortedLines(folder) as lines:
        warcs = warcs_in(folder, count, lines)
        with WaczWriter(path, ABOUT, KEY if signed else None) as wacz:
            wacz.index(lines)
            wacz.pages(PAGES[:2], with_text=True)
            wacz.pages(PAGES[2:], "extraPages", "Extra Pages")
            for warc in warcs:
                wacz.warc(warc)
    for warc in warcs:
        warc.unlink()
    return path


def zipped(path: Path, members: dict[str, bytes], packed: frozenset[str] = frozenset()) -> Path:
    """Write a zip file of anything, with a datapackage.json that is right if there is none."""
    with ZipFile(path, "w") as archive:
        for name, content in members.items():
            info = ZipInfo(name, (2026, 11, 22, 3, 15, 0))
            info.compress_type = ZIP_DEFLATED if name in packed else ZIP_STORED
            archive.writestr(info, content)
        resources = [
            {"name": name, "path": name, "hash": digest_field(sha256(content).hexdigest())}
            for name, content in members.items()
        ]
        said = {"profile": "data-package", "wacz_version": "1.1.1", "resources": resources}
        if "datapackage.json" not in members:
            archive.writestr("datapackage.json", dumps(said))
    return path


def bomb(size: int) -> bytes:
    """Return a zip member's packed bytes that grow beyond measure."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(bytes(size)) + packer.flush()
