"""Structure files over HTTP: searched, listed, and written durably."""

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeVar

import msgspec
from attrs import Factory, asdict, frozen

from agents.capture import Capture, is_key
from agents.dates import DIGITS
from agents.storage.disk.copies import captures_of, nearest_of
from agents.storage.disk.lines import PREFIX, prefix
from agents.storage.disk.node_store import NodeStore
from agents.storage.disk.store import DiskStore
from agents.storage.disk.structures import Nearest
from agents.storage.errors import DamagedStructure, DiskFailed, StorageError
from agents.storage.node.answers import (
    BadRequest,
    Credential,
    answers,
    date_of,
    not_a_key,
    not_held,
    number_of,
)
from anet.errors import Overloaded
from anet.http import Request, Response, date_now

Found = TypeVar("Found")

_JSON = (b"Content-Type", b"application/json")
_PACKED = b"application/vnd.dlweb.nearest"
_WITH_CAPTURE = 256 * 1024  # bytes of a content that is given with its capture
_NEAREST = re.compile(r"/nearest/([0-9a-f]{64})\?date=(\d{20})")
_PROMPT = (
    b"HTTP/1.1 200 OK\r\nDate: %s\r\nContent-Type: application/vnd.dlweb.nearest\r\n"
    b"Content-Length: %d\r\nConnection: keep-alive\r\n\r\n%s"
)
_pack = msgspec.msgpack.Encoder().encode
_CAPTURES_LIMIT = 32 * 1024 * 1024  # bytes of one batch of captures
_PAGE = 500  # captures read at once for a list
_PAGE_WITH_HEADS = 20
_PAGE_SIZE = 4 * 1024 * 1024  # bytes of heads after which no more captures are read at once


@frozen
class _Captures:
    """The body of a POST to /structures.

    Attributes:
        captures: what to record.
        sources: base URLs of nodes that hold structure files which this one may lack, by key.
    """

    captures: list[Capture]
    sources: dict[str, str] = Factory(dict)


