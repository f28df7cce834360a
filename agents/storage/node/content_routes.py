"""Contents over HTTP: given whole or in part, and taken durably."""

import re
from functools import partial
from typing import TypeAlias

import msgspec
from attrs import evolve
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from agents.bundle import BUNDLE_LIMIT, BadBundle, unpack
from agents.capture import is_key
from agents.storage.disk.contents import SMALL, IncomingContent
from agents.storage.disk.depot import Piecewise
from agents.storage.disk.node_store import NodeStore
from agents.storage.errors import DigestMismatch, StorageError
from agents.storage.node.answers import BadRequest, Credential, answers, not_a_key, not_held
from agents.storage.node.body import BodyReader
from agents.storage.node.held_file import HeldFile
from anet.errors import Overloaded
from anet.http import FileBody, PlainPut, Request, Response, date_now

_PLACE = re.compile(r"/contents/([0-9a-f]{64})")
_HEAD = (
    b"HTTP/1.1 200 OK\r\nDate: %s\r\nContent-Type: application/octet-stream\r\n"
    b'ETag: "%s"\r\nAccept-Ranges: bytes\r\nContent-Length: %d\r\nConnection: keep-alive\r\n\r\n'
)
_TAKEN = (
    b"HTTP/1.1 %s\r\nDate: %s\r\nContent-Type: application/json\r\n"
    b"Content-Length: %d\r\nConnection: keep-alive\r\n\r\n%s"
)
Body: TypeAlias = bytes | FileBody | Piecewise
_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")


