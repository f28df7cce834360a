"""A storage node's HTTP interface, as a client needs it (docs/reference/storage-http.md)."""

from collections.abc import AsyncIterator
from typing import Any

import msgspec
from attrs import frozen
from twisted.application.service import Service

from agents.capture import Capture, is_key
from agents.storage.disk.layout import Kind
from agents.storage.stores.errors import NotHeld, StoreUnreachable
from agents.storage.stores.interface import PIECE, Held
from anet.errors import AnetError, BodyTooLarge
from anet.http import HttpClient

_ANSWER_LIMIT = 64 * 1024  # bytes of an answer to a PUT
_LISTING_LIMIT = 4 << 20  # bytes of a page of keys
_CAPTURES_LIMIT = 32 << 20  # bytes of a page of captures, their heads in base64


@frozen
class _Listing:
    """What is read of a page of keys."""

    keys: list[str]
    sizes: list[int]


class NodeClient(Service):
    """Asks storage nodes, each named by its base URL.

    Args:
        client: speaks with them; it starts and stops with this.
    """

    def __init__(self, client: HttpClient) -> None:
        self._client = client

    def startService(self) -> None:
        """Begin."""
        self._client.startService()

    async def stopService(self) -> None:
        """Close all connections."""
        await self._client.stopService()

    async def size(self, node: str, key: str) -> int | None:
        """Return the bytes of a content, or None when the node lacks it."""
        try:
            response = await self._client.request("HEAD", f"{_base(node)}/contents/{key}")
            await response.read(0)
        except (AnetError, OSError) as error:
            raise StoreUnreachable(f"{node}: {error}") from None
        if response.head.status == 404:
            return None
        return int(response.head.headers.text(b"content-length") or 0)

    async def content(
        self, node: str, key: str, start: int = 0, size: int | None = None
    ) -> AsyncIterator[bytes]:
        """Yield a content in pieces, each a request of its own.

        Raises:
            NotHeld: the node lacks it.
            StoreUnreachable: it does not give it.
        """
        end = None if size is None else start + size
        while end is None or start < end:
            last = start + PIECE if end is None else min(start + PIECE, end)
            part = [(b"Range", b"bytes=%d-%d" % (start, last - 1))]
            status, piece = await self._ask(node, f"/contents/{key}", part, limit=PIECE)
            if status == 404:
                raise NotHeld(f"{node} does not hold {key}")
            if status == 416 or not piece:
                return
            if status not in (200, 206):
                raise StoreUnreachable(f"{node} answers {status} for {key}")
            yield piece
            start += len(piece)
            if start < last:
                return

    async def listing(self, node: str, kind: Kind, after: str, limit: int) -> list[Held]:
        """Return the next things that a node holds."""
        target = f"/listing/{kind}?after={after}&limit={limit}"
        found: _Listing = await self._json(node, target, _Listing, _LISTING_LIMIT)
        if not all(map(is_key, found.keys)):
            raise StoreUnreachable(f"{node} lists what is no key")
        if kind == "contents":
            return [Held(key) for key in found.keys]
        pairs = zip(found.keys, found.sizes, strict=False)
        return [Held(key, str(size)) for key, size in pairs]

    async def captures(self, node: str, key: str, after: str, limit: int) -> list[Capture]:
        """Return the next captures of a structure file; none when the node lacks it."""
        target = f"/structures/{key}?heads=1&after={after}&limit="
        try:
            return list(await self._captures(node, f"{target}{limit}"))
        except BodyTooLarge:
            return list(await self._captures(node, f"{target}1"))

    async def _captures(self, node: str, target: str) -> list[Capture]:
        try:
            found: list[Capture] = await self._json(node, target, list[Capture], _CAPTURES_LIMIT)
        except NotHeld:
            return []
        return found

    async def _json(self, node: str, target: str, shape: Any, limit: int) -> Any:
        status, body = await self._ask(node, target, limit=limit)
        if status == 404:
            raise NotHeld(f"{node} does not hold it")
        if status != 200:
            raise StoreUnreachable(f"{node} answers {status} for {target[:90]}")
        try:
            return msgspec.json.decode(body, type=shape)
        except msgspec.MsgspecError as error:
            raise StoreUnreachable(f"{node} gives something else: {error}") from None

    async def _ask(
        self,
        node: str,
        target: str,
        headers: list[tuple[bytes, bytes]] | None = None,
        limit: int = _ANSWER_LIMIT,
    ) -> tuple[int, bytes]:
        """Return the status and the body of an answer.

        Raises:
            BodyTooLarge: it has more than `limit` bytes.
            StoreUnreachable: there is none.
        """
        try:
            response = await self._client.request("GET", _base(node) + target, headers or ())
            try:
                return response.head.status, await response.read(limit)
            except BodyTooLarge:
                response.abandon()
                raise
        except BodyTooLarge:
            raise
        except (AnetError, OSError) as error:
            raise StoreUnreachable(f"{node}: {error}") from None


def _base(node: str) -> str:
    return node.rstrip("/")
