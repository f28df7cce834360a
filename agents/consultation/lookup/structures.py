"""Asking storage nodes about the captures of a URL (*INA §2.3.2* steps 3 and 4)."""

from typing import Any

import msgspec
from attrs import evolve, field, frozen

from agents.capture import Capture, content_key, is_key, structure_key
from agents.consultation.errors import NodesFailed
from agents.consultation.lookup.silent import Silent, Turns
from agents.stream_offset import is_within
from anet.errors import AnetError, ConnectionBroken, TimedOut
from anet.http import HttpClient, PipelinedClient, SmallAnswer
from anet.together import together

LIST_LIMIT = 64_000_000  # bytes of one list of captures
_FAILURES = (AnetError, msgspec.MsgspecError)
_JSON = ((b"Accept", b"application/json"),)


@frozen
class Nodes:
    """The storage nodes.

    Attributes:
        up: base URLs of those that are up.
        down: how many are not.
    """

    up: list[str]
    down: int = 0


@frozen
class Nearest:
    """The capture nearest to a date, and where it stands among the others.

    Attributes:
        capture: what was found.
        count: captures of the URL on the node that answered.
        first: date of the first.
        last: date of the last.
        previous: date of the capture before, or None.
        next: date of the capture after, or None.
        body: its content, proven, when it is small and came with it.
    """

    capture: Capture
    count: int = 1
    first: str = ""
    last: str = ""
    previous: str | None = None
    next: str | None = None
    body: bytes | None = field(default=None, repr=False)


_read = msgspec.msgpack.Decoder(Nearest).decode


@frozen
class CaptureLine:
    """One capture in a list: all but its head and origin."""

    url: str
    date: str
    content: str
    size: int
    status: int
    metadata: str = ""
    head: bytes = field(default=b"", repr=False)
    origin: str = field(default="", repr=False)


class Structures:
    """Asks for captures over HTTP, from the first node that gives them.

    Args:
        client: asks for lists.
        quick: asks for the capture of a date, which nodes have at hand.

    Attributes:
        silent: nodes that said nothing lately.
    """

    def __init__(self, client: HttpClient, quick: PipelinedClient) -> None:
        self._client, self._quick = client, quick
        self.silent = Silent()

    async def nearest(self, nodes: list[str], key: str, date: str) -> Nearest | None:
        """Return the capture nearest to `date`, or None without any node: nobody has one.

        A capture that does not belong under the key is not believed; the next node is asked.

        Raises:
            NodesFailed: nodes are said to have it, and none gives it (*INA §2.3.2*: no 404).
        """
        target = f"/nearest/{key}?date={date}"
        failures: list[str] = []
        turns = Turns(nodes, self.silent)
        while turns:
            node = turns.node
            try:
                answer = await self._get(node, target, turns.patience)
                found = read_nearest(answer.body) if answer.status == 200 else None
            except _FAILURES as error:
                failures.append(f"{node}: {error}")
                turns.leave(silent=isinstance(error, TimedOut))
                continue
            turns.leave()
            if found is None:
                said = "does not have it" if answer.status == 404 else f"answers {answer.status}"
                failures.append(f"{node}: {said}")
            elif is_of(found.capture, key):
                return found
            else:
                failures.append(f"{node}: gave a capture of another URL")
        if failures:
            raise NodesFailed("; ".join(failures))
        return None

    async def _get(self, node: str, target: str, patience: float | None) -> SmallAnswer:
        try:
            return await self._quick.get(node, target, patience)
        except ConnectionBroken:  # a kept connection, which the node has just closed
            return await self._quick.get(node, target, patience)

    async def captures(
        self, nodes: list[str], key: str, *, heads: bool = False
    ) -> list[CaptureLine]:
        """Return all captures of a URL in the order of their dates, as all its nodes know them.

        Of a stream, whose entries are many, these are the beginnings of its contents. The copies
        of a structure file are sets of captures; the union is the truth.

        Raises:
            NodesFailed: as `nearest`.
        """
        path = f"/structures/{key}?versions=1" + ("&heads=1" if heads else "")
        lines = await self._united(nodes, path)
        return [line for line in lines if not is_within(line.metadata)]

    async def some(
        self, nodes: list[str], key: str, first: str, last: str, limit: int
    ) -> list[CaptureLine]:
        """Return the captures of a URL from a date to another, both included, at most `limit`.

        What is among the first of all nodes' captures is among the first of those of its node.

        Raises:
            NodesFailed: as `nearest`.
        """
        path = f"/structures/{key}?from={first}&to={last}&limit={limit}"
        return (await self._united(nodes, path))[:limit]

    async def _united(self, nodes: list[str], path: str) -> list[CaptureLine]:
        heard = self.silent.heard(nodes)
        lists = await self._lists(heard, path)
        if not lists:
            lists = await self._lists([node for node in nodes if node not in heard], path)
        if nodes and not lists:
            raise NodesFailed(f"none of {len(nodes)} storage nodes gave the captures")
        known = {(line.date, line.content): line for lines in lists for line in lines}
        return [known[place] for place in sorted(known)]

    async def _lists(self, nodes: list[str], path: str) -> list[list[CaptureLine]]:
        """Return what those of some nodes say who have captures of a URL."""
        lists: list[list[CaptureLine]] = []
        asked = [self._ask(node, path, LIST_LIMIT, list[CaptureLine]) for node in nodes]
        for node, found in zip(nodes, await together(asked), strict=True):
            if isinstance(found, TimedOut):
                self.silent.note(node)
            elif isinstance(found, Exception) and not isinstance(found, _FAILURES):
                raise found
            elif isinstance(found, list):
                lists.append(found)
        return lists

    async def _ask(self, node: str, path: str, limit: int, shape: Any) -> Any:
        response = await self._client.request("GET", node.rstrip("/") + path, _JSON)
        body = await response.read(limit)
        if response.head.status == 404:
            return None
        if response.head.status != 200:
            raise NodeRefused(f"{response.head.status} for {path}")
        return msgspec.json.decode(body, type=shape)


def read_nearest(data: bytes) -> Nearest:
    """Read a capture and its content as nodes give them (docs/reference/storage-http.md).

    A content that is not what the capture names is left out: another node may have it sound.

    Raises:
        MsgspecError: this is something else.
    """
    begin = 4 + int.from_bytes(data[:4], "big")
    nearest = _read(memoryview(data)[4:begin])
    body = data[begin:]
    capture = nearest.capture
    is_proven = len(body) == capture.size and content_key(body) == capture.content
    return evolve(nearest, body=body if is_proven else None)


def is_of(capture: Capture, key: str) -> bool:
    """Tell whether a capture is one that the structure file `key` may hold."""
    return structure_key(capture.url) == key and is_key(capture.content) and capture.size >= 0


class NodeRefused(AnetError):
    """A storage node answered something else than 200 or 404."""
