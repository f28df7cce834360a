"""Having documents read by worker processes, and remembering what was found for a while."""

from collections import OrderedDict
from typing import Any

import msgspec
from twisted.application.service import Service
from twisted.internet.defer import Deferred, DeferredSemaphore

from agents.capture import Capture
from agents.consultation.lookup.contents import Content
from agents.consultation.mining.extraction import BODY_LIMIT, Extracted, extract
from anet.errors import Overloaded
from anet.processes import Processes

TIME = 30.0  # seconds that one document may take
MEMORY = 512 * 2**20  # bytes, likewise
TOGETHER = 4  # documents that are in memory, fetched for the worker
WAITING = 50  # documents that may wait for that
REMEMBERED = 16 * 2**20  # characters of text and URLs, all together


class Extracting(Service):
    """Extracts the links and texts of documents."""

    def __init__(self, reactor: Any) -> None:
        self._processes = Processes(
            reactor,
            1,  # the reactor has the other core of a small machine
            queue_limit=TOGETHER,
            memory=MEMORY,
            time=TIME,
            value_limit=BODY_LIMIT + 2**20,
            preload=["agents.consultation.mining.extraction"],
            name="miners",
        )
        self._known: OrderedDict[tuple[str, str, bytes], tuple[Extracted, int]] = OrderedDict()
        self._size = 0
        self._room = DeferredSemaphore(TOGETHER)

    def startService(self) -> None:
        """Be ready; the first document starts a worker."""
        super().startService()
        self._processes.startService()

    async def stopService(self) -> None:
        """End the workers."""
        super().stopService()
        await self._processes.stopService()

    def known(self, capture: Capture) -> Extracted | None:
        """Return what is remembered of a capture's document."""
        found = self._known.get(_key(capture))
        if found is None:
            return None
        self._known.move_to_end(_key(capture))
        return found[0]

    async def extract(self, capture: Capture, content: Content) -> Extracted:
        """Return what a document holds.

        Args:
            capture: of it.
            content: begun; it is read, and let go of.

        Raises:
            Overloaded: too many wait.
            AnetError: it can't be read, or not within the limits.
            ConsultationError: it can't be fetched whole.
        """
        if len(self._room.waiting) >= WAITING:
            content.close()
            raise Overloaded(f"{WAITING} documents wait to be read")
        return await self._room.run(self._begin, capture, content)

    def _begin(self, capture: Capture, content: Content) -> Deferred[Extracted]:
        return Deferred.fromCoroutine(self._extract(capture, content))

    async def _extract(self, capture: Capture, content: Content) -> Extracted:
        body = await _read(content)
        told = await self._processes.run(extract, body, capture.head, capture.url)
        extracted = msgspec.convert(told, Extracted)
        if len(body) < capture.size:
            extracted = msgspec.structs.replace(extracted, truncated=True)
        self._remember(_key(capture), extracted)
        return extracted

    def _remember(self, key: tuple[str, str, bytes], extracted: Extracted) -> None:
        size = len(extracted.text) + sum(len(one.url) + len(one.text) for one in extracted.links)
        if size > REMEMBERED // 4 or key in self._known:
            return
        self._known[key] = (extracted, size)
        self._size += size
        while self._size > REMEMBERED:
            self._size -= self._known.popitem(last=False)[1][1]


def _key(capture: Capture) -> tuple[str, str, bytes]:
    """Return what an extraction depends on: links on the URL, the format on the head."""
    return (capture.content, capture.url, capture.head)


async def _read(content: Content) -> bytes:
    """Return a content, or the beginning of one that passes the limit."""
    body = bytearray()
    try:
        async for piece in content:
            body += piece
            if len(body) > BODY_LIMIT:
                break
    finally:
        content.close()
    return bytes(body[:BODY_LIMIT])
