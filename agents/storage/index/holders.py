"""Who holds what, as an index node knows it: from the logs of additions, and from its notes."""

from collections.abc import Iterable

from agents.storage.catalogue import Catalogue
from agents.storage.disk.layout import Kind
from agents.storage.index.notes import Notes
from agents.storage.policy import Holding


class Holders:
    """Answers who holds what."""

    def __init__(self, catalogue: Catalogue, notes: Notes) -> None:
        self._catalogue, self._notes = catalogue, notes

    async def of(self, wanted: Iterable[tuple[Kind, str]]) -> dict[str, list[Holding]]:
        """Return which nodes hold each key, the fullest copy first."""
        places = list(wanted)
        told = await self._catalogue.holders(places)
        found: dict[str, list[Holding]] = {}
        for kind, key in places:
            holdings = sorted(told[key], key=lambda holding: -holding.size)
            unheard = self._notes.nodes(kind, key) - {each.node for each in holdings}
            found[key] = holdings + [Holding(node, 0) for node in sorted(unheard)]
        return found
