"""Sends parcels to storage nodes over HTTP (docs/reference/storage-http.md)."""

from collections.abc import Iterable, Mapping

import msgspec
from attrs import frozen

from agents.bundle import pack
from agents.delivery.parcels import Parcel
from anet.errors import AnetError
from anet.http import FileBody, HttpClient

_ANSWER_LIMIT = 512 * 1024  # bytes of a storage node's answer that are read
_DAMAGED = frozenset({409, 413})  # the bytes are not what their name says, or too many
_STORED = frozenset({200, 201})


class NotTaken(Exception):
    """A node did not take a parcel now."""


@frozen
class Load:
    """What of a parcel can be sent.

    Attributes:
        method: how, in HTTP.
        target: where to, below a node's address.
        body: a bundle, or a large content.
        gone: keys of contents that nobody can read any more.
    """

    method: str
    target: str
    body: bytes | FileBody
    gone: frozenset[str] = frozenset()

    @classmethod
    def bundle(
        cls, contents: Iterable[tuple[str, bytes | memoryview]], gone: frozenset[str] = frozenset()
    ) -> "Load":
        """Return several small contents, to be sent together."""
        return cls("POST", "/contents", pack(contents), gone)

    @classmethod
    def single(cls, key: str, body: bytes | FileBody) -> "Load":
        """Return one content, to be sent alone."""
        return cls("PUT", f"/contents/{key}", body)


@frozen
class _Answer:
    """What a node answers to a bundle, as far as we look."""

    refused: dict[str, str]


class Sender:
    """Sends what was loaded.

    Args:
        client: speaks with the nodes.
        secret: the archive's, which nodes ask for.
    """

    def __init__(self, client: HttpClient, secret: str) -> None:
        self._client = client
        self._headers = [(b"Authorization", f"Bearer {secret}".encode())]

    async def send(self, node: str, parcel: Parcel, load: Load) -> Mapping[str, str]:
        """Send to a node; return the keys of contents that no node will ever take, and why.

        Raises:
            NotTaken: the node took nothing, or not all.
        """
        url = node.rstrip("/") + load.target
        try:
            answer = await self._client.request(load.method, url, self._headers, load.body)
            words = await answer.read(_ANSWER_LIMIT)
        except (AnetError, OSError) as error:
            raise NotTaken(f"{node}: {error}") from error
        status, alone = answer.head.status, load.method == "PUT"
        said = words.decode("utf-8", "replace").strip()[:200]
        if alone and status in _DAMAGED:
            return dict.fromkeys(parcel.keys, said)
        if status not in _STORED:
            raise NotTaken(f"{node} answers {status}: {said}")
        if alone:
            return {}
        try:
            return msgspec.json.decode(words, type=_Answer).refused
        except msgspec.MsgspecError as error:
            raise NotTaken(f"{node} does not say what it took: {error}") from None
