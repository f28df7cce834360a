"""Which contents the archive has already, where new ones go, and where both are found."""

from collections.abc import Sequence

from agents.deposit import ContentSize, Placement
from agents.storage.disk.layout import Kind
from agents.storage.errors import HoldersDown, NoStorage
from agents.storage.index.holders import Holders
from agents.storage.index.view import ClusterView
from agents.storage.policy import place, writable
from agents.storage.status import NodeState


class Placing:
    """Answers `place` and `find`.

    Attributes:
        known: contents asked about that the archive had.
        placed: contents that were given a place.
        found: lookups that found something.
    """

    def __init__(self, holders: Holders, view: ClusterView) -> None:
        self._holders, self._view = holders, view
        self.known = self.placed = self.found = 0

    async def place(self, contents: Sequence[ContentSize]) -> list[Placement]:
        """Return for each content that it is known, or the nodes to PUT it to.

        A content whose holders are all down is placed anew: better a copy too many.

        Raises:
            NoStorage: no node is up with room for one of them.
        """
        held = await self._holders.of(("contents", each.key) for each in contents)
        nodes = self._view.nodes
        up = {node.name for node in nodes if node.up}
        placements: list[Placement] = []
        for content in contents:
            if any(holding.node in up for holding in held[content.key]):
                self.known += 1
                placements.append(Placement(content.key, known=True))
            else:
                self.placed += 1
                urls = self._nodes(content, nodes)
                placements.append(Placement(content.key, known=False, nodes=urls))
        return placements

    def _nodes(self, content: ContentSize, nodes: Sequence[NodeState]) -> list[str]:
        usable = writable(nodes, content.size)
        if not usable:
            raise NoStorage(
                f"no storage node is up with room for {content.size} bytes: start one, or free "
                "some space"
            )
        chosen = place(content.key, usable, self._view.rules.wanted("contents", content.size))
        return [node.status.url for node in chosen]

    async def find(self, kind: Kind, key: str) -> list[str]:
        """Return base URLs of the nodes that are up and hold a key, the fullest copy first.

        Raises:
            HoldersDown: nodes hold it, and none of them is up.
        """
        held = await self._holders.of([(kind, key)])
        urls = {node.name: node.status.url for node in self._view.up}
        found = [urls[holding.node] for holding in held[key] if holding.node in urls]
        self.found += bool(found)
        if held[key] and not found:
            names = ", ".join(sorted(holding.node for holding in held[key]))
            raise HoldersDown(f"only {names} hold it, and cannot be reached")
        return found
