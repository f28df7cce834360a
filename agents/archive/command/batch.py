"""`dlweb batch`: pages of monthly batches, by identifier (docs/reference/batches.md)."""

import argparse
import sys
from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from agents.archive.command.tables import as_json, plain, table
from agents.archive.errors import ArchiveError
from agents.page import human_bytes, human_number
from anet.formats.batch_index import FIRST_LEVEL, MOST, Batch, BatchesError, Identifier
from anet.formats.batches import Batches
from anet.formats.page import Page
from anet.workers import Workers


class BatchUnreadable(ArchiveError):
    """Batches, or a page of them, cannot be read."""


async def batch(reactor: Any, options: argparse.Namespace) -> int:
    """List batches, or write pages.

    Raises:
        BatchUnreadable: there are none of this name, or they are damaged.
    """
    workers = Workers(reactor, 1, name="batch")
    workers.startService()
    try:
        batches = await workers.run(Batches, _folder(Path(options.folder)))
        if options.pages is None:
            _list(await workers.run(lambda: batches.batches), options)
            return 0
        found = batches.between(*_ends(options.pages))
        while one := await workers.run(next, found, None):
            _write(*one, options)
    except BatchesError as error:
        raise BatchUnreadable(str(error)) from None
    finally:
        await workers.stopService()
    sys.stdout.flush()
    return 0


def _folder(named: Path) -> Path:
    """Return the folder of the batches, which an export has in its own."""
    inner = named / "batches"
    return named if (named / FIRST_LEVEL).exists() or not inner.exists() else inner


def _ends(text: str) -> tuple[Identifier, Identifier]:
    """Return the first and the last page that a text means."""
    if "-" not in text:
        return Identifier.parse(f"{text}-0"), Identifier.parse(f"{text}-{MOST - 1}")
    first, between, last = text.partition("..")
    return Identifier.parse(first), Identifier.parse(last if between else first)


def _list(batches: Sequence[Batch], options: argparse.Namespace) -> None:
    if options.json:
        sys.stdout.writelines(as_json(each) + "\n" for each in batches)
        return
    rows = [
        (each.batch, human_number(each.count), _day(each.first_date), _day(each.last_date))
        for each in batches
    ]
    for line in table(("batch", "pages", "first", "last"), rows):
        sys.stdout.write(f"{line}\n")


def _write(name: Identifier, page: Page, options: argparse.Namespace) -> None:
    body = b"".join(page.pieces())[len(page.head) :]
    if options.json:
        sys.stdout.write(as_json(_described(name, page, body, options)) + "\n")
    elif options.head or options.body:
        sys.stdout.buffer.write(page.head if options.head else b"")
        sys.stdout.buffer.write(body if options.body else b"")
    else:
        size = human_bytes(len(body))
        sys.stdout.write(f"{name}  {_moment(page.date)}  {size:>10}  {plain(page.url)}\n")


def _described(
    name: Identifier, page: Page, body: bytes, options: argparse.Namespace
) -> dict[str, Any]:
    """Return what JSON says of a page."""
    said: dict[str, Any] = {
        "identifier": str(name),
        "url": page.url,
        "date": page.date,
        "address": page.address,
        "origin": page.origin,
        "size": len(body),
    }
    if options.head:
        said["head"] = page.head.decode("latin-1")
    if options.body:
        said["body"] = b64encode(body).decode()
    return said


def _day(date: str) -> str:
    return f"{date[:4]}-{date[4:6]}-{date[6:8]}"


def _moment(date: str) -> str:
    return f"{_day(date)} {date[8:10]}:{date[10:12]}:{date[12:14]}"
