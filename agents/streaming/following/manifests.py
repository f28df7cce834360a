"""Reading manifests where it holds nobody up: small ones at once, large ones in a worker process.

A thread would not do: what computes there has Python's lock, and each read and write of the reactor
would wait for it. What comes back is bounded by the limits of `anet.media.hls` and `dash`.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import msgspec
from twisted.application.service import Service

from agents.streaming.following.errors import NotFetched
from agents.streaming.following.fetching import Read
from anet.errors import AnetError, WorkerFailed
from anet.media.dash import Manifest, read_manifest
from anet.media.errors import NotAStream
from anet.media.hls import Master, Media, read_playlist
from anet.processes import Processes

LARGE = 8 * 1024  # bytes of a manifest that a process reads
_TIME = 10.0  # seconds that one may take
_MEMORY = 256 * 2**20  # bytes, likewise
_WAITING = 500  # manifests that may wait to be read

_Said = TypeVar("_Said")


class Manifests(Service):
    """Reads manifests; shared by all streams of the agent.

    Args:
        reactor: which reactor.
        limit: bytes of a manifest.
    """

    def __init__(self, reactor: Any, limit: int) -> None:
        self._processes = Processes(
            reactor,
            1,
            queue_limit=_WAITING,
            memory=_MEMORY,
            time=_TIME,
            value_limit=limit + 2**20,
            preload=["agents.streaming.following.manifests"],
            name="manifests",
        )

    def startService(self) -> None:
        """Be ready; the first large manifest starts a worker."""
        super().startService()
        self._processes.startService()

    async def stopService(self) -> None:
        """End the worker."""
        super().stopService()
        await self._processes.stopService()

    async def playlist(self, read: Read, variables: Mapping[str, str]) -> Master | Media:
        """Return what a playlist says.

        Args:
            read: the playlist.
            variables: of the one that names it.

        Raises:
            NotAStream: it is none.
            NotFetched: it cannot be read now, or not within the limits.
        """
        if len(read.body) < LARGE:
            return read_playlist(read.body, read.url, variables)
        said = await self._understood(packed_playlist, read, dict(variables))
        if said[:1] == _MASTER:
            return msgspec.msgpack.decode(said[1:], type=Master)
        return msgspec.msgpack.decode(said[1:], type=Media)

    async def manifest(self, read: Read) -> Manifest:
        """Return what a manifest of DASH says.

        Raises:
            NotAStream: it is none.
            NotFetched: it cannot be read now, or not within the limits.
        """
        if len(read.body) < LARGE:
            return read_manifest(read.body, read.url)
        return msgspec.msgpack.decode(await self._understood(packed_manifest, read), type=Manifest)

    async def _understood(self, understand: Callable[..., bytes], read: Read, *more: Any) -> bytes:
        try:
            said: bytes = await self._processes.run(understand, read.body, read.url, *more)
        except WorkerFailed as error:
            raise NotAStream(error.words) from None
        except AnetError as error:
            raise NotFetched(f"it cannot be read now: {error}") from None
        return said


# Within the worker

_MASTER, _MEDIA = b"p", b"s"  # whether playlists are named, or segments


def packed_playlist(body: bytes, url: str, variables: Mapping[str, str]) -> bytes:
    """Return what a playlist says, in MessagePack behind what it is."""
    found = read_playlist(body, url, variables)
    return (_MASTER if isinstance(found, Master) else _MEDIA) + msgspec.msgpack.encode(found)


def packed_manifest(body: bytes, url: str) -> bytes:
    """Return what a manifest of DASH says, in MessagePack."""
    return msgspec.msgpack.encode(read_manifest(body, url))
