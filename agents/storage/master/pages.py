"""What the storage master shows a person, and Prometheus."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from agents.page import Badge, Branch, Figures, LinkTo, Page, Table, Tree
from agents.storage.cells import NODE_COLUMNS, node_row
from agents.storage.figures import Figure, shown

if TYPE_CHECKING:
    from agents.storage.master.service import StorageMaster


def figures(master: "StorageMaster") -> list[Figure]:
    """Return what the storage master measures."""
    registry, mending = master.registry, master.mending
    return [
        Figure("nodes_up", "storage nodes up", lambda: len(registry.up)),
        Figure("nodes_waited_for", "waited for", lambda: len(registry.waited_for)),
        Figure("index_nodes_up", "index nodes up", lambda: len(registry.index_nodes)),
        Figure(
            "added", "additions logged", lambda: master.methods.added_entries, total=True, rate="/s"
        ),
        Figure("unsettled", "additions not counted yet", lambda: mending.waiting),
        Figure("below_target", "below target", lambda: mending.progress.below or 0),
        Figure("mended", "mended", lambda: mending.progress.mended, total=True, rate="/s"),
        Figure("copied", "copies made", lambda: master.hands.copied, total=True),
        Figure("removed", "replicas removed", lambda: master.hands.removed, total=True),
        Figure("failed", "steps that failed", lambda: master.hands.failed, total=True),
    ]


def page(master: "StorageMaster", measured: Sequence[Figure]) -> Page:
    """Return the monitoring page."""
    registry, sweeping = master.registry, master.mending.progress.counting
    return Page(
        title="Storage master",
        kind="storage-master",
        name=master.agent.agent_name,
        sections=[
            Figures("Now", shown(measured)),
            *master.pulse.sections(),
            Figures(
                "Replicas",
                {
                    "wanted": registry.rules.replicas,
                    "count of all": "resting" if sweeping is None else f"{sweeping:.0%} done",
                    "state": _state(master),
                },
            ),
            Table("Storage nodes", NODE_COLUMNS, [node_row(each) for each in registry.nodes]),
            Table(
                "Index nodes",
                ["name", "address"],
                [[each.name, each.address] for each in registry.index_nodes],
            ),
            Tree("Place in the tree", _tree(master)),
        ],
        links=[LinkTo("metrics", "/metrics")],
        summary="Knows the storage nodes, and keeps enough replicas of everything.",
    )


def _state(master: "StorageMaster") -> Badge:
    registry = master.registry
    if len(registry.up) < registry.rules.replicas:
        return Badge("fewer nodes than replicas", "bad")
    return Badge("enough nodes", "good")


def _tree(master: "StorageMaster") -> Branch:
    slaves = [Branch(peer.name, peer.kind) for peer in master.agent.slaves.values()]
    own = Branch(master.agent.agent_name, "storage-master", slaves)
    return Branch(master.link.state, "scheduler", [own])
