"""Which contents the archive has already, where new ones go, and where both are found."""

from collections.abc import Collection, Sequence

from agents.deposit import ContentSize, Placement
from agents.storage.disk.layout import Kind
from agents.storage.errors import HoldersDown, NoStorage, NotSure
from agents.storage.index.asking import Asking
from agents.storage.index.holders import Holders
from agents.storage.index.siblings import Known
from agents.storage.index.view import ClusterView
from agents.storage.policy import place, suffices, writable
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

    async def place(
        self, contents: Sequence[ContentSize], avoid: Collection[str] = ()
    ) -> list[Placement]:
        """Return for each content that it is known, or the nodes to PUT it to.

        A content whose holders are all down, or not known yet, is placed anew: better a copy too
        many.

        Args:
            contents: which.
            avoid: base URLs of nodes that have just not taken them. Others stand in for these,
                and what has a holder is known only once it has as many as are wanted, so that no
                content is left with one copy while a node that could take another is up.

        Raises:
            NoStorage: no node is up with room for one of them.
        """
        held = await self._holders.of(("contents", each.key) for each in contents)
        nodes = self._view.nodes
        placements: list[Placement] = []
        for content in contents:
            names = {holding.node for holding in held["contents", content.key].holdings}
            holders = [node for node in nodes if node.up and node.name in names]
            chosen = self._chosen(content, holders, avoid) if avoid or not holders else holders
            if len(chosen) == len(holders):
                self.known += 1
                placements.append(Placement(content.key, known=True))
            else:
                self.placed += 1
                urls = [node.status.url for node in chosen]
                placements.append(Placement(content.key, known=False, nodes=urls))
        return placements

    def _chosen(
        self, content: ContentSize, holders: list[NodeState], avoid: Collection[str]
    ) -> list[NodeState]:
        """Return the holders, and the nodes that are to have the content beside them."""
        wanted = self._view.rules.wanted("contents", content.size)
        usable = writable(self._view.nodes, content.size)
        if not usable and not holders:
            raise NoStorage(
                f"no storage node is up with room for {content.size} bytes: start one, or free "
                "some space"
            )
        willing = [node for node in usable if node.status.url not in avoid]
        chosen = holders + place(content.key, willing, wanted, holders)
        if avoid and not suffices(chosen, wanted):
            chosen += place(content.key, usable, wanted, chosen)
        return chosen

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
