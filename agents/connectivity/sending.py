"""Sends parcels to storage nodes over HTTP (docs/reference/storage-http.md)."""

from pathlib import Path

import msgspec
from attrs import frozen

from agents.bundle import pack
from agents.connectivity.crawl_folder import CrawlFolder
from agents.connectivity.parcels import Parcel
from anet.errors import AnetError
from anet.http import FileBody, HttpClient
from anet.workers import Workers

_ANSWER_LIMIT = 512 * 1024  # bytes of a storage node's answer that are read
_DAMAGED = frozenset({409, 413})  # the bytes are not what their name says, or too many
_STORED = frozenset({200, 201})


class NotTaken(Exception):
    """A node did not take a parcel now."""


@frozen
class Load:
    """What of a parcel can be sent.

    Attributes:
        target: where to, below a node's address.
        body: a bundle, or the file of a large content.
        gone: keys of contents that are no longer in the crawl's folder.
    """

    target: str
    body: bytes | FileBody
    gone: frozenset[str] = frozenset()


@frozen
class _Answer:
    """What a node answers to a bundle, as far as we look."""

    refused: dict[str, str]


class Sender:
    """Reads parcels from a crawl's folder and sends them.

    Args:
        client: sends.
        workers: read files.
        secret: the archive's, which nodes ask for.
    """

    def __init__(self, client: HttpClient, workers: Workers, secret: str) -> None:
        self._client, self._workers = client, workers
        self._headers = [(b"Authorization", f"Bearer {secret}".encode())]

    async def load(self, folder: CrawlFolder, parcel: Parcel) -> Load:
        """Return what to send; a bundle is read once for all nodes that it goes to.

        Raises:
            NotTaken: a file cannot be read.
        """
        if not parcel.small:
            [content] = parcel.contents
            path = Path(folder.content(content.key))
            return Load(f"/contents/{content.key}", FileBody(path, 0, content.size))
        try:
            return await self._workers.run(_bundle, folder, parcel.keys)
        except OSError as error:
            raise NotTaken(str(error)) from error

    async def send(self, node: str, parcel: Parcel, load: Load) -> frozenset[str]:
        """Send to a node; return the keys of contents that no node will ever take.

        Raises:
            NotTaken: the node took nothing, or not all.
        """
        method = "POST" if isinstance(load.body, bytes) else "PUT"
        url = node.rstrip("/") + load.target
        try:
            answer = await self._client.request(method, url, self._headers, load.body)
            words = await answer.read(_ANSWER_LIMIT)
        except (AnetError, OSError) as error:
            raise NotTaken(f"{node}: {error}") from error
        status = answer.head.status
        if method == "PUT" and status in _DAMAGED:
            return frozenset(parcel.keys)
        if status not in _STORED:
            said = words.decode("utf-8", "replace").strip()[:200]
            raise NotTaken(f"{node} answers {status}: {said}")
        if method == "PUT":
            return frozenset()
        try:
            return frozenset(msgspec.json.decode(words, type=_Answer).refused)
        except msgspec.MsgspecError as error:
            raise NotTaken(f"{node} does not say what it took: {error}") from None


def _bundle(folder: CrawlFolder, keys: list[str]) -> Load:
    """Read small contents into a bundle; it blocks."""
    found = folder.read(keys)
    gone = frozenset(keys) - {key for key, _ in found}
    return Load("/contents", pack(found), gone)
