"""What an index node shows a person, and Prometheus."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from agents.page import Badge, Branch, Cell, Figures, LinkTo, Page, Table, Tree, human_bytes
from agents.storage.cells import NODE_COLUMNS, by_name, node_row
from agents.storage.figures import Figure, shown
from agents.storage.index.sharing import GROUPS, groups_of
from hip import Peer

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
        Figure("asked", "keys asked of the nodes", lambda: node.asking.asked, total=True),
        Figure("nodes_up", "storage nodes up", lambda: len(node.view.up)),
        Figure("clients", "clients", lambda: len(_clients(node))),
        Figure("groups", "groups of keys", lambda: len(node.store.groups)),
        Figure("groups_sure", "groups read to the end", lambda: node.following.read.bit_count()),
    ]


def page(node: "IndexNode", measured: Sequence[Figure]) -> Page:
    """Return the monitoring page."""
    behind = ", ".join(sorted(node.following.behind)) or "none"
    clients = [Branch(peer.name, peer.kind) for peer in _clients(node)]
    own = Branch(node.agent.agent_name, "index-node", clients)
    return Page(
        title="Index node",
        kind="index-node",
        name=node.agent.agent_name,
        sections=[
            Figures("Now", {**shown(measured), "logs being read": behind}),
            *node.pulse.sections(),
            Table("Index nodes", ("name", "address", "state", "groups"), _sharers(node)),
            Table("Logs of additions", ("node", "disk", "groups", "read"), _logs(node)),
            Table(
                "Storage nodes", NODE_COLUMNS, [node_row(each) for each in by_name(node.view.nodes)]
            ),
            Tree("Place in the tree", Branch(node.link.state, "", [own])),
        ],
        links=[LinkTo("metrics", "/metrics")],
        summary="Says where contents go, records captures, and finds both.",
    )


def _clients(node: "IndexNode") -> list[Peer]:
    """Return the links of those that deposit and read; other index nodes link here too."""
    return [peer for peer in node.agent.slaves.values() if peer.kind != "index-node"]


def _sharers(node: "IndexNode") -> list[list[Cell]]:
    """Return a row for each index node: its part of the groups, and whether it is linked."""
    sharers = node.view.index_nodes
    names = [each.name for each in sharers]
    rows: list[list[Cell]] = []
    for each in sharers:
        part = f"{len(groups_of(each.name, names))} of {GROUPS}"
        if each.name == node.agent.agent_name:
            state = Badge("this one", "good")
        else:
            linked = node.siblings.peer(each.name) is not None
            state = Badge("linked", "good") if linked else Badge("away", "bad")
        rows.append([each.name, each.address, state, part])
    return rows


def _logs(node: "IndexNode") -> list[list[Cell]]:
    """Return a row for each reading of a log: several, while new groups are read."""
    return [
        [disk.node, disk.name, len(reading.groups), human_bytes(reading.followed.position)]
        for disk in sorted(node.store.disks.values(), key=lambda disk: (disk.node, disk.name))
        for reading in disk.readings
    ]
