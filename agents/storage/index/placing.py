"""Which contents the archive has already, where new ones go, and where both are found."""

from collections.abc import Sequence

from agents.deposit import ContentSize, Placement
from agents.storage.disk.layout import Kind
from agents.storage.errors import HoldersDown, NoStorage, NotSure
from agents.storage.index.asking import Asking
from agents.storage.index.holders import Holders
from agents.storage.index.siblings import Known
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

    def __init__(self, holders: Holders, asking: Asking, view: ClusterView) -> None:
        self._holders, self._asking, self._view = holders, asking, view
        self.known = self.placed = self.found = 0

    async def place(self, contents: Sequence[ContentSize]) -> list[Placement]:
        """Return for each content that it is known, or the nodes to PUT it to.

        A content whose holders are all down, or not known yet, is placed anew: better a copy too
        many.

        Raises:
            NoStorage: no node is up with room for one of them.
        """
        held = await self._holders.of(("contents", each.key) for each in contents)
        nodes = self._view.nodes
        up = {node.name for node in nodes if node.up}
        placements: list[Placement] = []
        for content in contents:
            known = held["contents", content.key]
            if any(holding.node in up for holding in known.holdings):
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

        No content is denied without the nodes' own word: one that is in a node's journal only is
        in no log yet. That costs nothing, since who asks for a content has found its capture.

        Raises:
            HoldersDown: nodes hold it, and cannot be reached.
            NotSure: nodes that cannot be reached may hold it.
        """
        known = (await self._holders.of([(kind, key)]))[kind, key]
        found = self._urls(known)
        if not found and (kind == "contents" or not known.sure):
            asked = await self._asking.holders(kind, key)
            known = Known(known.holdings + asked.holdings, asked.sure)
            found = self._urls(asked)
        self.found += bool(found)
        if not found and known.holdings:
            names = ", ".join(sorted({holding.node for holding in known.holdings}))
            raise HoldersDown(f"only {names} hold it, and cannot be reached")
        if not found and not known.sure:
            raise NotSure("not every storage node answers, so one may hold it; try again")
        return found

    def _urls(self, known: Known) -> list[str]:
        urls = {node.name: node.status.url for node in self._view.up}
        return [urls[holding.node] for holding in known.holdings if holding.node in urls]