class ContentRoutes:
    """`/contents` and `/contents/{key}`.

    Args:
        name: the node's, for who puts a content.
        store: the disks.
        credential: what a PUT must show.
        bodies: reads the body of a PUT.

    Attributes:
        served: contents given.
        taken: contents taken that were new.
    """

    def __init__(
        self, name: str, store: NodeStore, credential: Credential, bodies: BodyReader
    ) -> None:
        self._name, self._store = name, store
        self._credential, self._bodies = credential, bodies
        self.served = self.taken = 0
        self._said = b'{"node":%s,"key":"%%s","size":%%d}' % msgspec.json.encode(name)

    def prompt(self, target: str, host: bytes) -> bytes | None:
        """Give a whole small content at once, as `get_content` would; None leaves it to that.

        It is read in the reactor's thread: what is asked for again and again is in memory, and
        64 KiB that are not take a disk no longer than finding their file does.
        """
        place = _PLACE.fullmatch(target)
        if place is None:
            return None
        key = place[1]
        body = self._store.read_small(key)
        if body is None:
            return None
        self.served += 1
        return _HEAD % (date_now(), key.encode("ascii"), len(body)) + body

    @answers
    async def get_content(self, request: Request, key: str) -> Response:
        """Give a content, or a range of it."""
        if not is_key(key):
            return not_a_key()
        found = self._store.find("contents", key)
        if found is None:
            return not_held(key)
        disk, size = found
        self.served += 1
        tag = b'"%s"' % key.encode("ascii")
        headers = [
            (b"Content-Type", b"application/octet-stream"),
            (b"ETag", tag),
            (b"Accept-Ranges", b"bytes"),
        ]
        if tag in (request.headers.get(b"if-none-match") or b""):
            return Response(304, headers)
        body = disk.body_of(key, size)
        if isinstance(body, FileBody):
            body = HeldFile(body.path, 0, size, partial(self._file, key))
        wanted = request.headers.get(b"range")
        response = (
            Response(200, headers, body, length=_length(body))
            if wanted is None
            else _part(body, wanted.decode("latin-1"), headers)
        )
        if request.method != "HEAD" and isinstance(response.body, Piecewise):
            await response.body.begin()
        return response

    def _file(self, key: str) -> FileBody | None:
        """Return the file of a content where it is now."""
        found = self._store.find("contents", key)
        body = None if found is None else found[0].body_of(key, found[1])
        return body if isinstance(body, FileBody) else None

    @answers
    async def put_content(self, request: Request, key: str) -> Response:
        """Take a content, durably."""
        if refusal := self._credential.refusal(request):
            return refusal
        if not is_key(key):
            return not_a_key()
        if b"content-length" not in request.headers and b"transfer-encoding" not in request.headers:
            return Response.text(411, "Say how long the content is: Content-Length.\n")
        return await self._put(key, await self._bodies.read(request, key))

    def taker(self, put: PlainPut) -> Deferred[bytes] | None:
        """Take a small content that came whole, as `put_content` would; None leaves it to that."""
        place = _PLACE.fullmatch(put.target)
        size = len(put.body)
        if place is None or size > SMALL or size > self._bodies.content_limit:
            return None
        if not self._credential.suffices(put.authorization):
            return None
        key = place[1]
        taking = self._store.put_small(key, put.body)
        if taking is None:
            return Deferred.fromCoroutine(self._put_whole(key, put.body))
        return taking.addCallbacks(
            self._taken, self._not_taken, callbackArgs=(key, size), errbackArgs=(key, put.body)
        )

    def _taken(self, new: bool, key: str, size: int) -> bytes:
        self.taken += new
        said = self._said % (key.encode("ascii"), size)
        status = b"201 Created" if new else b"200 OK"
        return _TAKEN % (status, date_now(), len(said), said)

    def _not_taken(self, failure: Failure, key: str, body: bytes) -> Deferred[bytes]:
        """Try again without haste, which says what is the matter or finds another disk."""
        failure.trap(StorageError, Overloaded)
        return Deferred.fromCoroutine(self._put_whole(key, body))

    async def _put_whole(self, key: str, body: bytes) -> bytes:
        response = await self._put_answered(key, body)
        return response.head(True, False) + bytes(response.body)  # type: ignore[arg-type]

    @answers
    async def _put_answered(self, key: str, body: bytes) -> Response:
        return await self._put(key, body)

    async def _put(self, key: str, body: bytes | IncomingContent) -> Response:
        size = len(body) if isinstance(body, bytes) else body.size
        new = await self._store.put(key, body)
        self.taken += new
        answer = {"node": self._name, "key": key, "size": size}
        return Response.json(201 if new else 200, answer)

    @answers
    async def post_contents(self, request: Request) -> Response:
        """Take a bundle of small contents, all that can be, durably."""
        if refusal := self._credential.refusal(request):
            return refusal
        if b"content-length" not in request.headers:
            return Response.text(411, "Say how long the bundle is: Content-Length.\n")
        body = await self._bodies.read_bundle(request, BUNDLE_LIMIT)
        limit = self._bodies.content_limit
        try:
            contents = unpack(body)
        except BadBundle as error:
            raise BadRequest(f"not a bundle: {error}") from None
        refused = {
            key: f"a content has at most {limit} bytes here"
            for key, content in contents
            if len(content) > limit
        }
        known: list[str] = []
        fitting = [each for each in contents if each[0] not in refused]
        outcomes = await self._store.put_all(fitting) if fitting else []
        for (key, _), outcome in zip(fitting, outcomes, strict=True):
            if isinstance(outcome, DigestMismatch):
                refused[key] = str(outcome)
            elif isinstance(outcome, Exception):
                raise outcome  # what is stored will be known when it comes again
            elif not outcome:
                known.append(key)
        new = outcomes.count(True)
        self.taken += new
        answer = {"node": self._name, "stored": new, "known": known, "refused": refused}
        return Response.json(200, answer)


def _length(body: Body) -> int:
    return len(body) if isinstance(body, bytes) else body.length


def _part(body: Body, wanted: str, headers: list[tuple[bytes, bytes]]) -> Response:
    """Answer a range (RFC 9110 §14); several at once, or what is none, get the whole."""
    size = _length(body)
    match = _RANGE.fullmatch(wanted.replace(" ", ""))
    if match is None or not (match[1] or match[2]):
        return Response(200, headers, body, length=size)
    if match[1]:
        first = int(match[1])
        last = min(int(match[2]), size - 1) if match[2] else size - 1
        if match[2] and int(match[2]) < first:
            return Response(200, headers, body, length=size)
    else:
        first, last = max(0, size - int(match[2])), size - 1
    if first > last:
        return Response(416, [(b"Content-Range", b"bytes */%d" % size)], b"The range is empty.\n")
    said = (b"Content-Range", b"bytes %d-%d/%d" % (first, last, size))
    length = last + 1 - first
    return Response(206, [*headers, said], _cut(body, first, last + 1), length=length)


def _cut(body: Body, start: int, end: int) -> Body:
    if isinstance(body, bytes):
        return body[start:end]
    if isinstance(body, Piecewise):
        return body.cut(start, end - start)
    return evolve(body, offset=start, length=end - start)
