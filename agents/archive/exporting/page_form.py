"""Captures in formats that know a page only: what was asked, when, and what came.

Of an imported file, its responses and resources are given as pages, and what has been read from a
file of the same format as it lay there. Requests, metadata and the like have no place in these
formats, and revisits are no answers by themselves: they are counted as not given.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from attrs import frozen
from zope.interface import implementer

from agents.archive.exporting import kept
from agents.archive.exporting.items import Item
from agents.archive.exporting.made import Bodies, Group, IForm, Made, held
from agents.archive.exporting.reading import Missing
from agents.archive.kept_records import KeptRecord
from agents.capture_records import asked_url, readable_head
from agents.origin import value
from agents.urls import split_port
from anet.formats.page import Page
from anet.formats.warc_writing import CannotWrite, Part

_PAGES = ("response", "resource")


@implementer(IForm)
@frozen
class PageForm:
    """Writes pages.

    Attributes:
        suffix: of the files.
        first: gives what a file of a name begins with.
        page: gives the record of a page.
        again: gives a record that was read from a file of this format; none if it was not.
        spool: a folder for large records.
    """

    suffix: str
    first: Callable[[str], Iterable[bytes]]
    page: Callable[[Page], Iterator[bytes]]
    again: Callable[[KeptRecord, Sequence[Part]], Iterator[bytes] | None]
    spool: Path

    def begin(self, name: str) -> Iterable[bytes]:
        """Return what a file of a name begins with."""
        return self.first(name)

    def capture(self, item: Item, bodies: Bodies) -> Group:
        """Return a page."""
        capture, body = item.capture, bodies[item.capture.content]
        if isinstance(body, Missing):
            words = f"{capture.url} of {capture.date}: {body.words}"
            return Group(item.place, 0, 0, (), (words,))
        page = page_of(item, body)
        try:
            data = held(self.page(page), capture.size, self.spool)
        except CannotWrite as error:
            words = f"{capture.url} of {capture.date}: {error}"
            return Group(item.place, 0, 0, (), (words,))
        return Group(item.place, 1, capture.size, [Made("response", data, date=page.date)])

    def kept(self, item: Item, records: Sequence[KeptRecord], bodies: Bodies) -> Group:
        """Return the pages among some records."""
        made: list[Made] = []
        problems: list[str] = []
        left_out = size = 0
        for each in records:
            try:
                one = self._record(each, bodies)
            except (kept.LostBlock, CannotWrite) as error:
                problems.append(f"{item.capture.url}, record at {each.offset}: {error}")
                continue
            if one is None:
                left_out += 1
            else:
                made.append(one)
                size += each.size
        return Group(item.place, len(made), size, made, problems, left_out)

    def _record(self, each: KeptRecord, bodies: Bodies) -> Made | None:
        if each.kind not in _PAGES:
            return None
        parts = kept.block(each, bodies, self.spool)
        pieces = self.again(each, parts)
        if pieces is None:
            pieces = self.page(page_of_record(each, parts))
        return Made("response", held(pieces, each.size, self.spool), date=kept.date_of(each))


def page_of(item: Item, body: Part) -> Page:
    """Return a capture as a page."""
    capture = item.capture
    address = "" if value(capture.origin, "proxy") else value(capture.origin, "address")
    return Page(
        url=asked_url(capture.url, value(capture.origin, "method") or "GET"),
        date=capture.date,
        head=readable_head(capture.head)[0],
        body=body,
        address=split_port(address)[0].strip("[]"),
    )


def page_of_record(record: KeptRecord, parts: Sequence[Part]) -> Page:
    """Return a response or a resource as a page.

    Raises:
        CannotWrite: it has no date.
    """
    head = kept.head_of(record, parts)
    body = kept.joined(parts, len(head))
    date = kept.date_of(record)
    if not date:
        raise CannotWrite("the record has no date")
    media_type = "" if record.kind == "response" else kept.field_of(record, "content-type")
    address = kept.field_of(record, "warc-ip-address")
    return Page(kept.target_of(record), date, head, body, address, media_type)
