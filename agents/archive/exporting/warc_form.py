"""Captures as records of WARC 1.1 (docs/reference/export.md)."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from zope.interface import implementer

from agents.archive.exporting import kept
from agents.archive.exporting.items import Item
from agents.archive.exporting.made import Bodies, Group, IForm, Made, held
from agents.archive.exporting.pages import title_of
from agents.archive.exporting.reading import Missing
from agents.archive.kept_records import KeptRecord
from agents.capture import Capture
from agents.capture_records import (
    ORIGIN_FIELD,
    asked_url,
    known_of,
    moment,
    posted,
    readable_head,
    record_id,
    request_fields,
    response_fields,
)
from agents.origin import Revisit, SentRequest, request_of
from anet.formats.compressing import Encoding
from anet.formats.record import Fields
from anet.formats.warc_writing import (
    IDENTICAL_PAYLOAD,
    NOT_MODIFIED,
    CannotWrite,
    Part,
    new_record,
    record,
    warcinfo,
)

_MADE_AGAIN = ((ORIGIN_FIELD, '""'),)  # of what an import need not keep


@implementer(IForm)
class WarcForm:
    """Writes responses, requests, revisits, and all records of files that were imported.

    Args:
        encoding: of records.
        begun: when the export began, 14 digits.
        details: what each file says of itself.
        spool: a folder for large records.
        revisits: whether a content that was written is only referred to.
        pages: whether titles of pages are wanted.
    """

    def __init__(
        self,
        encoding: Encoding,
        begun: str,
        details: Fields,
        spool: Path,
        *,
        revisits: bool = True,
        pages: bool = False,
    ) -> None:
        self.suffix = f".warc{encoding.suffix}"
        self._encoding, self._spool, self._details = encoding, spool, details
        self._begun = moment(f"{begun}000000")
        self._revisits, self._pages = revisits, pages

    def begin(self, name: str) -> Iterable[bytes]:
        """Return the dictionary, if there is one, and a warcinfo record."""
        yield self._encoding.begin
        yield from warcinfo(name, self._begun, self._details, self._encoding, _MADE_AGAIN)

    def capture(self, item: Item, bodies: Bodies) -> Group:
        """Return a response or a revisit, and the request where it is known."""
        capture, body = item.capture, bodies[item.capture.content]
        if isinstance(body, Missing):
            words = f"{capture.url} of {capture.date}: {body.words}"
            return Group(item.place, 0, 0, (), (words,))
        head, edits = readable_head(capture.head)
        known = known_of(capture.origin)
        fields = response_fields(capture, known, edits)
        revisit = self._repeats(item, known) if self._revisits else None
        try:
            if revisit is not None:
                made = self._made(
                    "revisit", fields + _refers(revisit, capture, known), [head], capture, known
                )
            else:
                title = title_of(capture, body) if self._pages else None
                made = self._made("response", fields, [head, body], capture, known, title)
            records = [made]
            if "request" in known and (request := request_of(capture.origin)) is not None:
                records.append(self._request(capture, known, request))
        except CannotWrite as error:
            return Group(item.place, 0, 0, (), (f"{capture.url} of {capture.date}: {error}",))
        return Group(item.place, 1, capture.size, records)

    def kept(self, item: Item, records: Sequence[KeptRecord], bodies: Bodies) -> Group:
        """Return records as they were read."""
        made: list[Made] = []
        problems: list[str] = []
        size = captures = 0
        requests = kept.requests_of(records) if self._pages else {}
        for each in records:
            try:
                made.append(self._again(each, bodies, requests))
            except (kept.LostBlock, CannotWrite) as error:
                problems.append(f"{item.capture.url}, record at {each.offset}: {error}")
            else:
                size += each.size
                captures += each.kind in ("response", "revisit", "resource")
        return Group(item.place, captures, size, made, problems)

    def _repeats(self, item: Item, known: Mapping[str, str]) -> Revisit | None:
        """Return which capture one repeats, if its content need not be written again.

        It is always the one that is written whole: readers do not follow one revisit to another.
        """
        if item.former is None or not item.capture.size:
            return None
        unchanged = known.get("revisit", "").startswith("not-modified ")
        same_url = item.former[1] == item.capture.url
        profile = "not-modified" if unchanged and same_url else "identical-payload"
        return Revisit(profile, *item.former)

    def _made(
        self,
        kind: str,
        fields: Fields,
        parts: Sequence[Part],
        capture: Capture,
        known: Mapping[str, str],
        page: str | None = None,
    ) -> Made:
        data = held(new_record(kind, fields, parts, self._encoding), capture.size, self._spool)
        asked = posted(capture.url, known.get("method", "GET"))
        return Made(kind, data, capture.url, fields, capture.head, page, asked)

    def _request(self, capture: Capture, known: Mapping[str, str], request: SentRequest) -> Made:
        fields = request_fields(capture, known, whole=request.body is not None)
        block = request.head + (request.body or b"")
        return Made("request", b"".join(new_record("request", fields, [block], self._encoding)))

    def _again(self, each: KeptRecord, bodies: Bodies, requests: Mapping[str, bytes]) -> Made:
        parts = kept.block(each, bodies, self._spool)
        fields, version = kept.as_warc(each)
        data = held(record(fields, parts, self._encoding, version), each.size, self._spool)
        head, url = kept.head_of(each, parts), kept.url_of(each)
        page = kept.page_of(each, head, bodies, requests) if self._pages else None
        return Made(each.kind, data, url, fields, head, page, date=kept.date_of(each))


def _refers(revisit: Revisit, capture: Capture, known: Mapping[str, str]) -> Fields:
    """Return what a revisit says of the capture that it repeats."""
    target = asked_url(revisit.url, known.get("method", "GET"))
    profile = NOT_MODIFIED if revisit.profile == "not-modified" else IDENTICAL_PAYLOAD
    return (
        ("WARC-Profile", profile),
        ("WARC-Refers-To", record_id(revisit.date, capture.content, revisit.url)),
        ("WARC-Refers-To-Target-URI", target),
        ("WARC-Refers-To-Date", moment(revisit.date)),
    )
