"""What an index node answers over HIP: to depositors and readers, and to its master."""

from collections.abc import Awaitable, Callable, Sequence
from functools import wraps
from typing import Any, TypeVar

from agents.capture import Capture, is_key
from agents.deposit import ContentSize, Placement
from agents.storage.disk.layout import Kind
from agents.storage.errors import HoldersDown, InvalidCapture, NoStorage, NotDurable, NotSure
from agents.storage.index.holders import Holders
from agents.storage.index.placing import Placing
from agents.storage.index.recording import Recording
from agents.storage.index.siblings import PORTION, Known
from agents.storage.index.view import ClusterView
from agents.storage.status import Change, Cluster
from anet.errors import Overloaded
from hip import CallRefused, exposed

_CODES: dict[type[Exception], str] = {
    HoldersDown: "holders-down",
    InvalidCapture: "invalid-capture",
    NoStorage: "no-storage",
    NotDurable: "not-durable",
    NotSure: "not-sure",
    Overloaded: "overloaded",
}
_Method = TypeVar("_Method", bound=Callable[..., Awaitable[Any]])


def _refusing(method: _Method) -> _Method:
    """Answer what can go wrong by its code on the wire."""

    @wraps(method)
    async def answer(*args: Any, **kwargs: Any) -> Any:
        try:
            return await method(*args, **kwargs)
        except tuple(_CODES) as error:
            raise CallRefused(_CODES[type(error)], str(error)) from None

    return answer  # type: ignore[return-value]


class IndexNodeMethods:
    """The methods; see the docstring of each."""

    def __init__(
        self,
        placing: Placing,
        recording: Recording,
        holders: Holders,
        view: ClusterView,
        batch_limit: int,
    ) -> None:
        self._placing, self._recording = placing, recording
        self._holders, self._view = holders, view
        self._batch_limit = batch_limit

    @exposed(roles=("connectivity",))
    @_refusing
    async def place(
        self, contents: list[ContentSize], avoid: list[str] | None = None
    ) -> list[Placement]:
        """Return for each content whether it is known, and if not the nodes to PUT it to.

        Nodes are base URLs; each should take the content. With `avoid`, nodes that have just not
        taken it, others stand in for these, and what has too few copies is not known. Refuses
        "not-a-key", "too-many", "no-storage" when no node is up with room, "overloaded".
        """
        self._limit(len(contents))
        for content in contents:
            _check(content.key)
        return await self._placing.place(contents, avoid or [])

    @exposed(roles=("connectivity",))
    @_refusing
    async def record(self, captures: list[Capture], stored: dict[str, list[str]]) -> int:
        """Record captures, and return how many once all are durable; repeat without harm.

        `stored` names for each new content the nodes (by name or base URL) that took it. Refuses
        "invalid-capture" (none is recorded), "too-many", "no-storage", "not-durable" (repeat
        all), "overloaded".
        """
        self._limit(len(captures))
        return await self._recording.record(captures, stored)

    @exposed
    @_refusing
    async def find(self, kind: Kind, key: str) -> list[str]:
        """Return base URLs of the nodes that are up and hold a content or a structure file.

        None when the archive lacks it; refuses "holders-down" when all that hold it are away, and
        "not-sure" when one that may hold it is.
        """
        _check(key)
        return await self._placing.find(kind, key)

    @exposed(roles=("index-node",))
    async def holdings(self, wanted: list[tuple[Kind, str]]) -> list[Known]:
        """Return for each key what this index node knows of who holds it; for its siblings.

        Refuses "not-a-key", "too-many".
        """
        _check_places([key for _, key in wanted])
        return await self._holders.own(wanted)

    @exposed(roles=("index-node",))
    def noted(self, stored: list[tuple[Kind, str, list[str]]]) -> None:
        """Take note of kind, key and names of nodes of what a sibling has had stored just now.

        The master may not have told us yet of a node that it has told the sibling of.
        """
        _check_places([key for _, key, _ in stored])
        self._holders.note_own(((kind, key), nodes) for kind, key, nodes in stored)

    @exposed(roles=("storage-master",))
    def changed(self, change: Change) -> None:
        """Take from the master which nodes there are, and which are up."""
        self._view.change(change)

    @exposed
    def nodes(self) -> Cluster:
        """Return the storage nodes as this index node sees them."""
        return Cluster(self._view.rules, self._view.nodes, self._view.index_nodes)

    def _limit(self, count: int) -> None:
        if count > self._batch_limit:
            raise CallRefused("too-many", f"at most {self._batch_limit} in one call")


def _check(key: str) -> None:
    if not is_key(key):
        raise CallRefused("not-a-key", "a key is a SHA-256 in 64 lower-case hexadecimal digits")


def _check_places(keys: Sequence[str]) -> None:
    if len(keys) > PORTION:
        raise CallRefused("too-many", f"at most {PORTION} in one call")
    for key in keys:
        _check(key)
