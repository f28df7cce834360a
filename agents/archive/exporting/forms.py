"""The form that an order asks for."""

from collections.abc import Iterator, Sequence
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

from agents.archive.exporting.made import IForm
from agents.archive.exporting.order import Order
from agents.archive.exporting.page_form import PageForm
from agents.archive.exporting.warc_form import WarcForm
from agents.archive.kept_records import KeptRecord
from anet.formats import arc_writing, tianwang_writing
from anet.formats.compressing import GZIP, PLAIN, Encoding, zstd_encoding
from anet.formats.page import Page
from anet.formats.record import Fields
from anet.formats.warc_writing import Part


def form_of(order: Order, begun: str, details: Fields, spool: Path) -> Any:
    """Return the `IForm` of an order.

    Args:
        order: what is wanted.
        begun: when the export began, 14 digits.
        details: what files say of themselves.
        spool: a folder for large records.
    """
    if order.format == "arc":
        return _arc(begun, _encoding(order), spool)
    if order.format == "tianwang":
        return _tianwang(spool, compress=order.compression != "none")
    return WarcForm(
        _encoding(order),
        begun,
        details,
        spool,
        revisits=order.revisits,
        pages=order.format == "wacz",
    )


def _encoding(order: Order) -> Encoding:
    if order.compression == "zstd":
        return zstd_encoding()
    return GZIP if order.compression == "gzip" else PLAIN


def _arc(begun: str, encoding: Encoding, spool: Path) -> IForm:
    def again(record: KeptRecord, parts: Sequence[Part]) -> Iterator[bytes] | None:
        if not any(name == "Arc-Line" for name, _ in record.fields):
            return None
        fields = tuple((name, told) for name, told in record.fields)
        return arc_writing.again(fields, _pieces(parts), record.size, encoding)

    return PageForm(
        suffix=f".arc{encoding.suffix}",
        first=lambda name: arc_writing.version_block(name, begun, encoding),
        page=lambda page: arc_writing.record(page, encoding),
        again=again,
        spool=spool,
    )


def _tianwang(spool: Path, *, compress: bool) -> IForm:
    def page(one: Page) -> Iterator[bytes]:
        return tianwang_writing.record(one, compress=compress)

    return PageForm(
        suffix=".tianwang",
        first=lambda _name: (),
        page=page,
        again=lambda _record, _parts: None,
        spool=spool,
    )


def _pieces(parts: Sequence[Part]) -> Iterator[bytes]:
    for part in parts:
        file = BytesIO(part) if isinstance(part, bytes) else part
        file.seek(0)
        yield from iter(partial(file.read, 1 << 20), b"")
