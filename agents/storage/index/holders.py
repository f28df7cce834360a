"""Who holds what, as all index nodes together know it.

Each key is looked up by the index node that has its group: here, in the database and the notes,
or by a sibling. What no index node is sure of, the storage nodes can be asked themselves.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from agents.storage.index.following import Following
from agents.storage.index.notes import Notes
from agents.storage.index.siblings import Known, Place, Siblings
from agents.storage.index.store import IndexStore
from agents.storage.index.view import ClusterView
from agents.storage.policy import Holding
from anet.together import together


class Holders:
    """Answers who holds what."""

    def __init__(
        self,
        store: IndexStore,
        notes: Notes,
        view: ClusterView,
        following: Following,
        siblings: Siblings,
    ) -> None:
        self._store, self._notes, self._view = store, notes, view
        self._following, self._siblings = following, siblings

    async def of(self, wanted: Iterable[Place]) -> dict[Place, Known]:
        """Return what is known of each key."""
        owners = self._owners()
        by_owner: dict[str, list[Place]] = defaultdict(list)
        for place in dict.fromkeys(wanted):
            by_owner[owners[_group(place)]].append(place)
        answers = await together(self._ask(name, places) for name, places in by_owner.items())
        found: dict[Place, Known] = {}
        for places, answer in zip(by_owner.values(), answers, strict=True):
            if isinstance(answer, Exception):
                raise answer
            found.update(zip(places, answer, strict=True))
        return {place: self._with_notes(place, known) for place, known in found.items()}

    async def own(self, places: Sequence[Place]) -> list[Known]:
        """Return what this index node alone knows, in the order of the keys."""
        held = await self._store.holders(places)
        sure = self._following.sure
        found = []
        for place, holdings in zip(places, held, strict=True):
            known = Known(holdings, sure=bool(sure >> _group(place) & 1))
            found.append(self._with_notes(place, known))
        return found

    def note_own(self, stored: Iterable[tuple[Place, Iterable[str]]]) -> None:
        """Take note of nodes that have just stored keys, as a sibling says."""
        for place, nodes in stored:
            self._notes.add(*place, nodes)

    async def note(self, stored: Iterable[tuple[Place, Iterable[str]]]) -> None:
        """Take note of nodes that have just stored keys, also with the siblings that have them.

        These have taken note when this returns, or are linked no more and so not sure. So have
        those that had them before others came, and may not have been told of these.
        """
        owners, strangers = self._owners(), self._siblings.strangers
        former = self._view.former_owners
        told: dict[str, list[tuple[Place, list[str]]]] = defaultdict(list)
        for place, nodes in stored:
            names, group = sorted(nodes), _group(place)
            self._notes.add(*place, names)
            for name in {owners[group], former[group] or "", *strangers}:
                told[name].append((place, names))
        await together(
            self._siblings.tell(name, [(*place, nodes) for place, nodes in notes])
            for name, notes in told.items()
            if name and name != self._view.name
        )

    def _owners(self) -> list[str]:
        """Return for each group the sibling that answers; nothing where this index node does.

        It does for what it has read to the end, also while that passes to another.
        """
        read = self._following.read
        return [
            "" if read >> group & 1 or name is None or name == self._view.name else name
            for group, name in enumerate(self._view.owners)
        ]

    async def _ask(self, name: str, places: Sequence[Place]) -> list[Known]:
        return await (self._siblings.ask(name, places) if name else self.own(places))

    def _with_notes(self, place: Place, known: Known) -> Known:
        unheard = self._notes.nodes(*place) - {each.node for each in known.holdings}
        if not unheard:
            return known
        return Known(known.holdings + [Holding(node, 0) for node in sorted(unheard)], known.sure)


def _group(place: Place) -> int:
    return int(place[1][:2], 16)
