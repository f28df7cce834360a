"""Contents on their way together: small ones in bundles, a large one alone. Pure."""

from collections.abc import Collection, Iterable

from attrs import evolve, field, frozen

from agents.bundle import CONTENT_LIMIT, COUNT_LIMIT
from agents.deposit import ContentSize, Placement
from anet.backoff import Backoff

BUNDLE_SIZE = 2 * 2**20  # bytes from which a bundle is full; the nodes' limit is further


@frozen
class Parcel:
    """Contents that go to the same storage nodes.

    Attributes:
        nodes: base URLs of the nodes.
        contents: one, or several small ones.
        have: nodes that took all of them already.
        failed: nodes that did not when they were last offered to.
        tries: how often they were offered.
        backoff: how long to wait before the next time.
    """

    nodes: tuple[str, ...]
    contents: list[ContentSize]
    have: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    tries: int = 0
    backoff: Backoff = field(factory=Backoff)

    @property
    def small(self) -> bool:
        """Whether it goes as a bundle."""
        return all(content.size <= CONTENT_LIMIT for content in self.contents)

    @property
    def keys(self) -> list[str]:
        """The keys of its contents."""
        return [content.key for content in self.contents]

    def without(self, keys: Collection[str]) -> "Parcel":
        """Return it without some of its contents."""
        return evolve(self, contents=[each for each in self.contents if each.key not in keys])

    def placed_again(self, placements: Iterable[tuple[ContentSize, Placement]]) -> "list[Parcel]":
        """Return what becomes of it when its contents have got other places."""
        return [
            evolve(each, have=self.have, tries=self.tries, backoff=self.backoff)
            for each in parcels(placements)
        ]


def parcels(placements: Iterable[tuple[ContentSize, Placement]]) -> list[Parcel]:
    """Return the parcels that bring contents, of which none is known, to their places."""
    made: list[Parcel] = []
    filling: dict[tuple[str, ...], tuple[Parcel, int]] = {}  # and the bytes in it
    for content, placement in placements:
        nodes = tuple(sorted(placement.nodes))
        if content.size > CONTENT_LIMIT:
            made.append(Parcel(nodes, [content]))
            continue
        parcel, size = filling.get(nodes, (None, 0))
        if parcel is None or size >= BUNDLE_SIZE or len(parcel.contents) == COUNT_LIMIT:
            parcel, size = Parcel(nodes, []), 0
            made.append(parcel)
        parcel.contents.append(content)
        filling[nodes] = parcel, size + content.size
    return made
