"""The HTTP interface of a storage node: docs/reference/storage-http.md."""

import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from functools import wraps
from hmac import compare_digest
from typing import Any

import msgspec
from attrs import asdict, frozen

from agents.capture import Capture, is_key
from agents.dates import DIGITS, InvalidDate, parse
from agents.storage.disk import scan
from agents.storage.disk.layout import KINDS, Kind
from agents.storage.disk.lines import PREFIX, prefix
from agents.storage.disk.store import DiskStore
from agents.storage.disk.structures import find_nearest, read_captures, url_of
from agents.storage.errors import (
    DamagedStructure,
    DigestMismatch,
    DiskFailed,
    DiskFull,
    InvalidCapture,
    StorageError,
)
from agents.storage.node.body import BodyReader
from agents.storage.status import NodeStatus
from anet.errors import Overloaded
from anet.http import FileBody, Request, Response, Router

_JSON = (b"Content-Type", b"application/json")
_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")
_CAPTURES_LIMIT = 32 * 1024 * 1024  # bytes of one batch of captures
_PAGE = 500  # captures read at once for a list
_LISTING_LIMIT = 10_000  # keys of one listing
_STATUS: dict[type[Exception], int] = {
    DigestMismatch: 409,
    InvalidCapture: 400,
    DamagedStructure: 500,
    DiskFull: 507,
    DiskFailed: 507,
    Overloaded: 503,
}

Method = Callable[..., Awaitable[Response]]


@frozen
class _Captures:
    """The body of a POST to /structures."""

    captures: list[Capture]


class BadRequest(StorageError):
    """The request makes no sense; the message says why."""


def _answers(method: Method) -> Method:
    """Turn what can go wrong into the status that docs/reference/storage-http.md names."""

    @wraps(method)
    async def answer(*args: Any, **kwargs: Any) -> Response:
        try:
            return await method(*args, **kwargs)
        except (StorageError, Overloaded) as error:
            status = 400 if isinstance(error, BadRequest) else _STATUS.get(type(error), 500)
            return Response.text(status, f"{error}\n")

    return answer


