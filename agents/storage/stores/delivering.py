"""Contents on their way into an archive that runs: small ones in bundles, to all nodes at once."""

from collections.abc import Iterable, Sequence
from hashlib import file_digest
from pathlib import Path
from typing import Any

from agents.capture import content_key
from agents.delivery import Load, NotTaken, Parcel, Sender, parcels
from agents.deposit import ContentSize, Placement
from agents.storage.errors import DigestMismatch, StorageError
from agents.storage.stores.errors import StoreRefused, StoreUnreachable
from agents.storage.stores.index_link import IndexLink
from agents.storage.stores.interface import Given
from agents.storage.stores.together import outcomes_of_each, together
from anet.http import FileBody
from anet.workers import Workers

_BATCH = 1000  # contents that one call asks places for
_AT_ONCE = 4  # parcels on their way; a bundle is in memory while it is sent
_TRIES = 3  # at nodes, other ones each time


class Delivery:
    """Different contents that go to the storage nodes an index node names.

    Args:
        index: names them.
        sender: sends.
        workers: read files.
        contents: no key twice.

    Attributes:
        became: for each content the nodes that took it, none if the archive had it already; or why
            it is not stored.
    """

    def __init__(
        self, index: IndexLink, sender: Sender, workers: Workers, contents: Sequence[Given]
    ) -> None:
        self._index, self._sender, self._workers = index, sender, workers
        self._bodies = dict(contents)
        self._failed: set[str] = set()  # nodes
        self.became: dict[str, list[str] | Exception] = {}

    async def run(self) -> None:
        """Send all; what no node takes goes to others."""
        sizes = [each for key in self._bodies if (each := self._sized(key))]
        for _ in range(_TRIES):
            left = [each for each in sizes if self._may_come(each.key)]
            try:
                placements = await self._placed(left)
            except StorageError as error:
                self._note([each.key for each in left], error)
                return
            self._note([each.key for each in placements if each.known], [])
            wanted = [each for each in zip(left, placements, strict=True) if not each[1].known]
            for outcome in await outcomes_of_each(parcels(wanted), self._offer, _AT_ONCE):
                if isinstance(outcome, Exception):
                    raise outcome

    def _may_come(self, key: str) -> bool:
        """Tell whether a content is not stored, and another try may change that."""
        return key not in self.became or isinstance(self.became[key], StoreUnreachable)

    def _note(self, keys: Iterable[str], became: list[str] | Exception) -> None:
        self.became.update(dict.fromkeys(keys, became))

    def _sized(self, key: str) -> ContentSize | None:
        body = self._bodies[key]
        try:
            return ContentSize(key, body.stat().st_size if isinstance(body, Path) else len(body))
        except OSError as error:
            self._note([key], error)
            return None

    async def _placed(self, contents: Sequence[ContentSize]) -> list[Placement]:
        avoid: dict[str, Any] = {"avoid": sorted(self._failed)} if self._failed else {}
        parts = [contents[at : at + _BATCH] for at in range(0, len(contents), _BATCH)]
        found = await together(
            self._index.call(list[Placement], "place", contents=part, **avoid) for part in parts
        )
        return [placement for part in found for placement in part]

    async def _offer(self, parcel: Parcel) -> None:
        """Send a parcel to all its nodes at once; one of them is enough."""
        try:
            load = await self._load(parcel)
        except OSError as error:
            self._note(parcel.keys, error)
            return
        took: list[str] = []
        refused: dict[str, str] = {}
        words = ["no storage node is up"]

        async def send(node: str) -> None:
            try:
                refused.update(await self._sender.send(node, parcel, load))
            except NotTaken as error:
                words.append(str(error))
                self._failed.add(node)
            else:
                took.append(node)

        await together(send(node) for node in parcel.nodes)
        self._note(parcel.keys, took or StoreUnreachable(f"nobody took it: {words[-1]}"))
        for key, why in refused.items():
            self._note([key], await self._refusal(key, why))

    async def _load(self, parcel: Parcel) -> Load:
        """Return what to send.

        Raises:
            OSError: a file cannot be read.
        """
        if parcel.small:
            return await self._workers.run(self._bundle, parcel.keys)
        [key] = parcel.keys
        body = self._bodies[key]
        return Load.single(key, FileBody.whole(body) if isinstance(body, Path) else bytes(body))

    def _bundle(self, keys: Sequence[str]) -> Load:
        """Put small contents together; blocks."""
        bodies = [self._bodies[key] for key in keys]
        held = [body.read_bytes() if isinstance(body, Path) else body for body in bodies]
        return Load.bundle(zip(keys, held, strict=True))

    async def _refusal(self, key: str, words: str) -> Exception:
        """Return what to say of a content that no node will ever take."""
        found = await self._workers.run(_digest, self._bodies[key])
        return StoreRefused(words) if found == key else DigestMismatch(words)


def _digest(body: bytes | memoryview | Path) -> str:
    if not isinstance(body, Path):
        return content_key(body)
    with body.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()
