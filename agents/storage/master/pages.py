"""What the storage master shows a person, and Prometheus."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from agents.page import (
    Branch,
    Figures,
    LinkTo,
    Note,
    Page,
    Section,
    Table,
    Tree,
    human_number,
    human_seconds,
)
from agents.storage.figures import Figure, shown
from agents.storage.master import tables
from agents.storage.master.progress import Progress

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
    registry, told = master.registry, master.mending.progress
    states = registry.nodes
    return Page(
        title="Storage master",
        kind="storage-master",
        name=master.agent.agent_name,
        sections=[
            *_warnings(master),
            tables.replicas(registry.rules, told, master.seconds()),
            tables.nodes(states, registry.waited_for),
            tables.disks(states),
            tables.drains(told.drains(master.orders.drains)),
            Table(
                "Index nodes",
                ["name", "address"],
                [[each.name, each.address] for each in registry.index_nodes],
                half=True,
            ),
            tables.groups(states),
            Figures("Now", shown(measured)),
            *master.pulse.sections(),
            Tree("Place in the tree", _tree(master)),
        ],
        links=[LinkTo("metrics", "/metrics")],
        summary=_summary(told, master.seconds()),
    )


def _summary(told: Progress, now: float) -> str:
    """Return how the replicas are, in a sentence."""
    if told.below is None:
        return "What the storage nodes hold is being counted."
    if told.below == 0:
        return "Everything has as many replicas as are wanted."
    left = told.seconds_left(now)
    words = "" if left is None else f", in about {human_seconds(left)} at the pace of now"
    return f"Replicas of {human_number(told.below)} are missing, and are made{words}."


def _warnings(master: "StorageMaster") -> list[Section]:
    registry, notes = master.registry, list[Section]()
    for why in master.belonging.strangers.values():
        notes.append(Note("An agent is refused", why, "bad"))
    if len(registry.up) < registry.rules.replicas:
        words = f"{len(registry.up)} are up, and {registry.rules.replicas:g} replicas are wanted."
        notes.append(Note("Too few storage nodes", words, "bad"))
    if unread := sorted(master.mending.progress.unread()):
        words = f"Those of {', '.join(unread)}: until then not all is known of what they hold."
        notes.append(Note("Logs are being read", words, "warning"))
    return notes


def _tree(master: "StorageMaster") -> Branch:
    slaves = [Branch(peer.name, peer.kind) for peer in master.agent.slaves.values()]
    own = Branch(master.agent.agent_name, "storage-master", slaves)
    return Branch(master.link.state, "scheduler", [own])
