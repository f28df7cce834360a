"""How storage nodes are shown in tables."""

from collections.abc import Iterable

from agents.page import Badge, Cell, LinkTo, human_bytes, human_number
from agents.storage.status import NodeState

NODE_COLUMNS = ("name", "state", "room left", "contents", "URLs", "why")


def node_row(node: NodeState) -> list[Cell]:
    """Return the row of a storage node, under `NODE_COLUMNS`."""
    status = node.status
    if not node.up:
        state = Badge("down", "bad")
    elif status.failed:
        state = Badge("failed", "bad")
    else:
        state = Badge("draining", "warning") if status.draining else Badge("up", "good")
    room = human_bytes(status.free)
    link = LinkTo(status.name, status.url)
    return [link, state, room, status.contents, status.structures, status.failed]


def by_name(nodes: Iterable[NodeState]) -> list[NodeState]:
    """Return nodes in the order in which a person looks for them."""
    return sorted(nodes, key=lambda node: node.name)


def warned(count: int) -> Cell:
    """Return a count that should be 0, so that it is seen when it is not."""
    return Badge(human_number(count), "warning") if count else 0