class StructureRoutes:
    """`/structures` and `/structures/{key}`.

    Args:
        name: the node's, for who records captures.
        store: the disks.
        credential: what a POST must show.

    Attributes:
        served: searches and lists answered.
        recorded: captures recorded that were new.
        begin: takes structure files that the node lacks from nodes that hold them, by key.
    """

    def __init__(self, name: str, store: NodeStore, credential: Credential) -> None:
        self._name, self._store, self._credential = name, store, credential
        self.served = self.recorded = 0
        self.begin: Callable[[Mapping[str, str]], Awaitable[None]] | None = None

    @answers
    async def get_structure(self, request: Request, key: str) -> Response:
        """Give the capture nearest to a date, or all."""
        if not is_key(key):
            return not_a_key()
        copies = self._store.to_read(key)
        if not copies:
            return not_held(key)
        self.served += 1
        query = request.query
        if "date" not in query:
            return self._captures(key, query)
        date, exact = date_of(query["date"]), query.get("exact") == "1"

        def read(copies: Sequence[DiskStore]) -> Nearest | None:
            return nearest_of([disk.layout for disk in copies], key, date, exact=exact)

        nearest = self._at_once(key, date, exact) or await self._from_copies(key, read)
        if nearest is None:
            return Response.text(404, "There is no capture of that date.\n")
        return Response.json(200, {"url": nearest.capture.url, **asdict(nearest)})

    def _at_once(self, key: str, date: str, exact: bool = False) -> Nearest | None:
        """Return the nearest capture of the only copy: a few short reads, cheaper than a thread."""
        copies = self._store.to_read(key)
        if len(copies) == 1:
            with suppress(DamagedStructure):
                return nearest_of([copies[0].layout], key, date, exact=exact)
        return None

    def prompt(self, target: str, host: bytes) -> bytes | None:
        """Give the capture nearest to a date, with its content, as `get_nearest` would.

        None leaves it to that.
        """
        place = _NEAREST.fullmatch(target)
        if place is None:
            return None
        try:
            nearest = self._at_once(place[1], place[2])
        except (StorageError, Overloaded):
            return None
        if nearest is None:
            return None
        self.served += 1
        body = self._with_content(nearest)
        return _PROMPT % (date_now(), len(body), body)

    @answers
    async def get_nearest(self, request: Request, key: str) -> Response:
        """Give the capture nearest to a date, and its content when it is small and held here."""
        if not is_key(key):
            return not_a_key()
        if not self._store.to_read(key):
            return not_held(key)
        self.served += 1
        date = date_of(request.query.get("date", ""))
        nearest = await self._from_copies(
            key, lambda copies: nearest_of([disk.layout for disk in copies], key, date)
        )
        if nearest is None:
            return not_held(key)
        return Response(200, [(b"Content-Type", _PACKED)], self._with_content(nearest))

    def _with_content(self, nearest: Nearest) -> bytes:
        """Return a capture in MessagePack, after its length, and before its content.

        That is read in the reactor's thread: a quarter of a megabyte, which nearly all contents
        are within, takes a disk about as long as finding their file.
        """
        capture, content = _pack(nearest), b""
        size = nearest.capture.size
        if size <= _WITH_CAPTURE:
            content = self._store.read_small(nearest.capture.content, size) or b""
        return b"".join((len(capture).to_bytes(4, "big"), capture, content))

    def _captures(self, key: str, query: dict[str, str]) -> Response:
        first = date_of(query["from"]) if "from" in query else ""
        last = date_of(query["to"]) if "to" in query else "~"
        limit = number_of(query, "limit", 10**9)
        after = _after(query.get("after", ""))
        heads, versions = query.get("heads") == "1", query.get("versions") == "1"
        pieces = self._pieces(key, first, last, after, limit, heads, versions)
        return Response(200, [_JSON], pieces)

    async def _pieces(
        self,
        key: str,
        first: str,
        last: str,
        after: bytes,
        limit: int,
        heads: bool,
        versions: bool,
    ) -> AsyncIterator[bytes]:
        """Yield a JSON list of captures, reading some hundred at a time."""

        def read(copies: Sequence[DiskStore]) -> list[Capture]:
            found = captures_of(
                [disk.layout for disk in copies],
                key,
                first,
                last,
                after=after,
                limit=min(limit, _PAGE_WITH_HEADS if heads else _PAGE),
                heads=heads,
                versions=versions,
            )
            return _some(found)

        opening = b"["
        while limit > 0 and (page := await self._from_copies(key, read)):
            limit -= len(page)
            after = prefix(page[-1].date, page[-1].content)
            shown = page if heads else [_without_head(each) for each in page]
            yield opening + msgspec.json.encode(shown)[1:-1]
            opening = b","
        yield b"]" if opening == b"," else b"[]"

    async def _from_copies(
        self, key: str, read: Callable[[Sequence[DiskStore]], Found]
    ) -> Found | None:
        """Read from the copies there are now; one may move to another disk meanwhile.

        Raises:
            DamagedStructure, DiskFailed: none gives it, and there are no others.
        """
        found: Found | None = None
        failure: StorageError | None = None
        copies = self._store.copies("structures", key)
        while copies and not found:
            failure = None
            try:
                found = await copies[0].workers.run(read, copies)
            except (DamagedStructure, DiskFailed) as error:
                failure = error
            before, copies = copies, self._store.copies("structures", key)
            if copies == before or (failure is None and set(copies) <= set(before)):
                break
        if failure is not None:
            raise failure
        return found

    @answers
    async def post_structures(self, request: Request) -> Response:
        """Record captures, durably."""
        if refusal := self._credential.refusal(request):
            return refusal
        body = await request.read(_CAPTURES_LIMIT)
        kind = (request.headers.get(b"content-type") or b"").partition(b";")[0].strip()
        decode = msgspec.msgpack.decode if kind == b"application/msgpack" else msgspec.json.decode
        try:
            asked = decode(body, type=_Captures)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise BadRequest(f"not a batch of captures: {error}") from None
        if self.begin is not None:
            await self.begin(asked.sources)
        recorded = await self._store.append(asked.captures)
        self.recorded += recorded.new
        return Response.json(200, {"node": self._name, **asdict(recorded)})


def _some(captures: Iterable[Capture]) -> list[Capture]:
    """Take captures until their heads take much memory; the rest is for the next page."""
    taken: list[Capture] = []
    size = 0
    for capture in captures:
        taken.append(capture)
        size += len(capture.head) + len(capture.origin)
        if size >= _PAGE_SIZE:
            break
    return taken


def _without_head(capture: Capture) -> dict[str, Any]:
    return {
        name: value for name, value in asdict(capture).items() if name not in ("head", "origin")
    }


def _after(text: str) -> bytes:
    """Return what to go on after: `DATE-CONTENT` of the last capture seen."""
    if not text:
        return b""
    date, _, content = text.partition("-")
    is_date = len(date) == DIGITS and date.isascii() and date.isdigit()
    after = prefix(date, content) if is_date and is_key(content) else b""
    if len(after) != PREFIX:
        raise BadRequest("after is the date and the content of a capture, DATE-CONTENT")
    return after
