"""Has captures recorded by the nodes that keep their structure files, or by others in their place.

In rounds: whatever a node was asked to record and did not is given to the next, until enough nodes
have it or every node that is up has been asked.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from attrs import define, evolve, field

from agents.capture import Capture
from agents.storage.errors import NoStorage
from agents.storage.index.posting import Posting, Share
from agents.storage.index.view import ClusterView
from agents.storage.policy import keepers, places, writable
from agents.storage.replicas import Wanted
from agents.storage.status import NodeState


@define
class Spread:
    """Captures that are being recorded.

    Attributes:
        files: the captures, by the key of their structure file.
        holders: names of the nodes that hold each file.
        took: names of the nodes that have recorded the captures of each file.
        wanted: nodes that were to record them.
        failed: names of nodes that did not record what they were asked to.
    """

    files: Mapping[str, Sequence[Capture]]
    holders: Mapping[str, set[str]]
    took: dict[str, set[str]] = field(factory=lambda: defaultdict(set))
    wanted: dict[str, int] = field(factory=dict)
    failed: set[str] = field(factory=set)

    @property
    def lost(self) -> int:
        """Captures that no node has recorded."""
        return sum(len(each) for key, each in self.files.items() if not self.took[key])

    @property
    def short(self) -> int:
        """Captures that fewer nodes have recorded than were to."""
        return sum(
            len(each) for key, each in self.files.items() if len(self.took[key]) < self.wanted[key]
        )


class Spreading:
    """Chooses the nodes, round by round."""

    def __init__(self, view: ClusterView, posting: Posting) -> None:
        self._view, self._posting = view, posting

    async def record(
        self, files: Mapping[str, Sequence[Capture]], holders: Mapping[str, set[str]]
    ) -> Spread:
        """Have captures recorded; return who took which.

        Args:
            files: the captures, by the key of their structure file.
            holders: names of the nodes that hold each file.

        Raises:
            NoStorage: no node is up; nobody was asked.
        """
        spread = Spread(files, holders)
        keys: Iterable[str] = files
        while asked := self._choose(spread, keys):
            keys = await self._ask(spread, asked)
        return spread

    async def _ask(
        self, spread: Spread, asked: Sequence[tuple[NodeState, Sequence[str]]]
    ) -> set[str]:
        """Ask nodes to record the captures of some files; return which files one of them did not.

        Args:
            spread: takes note of who did.
            asked: the nodes, and the keys for each.
        """
        shares = {node.name: self._share(spread, node, keys) for node, keys in asked}
        answered = await self._posting.post_all(shares)
        spread.failed |= shares.keys() - answered
        missed: set[str] = set()
        for node, keys in asked:
            if node.name not in answered:
                missed.update(keys)
                continue
            for key in keys:
                spread.took[key].add(node.name)
        return missed

    def _share(self, spread: Spread, node: NodeState, keys: Sequence[str]) -> Share:
        """Return what a node is to record, and where it finds the files that it lacks."""
        urls = {each.name: each.status.url for each in self._view.up}
        captures = [each for key in keys for each in spread.files[key]]
        sources: dict[str, str] = {}
        for key in keys:
            holders = (spread.holders[key] - spread.failed) & urls.keys()
            if holders and node.name not in spread.holders[key]:
                sources[key] = urls[min(holders)]
        return Share(node, captures, sources)

    def _choose(
        self, spread: Spread, keys: Iterable[str]
    ) -> Sequence[tuple[NodeState, Sequence[str]]]:
        """Return which nodes to ask next, and for which keys."""
        nodes = [node for node in self._view.told if node.name not in spread.failed]
        suspects = self._view.suspects
        wanted = self._wanted(nodes)
        asked: dict[str, tuple[NodeState, list[str]]] = {}
        for key in keys:
            took = spread.took[key]
            chosen = keepers(key, spread.holders[key] | took, nodes, wanted, suspects)
            if not chosen and not spread.failed:
                raise NoStorage("no storage node is up with room: start one, or free some space")
            spread.wanted.setdefault(key, len(chosen))
            for node in chosen:
                if node.name not in took:
                    asked.setdefault(node.name, (node, []))[1].append(key)
        return list(asked.values())

    def _wanted(self, nodes: Sequence[NodeState]) -> Wanted:
        """Return what the copies must come to, in no more places than there are."""
        wanted = self._view.rules.wanted("structures")
        there = len(places(writable(nodes), wanted.level))
        return evolve(wanted, places=max(1, min(wanted.places, there)))
