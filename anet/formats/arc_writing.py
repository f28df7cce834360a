"""ARC files, written: version 1, or 2 when it is asked for.

    files = SerialFiles(folder, Serial("site", begun, ".arc.gz"),
                        begin=lambda name: version_block(name, begun))
    files.write(record(page))

Records are gzip members by themselves in an `.arc.gz`, and lie as they are in an `.arc`. What was
read from an ARC file is written again byte for byte by `again`.
"""

import re
from collections.abc import Iterable, Iterator

from anet.formats.compressing import GZIP, Encoding
from anet.formats.page import Page, one_line
from anet.formats.record import Fields
from anet.formats.url_record import LONGEST
from anet.formats.warc_writing import CannotWrite

ORIGIN = "dlweb"
"""Who says in the version block that the file is theirs."""

_NO_ADDRESS = "0.0.0.0"  # noqa: S104 (nothing is bound)
_NAMES = {
    1: "URL IP-address Archive-date Content-type Archive-length",
    2: "URL IP-address Archive-date Content-type Result-code Checksum Location Offset Filename "
    "Archive-length",
}
_STATUS = re.compile(rb"HTTP/[\d.]+ +(\d{3})")


def version_block(
    name: str, date: str, encoding: Encoding = GZIP, version: int = 1
) -> Iterator[bytes]:
    """Yield the record with which a file begins.

    Args:
        name: of the file.
        date: of the file: digits, UTC.
        encoding: how the file's records are compressed.
        version: 1 or 2.

    Raises:
        CannotWrite: the name has a space in it.
    """
    block = f"{version} 0 {ORIGIN}\n{_NAMES[version]}\n".encode()
    second = f" 200 - - 0 {name}" if version == 2 else ""
    about = _word("name of the file", f"filedesc://{name}")
    line = f"{about} {_NO_ADDRESS} {_date(date)} text/plain{second} {len(block)}"
    return _written(line.encode(), [block], len(block), encoding)


def record(
    page: Page, encoding: Encoding = GZIP, version: int = 1, file: str = "-", offset: int = 0
) -> Iterator[bytes]:
    """Yield the bytes of the record of a page.

    Args:
        page: what it is of.
        encoding: how the file's records are compressed.
        version: as in the file's version block.
        file: the name of the file, which version 2 repeats.
        offset: the byte at which the record begins, which version 2 repeats.

    Raises:
        CannotWrite: its URL has a space or a control character in it, is longer than readers take,
            or its date is none.
    """
    url, address = _word("URL", page.url), _word("address", page.address or _NO_ADDRESS)
    media_type = one_line("media type", page.type_named).replace(" ", "") or "no-type"
    status = _STATUS.match(page.head)
    result = status[1].decode() if status else "000"
    second = f" {result} - - {offset} {_word('name', file)}" if version == 2 else ""
    line = f"{url} {address} {_date(page.date)} {media_type}{second} {page.size}".encode()
    if len(line) > LONGEST:
        raise CannotWrite(f"the URL has {len(url)} characters, more than readers of ARC take")
    return _written(line, page.pieces(), page.size, encoding)


def again(
    fields: Fields, block: Iterable[bytes], size: int, encoding: Encoding = GZIP
) -> Iterator[bytes]:
    """Yield the bytes of a record that was read from an ARC file, as it lay there.

    Args:
        fields: of the `Record`.
        block: of the record, in pieces.
        size: bytes of the block.
        encoding: how the file's records are compressed.

    Raises:
        CannotWrite: it is of another format.
    """
    line = dict(fields).get("Arc-Line")
    if line is None:
        raise CannotWrite("the record was not read from an ARC file: it has no Arc-Line")
    return _written(line.encode("latin-1"), block, size, encoding)


def _written(line: bytes, block: Iterable[bytes], size: int, encoding: Encoding) -> Iterator[bytes]:
    return encoding.compressed(_framed(line, block), len(line) + size + 2)


def _framed(line: bytes, block: Iterable[bytes]) -> Iterator[bytes]:
    yield line + b"\n"
    yield from block
    yield b"\n"


def _word(name: str, text: str) -> str:
    """Return a text that has to be one word of the line."""
    if " " in one_line(name, text):
        raise CannotWrite(f"the {name} has a space in it: {text[:200]!r}")
    return text


def _date(date: str) -> str:
    if not re.fullmatch(r"\d{14,}", date, re.ASCII):
        raise CannotWrite(f"no date of 14 digits or more: {date[:60]!r}")
    return date[:14]