class NodeRoutes:
    """Answers requests from a disk.

    Args:
        name: the node's.
        store: the disk.
        status: what the node says of itself.
        secret: the credential for writes.
        content_limit: bytes of the largest content taken.
        memory_limit: bytes of a body that is kept in memory.
    """

    def __init__(
        self,
        name: str,
        store: DiskStore,
        status: Callable[[], NodeStatus],
        secret: str,
        content_limit: int,
        memory_limit: int,
    ) -> None:
        self._store, self._status = store, status
        self._name = name
        self._credential = f"Bearer {secret}".encode()
        self._bodies = BodyReader(store, content_limit, memory_limit)
        self._workers = store.workers
        self.served = self.taken = self.recorded = 0

    def router(self) -> Router:
        """Return the table of paths."""
        router = Router()
        router.route("GET", "/contents/{key}", self.get_content)
        router.route("PUT", "/contents/{key}", self.put_content)
        router.route("GET", "/structures/{key}", self.get_structure)
        router.route("POST", "/structures", self.post_structures)
        router.route("GET", "/urls", self.get_urls)
        router.route("GET", "/listing/{kind}", self.get_listing)
        router.route("GET", "/additions", self.get_additions)
        router.route("GET", "/status", self.get_status)
        return router

    # Contents

    async def get_content(self, request: Request, key: str) -> Response:
        """Give a content, or a range of it."""
        if not is_key(key):
            return _not_a_key()
        if not self._store.holdings.may_hold("contents", key):
            return _not_held(key)
        path = self._store.layout.content(key)
        try:
            size = path.stat().st_size
        except FileNotFoundError:
            return _not_held(key)
        self.served += 1
        tag = b'"%s"' % key.encode("ascii")
        headers = [
            (b"Content-Type", b"application/octet-stream"),
            (b"ETag", tag),
            (b"Accept-Ranges", b"bytes"),
        ]
        if tag in (request.headers.get(b"if-none-match") or b""):
            return Response(304, headers)
        wanted = request.headers.get(b"range")
        if wanted is None:
            return Response(200, headers, FileBody(path, 0, size))
        return _part(path, size, wanted.decode("latin-1"), headers)

    @_answers
    async def put_content(self, request: Request, key: str) -> Response:
        """Take a content, durably."""
        if refusal := self._refusal(request):
            return refusal
        if not is_key(key):
            return _not_a_key()
        if b"content-length" not in request.headers and b"transfer-encoding" not in request.headers:
            return Response.text(411, "Say how long the content is: Content-Length.\n")
        body = await self._bodies.read(request)
        size = len(body) if isinstance(body, bytes) else body.size
        new = await self._store.put(key, body)
        self.taken += new
        answer = {"node": self._name, "key": key, "size": size}
        return Response.json(201 if new else 200, answer)

    # Structure files

    @_answers
    async def get_structure(self, request: Request, key: str) -> Response:
        """Give the capture nearest to a date, or all."""
        if not is_key(key):
            return _not_a_key()
        if not self._store.holds("structures", key):
            return _not_held(key)
        self.served += 1
        query = request.query
        if "date" not in query:
            return self._captures(key, query)
        nearest = find_nearest(
            self._store.layout, key, _date(query["date"]), exact=query.get("exact") == "1"
        )
        if nearest is None:
            return Response.text(404, "There is no capture of that date.\n")
        return Response.json(200, {"url": nearest.capture.url, **asdict(nearest)})

    def _captures(self, key: str, query: dict[str, str]) -> Response:
        first = _date(query["from"]) if "from" in query else ""
        last = _date(query["to"]) if "to" in query else "~"
        limit = _number(query, "limit", 10**9)
        after = _after(query.get("after", ""))
        pieces = self._pieces(key, first, last, after, limit, query.get("heads") == "1")
        return Response(200, [_JSON], pieces)

    async def _pieces(
        self, key: str, first: str, last: str, after: bytes, limit: int, heads: bool
    ) -> AsyncIterator[bytes]:
        """Yield a JSON list of captures, reading some hundred at a time."""

        def read() -> list[Capture]:
            found = read_captures(
                self._store.layout,
                key,
                first,
                last,
                after=after,
                limit=min(limit, 20 if heads else _PAGE),
                heads=heads,
            )
            return list(found)

        opening = b"["
        while limit > 0 and (page := await self._workers.run(read)):
            limit -= len(page)
            after = prefix(page[-1].date, page[-1].content)
            shown = page if heads else [_without_head(each) for each in page]
            yield opening + msgspec.json.encode(shown)[1:-1]
            opening = b","
        yield b"]" if opening == b"," else b"[]"

    @_answers
    async def post_structures(self, request: Request) -> Response:
        """Record captures, durably."""
        if refusal := self._refusal(request):
            return refusal
        body = await request.read(_CAPTURES_LIMIT)
        kind = (request.headers.get(b"content-type") or b"").partition(b";")[0].strip()
        decode = msgspec.msgpack.decode if kind == b"application/msgpack" else msgspec.json.decode
        try:
            captures = decode(body, type=_Captures).captures
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise BadRequest(f"not a batch of captures: {error}") from None
        recorded = await self._store.append(captures)
        self.recorded += recorded.new
        return Response.json(200, {"node": self._name, **asdict(recorded)})

    # What the node holds

    @_answers
    async def get_urls(self, request: Request) -> Response:
        """List archived URLs in the order of their keys."""
        after, limit = _page(request)

        def read() -> tuple[list[dict[str, str]], list[str]]:
            keys = scan.listing(self._store.layout, "structures", after, limit)
            urls: list[dict[str, str]] = []
            for key in keys:
                with suppress(DamagedStructure, FileNotFoundError):  # a check names these
                    urls.append({"url": url_of(self._store.layout, key), "key": key})
            return urls, keys

        urls, keys = await self._workers.run(read)
        return Response.json(200, {"urls": urls, "after": keys[-1] if len(keys) == limit else None})

    @_answers
    async def get_listing(self, request: Request, kind: str) -> Response:
        """List keys in order."""
        if kind not in KINDS:
            return Response.text(404, f"Kinds are {' and '.join(KINDS)}.\n")
        after, limit = _page(request)
        wanted: Kind = "contents" if kind == "contents" else "structures"
        keys = await self._store.listing(wanted, after, limit)
        return Response.json(200, {"keys": keys, "after": keys[-1] if len(keys) == limit else None})

    @_answers
    async def get_additions(self, request: Request) -> Response:
        """Give a part of the log of additions."""
        since = _number(request.query, "since", 0)
        log = request.query.get("log", "")
        part = await self._workers.run(self._store.additions.read, log, since)
        return Response.json(200, part)

    async def get_status(self, request: Request) -> Response:
        """Say how the node is."""
        return Response.json(200, {**asdict(self._status()), "waiting": self._store.waiting})

    def _refusal(self, request: Request) -> Response | None:
        credential = request.headers.get(b"authorization") or b""
        if compare_digest(credential, self._credential):
            return None
        text = "Writing needs the archive's secret: Authorization: Bearer ….\n"
        return Response(401, [(b"WWW-Authenticate", b"Bearer")], text.encode())


