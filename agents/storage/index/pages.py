"""What an index node shows a person, and Prometheus."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from agents.page import Branch, Figures, LinkTo, Page, Table, Tree
from agents.storage.cells import NODE_COLUMNS, node_row
from agents.storage.figures import Figure, shown

if TYPE_CHECKING:
    from agents.storage.index.service import IndexNode


def figures(node: "IndexNode") -> list[Figure]:
    """Return what an index node measures."""
    placing, recording = node.placing, node.recording
    return [
        Figure("recorded", "captures recorded", lambda: recording.recorded, total=True, rate="/s"),
        Figure("placed", "contents placed", lambda: placing.placed, total=True),
        Figure("known", "contents known already", lambda: placing.known, total=True),
        Figure("found", "lookups answered", lambda: placing.found, total=True, rate="/s"),
        Figure("shortfalls", "recorded on fewer nodes", lambda: recording.shortfalls, total=True),
        Figure("followed", "additions followed", lambda: node.following.taken, total=True),
        Figure("nodes_up", "storage nodes up", lambda: len(node.view.up)),
        Figure("clients", "clients", lambda: len(node.agent.slaves)),
    ]


def page(node: "IndexNode", measured: Sequence[Figure]) -> Page:
    """Return the monitoring page."""
    behind = ", ".join(sorted(node.following.behind)) or "none"
    clients = [Branch(peer.name, peer.kind) for peer in node.agent.slaves.values()]
    own = Branch(node.agent.agent_name, "index-node", clients)
    return Page(
        title="Index node",
        kind="index-node",
        name=node.agent.agent_name,
        sections=[
            Figures("Now", {**shown(measured), "logs being read": behind}),
            *node.pulse.sections(),
            Table("Storage nodes", NODE_COLUMNS, [node_row(each) for each in node.view.nodes]),
            Tree("Place in the tree", Branch(node.link.state, "", [own])),
        ],
        links=[LinkTo("metrics", "/metrics")],
        summary="Says where contents go, records captures, and finds both.",
    )
