"""Asking storage nodes about the captures of a URL (*INA §2.3.2* steps 3 and 4)."""

from typing import Any
from urllib.parse import quote

import msgspec
from attrs import field, frozen

from agents.capture import Capture, is_key, structure_key
from agents.consultation.errors import NodesFailed
from anet.errors import AnetError
from anet.http import HttpClient

NEAREST_LIMIT = 12_000_000  # bytes; a head in base64 fits
LIST_LIMIT = 64_000_000  # bytes of one list of captures
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
    """

    capture: Capture
    count: int = 1
    first: str = ""
    last: str = ""
    previous: str | None = None
    next: str | None = None


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
    """Reads structure files over HTTP, from the first node that gives them."""

    def __init__(self, client: HttpClient) -> None:
        self._client = client

    async def nearest(self, nodes: list[str], key: str, date: str) -> Nearest | None:
        """Return the capture nearest to `date`, or None without any node: nobody has one.

        A capture that does not belong under the key is not believed; the next node is asked.

        Raises:
            NodesFailed: nodes are said to have it, and none gives it (*INA §2.3.2*: no 404).
        """
        path = f"/structures/{key}?date={quote(date)}"
        failures: list[str] = []
        for node in nodes:
            try:
                found: Nearest | None = await self._ask(node, path, NEAREST_LIMIT, Nearest)
            except (AnetError, msgspec.MsgspecError) as error:
                failures.append(f"{node}: {error}")
                continue
            if found is None:
                failures.append(f"{node}: does not have it")
            elif is_of(found.capture, key):
                return found
            else:
                failures.append(f"{node}: gave a capture of another URL")
        if failures:
            raise NodesFailed("; ".join(failures))
        return None

    async def captures(self, nodes: list[str], key: str) -> list[CaptureLine]:
        """Return all captures of a URL in the order of their dates, as all its nodes know them.

        The copies of a structure file are sets of captures; the union is the truth.

        Raises:
            NodesFailed: as `nearest`.
        """
        known: dict[tuple[str, str], CaptureLine] = {}
        answered = not nodes
        for node in nodes:
            try:
                lines = await self._ask(node, f"/structures/{key}", LIST_LIMIT, list[CaptureLine])
            except (AnetError, msgspec.MsgspecError):
                continue
            answered |= lines is not None
            known.update({(line.date, line.content): line for line in lines or []})
        if not answered:
            raise NodesFailed(f"none of {len(nodes)} storage nodes gave the captures")
        return [known[place] for place in sorted(known)]

    async def _ask(self, node: str, path: str, limit: int, shape: Any) -> Any:
        response = await self._client.request("GET", node.rstrip("/") + path, _JSON)
        body = await response.read(limit)
        if response.head.status == 404:
            return None
        if response.head.status != 200:
            raise NodeRefused(f"{response.head.status} for {path}")
        return msgspec.json.decode(body, type=shape)


def is_of(capture: Capture, key: str) -> bool:
    """Tell whether a capture is one that the structure file `key` may hold."""
    return structure_key(capture.url) == key and is_key(capture.content) and capture.size >= 0


class NodeRefused(AnetError):
    """A storage node answered something else than 200 or 404."""