def _part(path: Any, size: int, wanted: str, headers: list[tuple[bytes, bytes]]) -> Response:
    """Answer a range (RFC 9110 §14); several at once, or what is none, get the whole."""
    match = _RANGE.fullmatch(wanted.replace(" ", ""))
    if match is None or not (match[1] or match[2]):
        return Response(200, headers, FileBody(path, 0, size))
    if match[1]:
        first = int(match[1])
        last = min(int(match[2]), size - 1) if match[2] else size - 1
        if match[2] and int(match[2]) < first:
            return Response(200, headers, FileBody(path, 0, size))
    else:
        first, last = max(0, size - int(match[2])), size - 1
    if first > last:
        return Response(416, [(b"Content-Range", b"bytes */%d" % size)], b"The range is empty.\n")
    said = (b"Content-Range", b"bytes %d-%d/%d" % (first, last, size))
    return Response(206, [*headers, said], FileBody(path, first, last - first + 1))


def _without_head(capture: Capture) -> dict[str, Any]:
    return {
        name: value for name, value in asdict(capture).items() if name not in ("head", "origin")
    }


def _not_a_key() -> Response:
    return Response.text(400, "A key is a SHA-256 in 64 lower-case hexadecimal digits.\n")


def _not_held(key: str) -> Response:
    return Response.text(404, f"This node does not hold {key}.\n")


def _date(text: str) -> str:
    try:
        return parse(text)
    except InvalidDate as error:
        raise BadRequest(str(error)) from None


def _after(text: str) -> bytes:
    """Return what to go on after: `DATE-CONTENT` of the last capture seen."""
    if not text:
        return b""
    date, _, content = text.partition("-")
    after = prefix(date, content) if len(date) == DIGITS and is_key(content) else b""
    if len(after) != PREFIX:
        raise BadRequest("after is the date and the content of a capture, DATE-CONTENT")
    return after


def _number(query: dict[str, str], name: str, default: int) -> int:
    text = query.get(name, str(default))
    if not (text.isascii() and text.isdigit() and len(text) <= 15):
        raise BadRequest(f"{name} is a number, not {text[:40]!r}")
    return int(text)


def _page(request: Request) -> tuple[str, int]:
    """Return `after`, as a key, and `limit` of a request."""
    query = request.query
    after = query.get("after", "")
    if after and not is_key(after):
        raise BadRequest("after is the last key seen, 64 hexadecimal digits")
    return after, max(1, min(_number(query, "limit", 1000), _LISTING_LIMIT))
