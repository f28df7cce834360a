"""Takes from other nodes what this one lacks: contents verified, structure files as sets."""

from typing import Any

import msgspec
from twisted.internet.defer import Deferred

from agents.capture import Capture, structure_key
from agents.storage.disk.node_store import NodeStore
from agents.storage.errors import DamagedStructure, StorageError
from anet.errors import BodyTooLarge
from anet.http import ClientResponse, HttpClient

_PIECE = 1024 * 1024  # bytes hashed and written by one job
_CAPTURES = 50  # captures asked for at once; one at a time when their heads are too large
_CAPTURES_LIMIT = 32 * 1024 * 1024  # bytes of them, in base64


class NotThere(StorageError):
    """The source does not hold it either, or does not answer as a storage node does."""


class Fetcher:
    """Copies from other nodes over HTTP.

    Attributes:
        contents: how many were copied.
        merged: how many captures were new.
    """

    def __init__(self, store: NodeStore, client: HttpClient) -> None:
        self._store, self._client = store, client
        self.contents = self.merged = 0

    async def replicate(self, key: str, source: str) -> bool:
        """Copy a content from the node at a base URL, also in place of a damaged one.

        Returns whether it was new here.

        Raises:
            NotThere: the source does not give it.
            DigestMismatch: what it gives is damaged.
            StorageError, anet.errors.AnetError: as `NodeStore.put` and the client.
        """
        for disk in self._store.copies("contents", key):
            if disk.ahead.journal.size_of(key) is not None:
                return False  # it has no file yet, and was hashed a moment ago
            if await disk.is_sound(key):
                return False
        response = await self._get(source, f"/contents/{key}")
        incoming = await self._store.receive(
            key, int(response.head.headers.get(b"content-length") or 0)
        )
        try:
            await self._copy(response, incoming)
        except BaseException:
            response.abandon()
            await self._store.discard(incoming)
            raise
        new = await self._store.put(key, incoming)
        self.contents += new
        return new

    async def _copy(self, response: ClientResponse, incoming: Any) -> None:
        held = bytearray()

        def take(piece: bytes) -> Deferred[None] | None:
            held.extend(piece)
            return Deferred.fromCoroutine(flush()) if len(held) >= _PIECE else None

        async def flush() -> None:
            data = bytes(held)
            held.clear()
            await self._store.write(incoming, data)

        await response.deliver(take)
        await flush()

    async def merge(self, key: str, source: str) -> int:
        """Add the captures that another copy of a structure file has; return how many were new.

        Raises:
            NotThere: the source does not give them.
            DamagedStructure: what it gives is of another URL.
            StorageError, anet.errors.AnetError: as `NodeStore.append` and the client.
        """
        new = 0
        after = ""
        while captures := await self._captures(key, source, after):
            if any(structure_key(capture.url) != key for capture in captures):
                raise DamagedStructure(f"{source} gives captures of another URL for {key}")
            new += (await self._store.append(captures)).new
            after = f"{captures[-1].date}-{captures[-1].content}"
        self.merged += new
        return new

    async def _captures(self, key: str, source: str, after: str) -> list[Capture]:
        try:
            body = await self._list(key, source, after, _CAPTURES)
        except BodyTooLarge:
            body = await self._list(key, source, after, 1)
        try:
            return msgspec.json.decode(body, type=list[Capture])
        except msgspec.MsgspecError as error:
            raise NotThere(f"{source} gives no captures: {error}") from None

    async def _list(self, key: str, source: str, after: str, limit: int) -> bytes:
        target = f"/structures/{key}?heads=1&limit={limit}&after={after}"
        response = await self._get(source, target)
        try:
            return await response.read(_CAPTURES_LIMIT)
        except BodyTooLarge:
            response.abandon()
            raise

    async def _get(self, source: str, target: str) -> ClientResponse:
        response = await self._client.request("GET", source.rstrip("/") + target)
        if response.head.status != 200:
            response.abandon()
            raise NotThere(f"{source} answers {response.head.status} for {target[:90]}")
        return response
