"""How storage nodes are shown in tables."""

from agents.page import Badge, Cell, LinkTo, human_bytes
from agents.storage.status import NodeState

NODE_COLUMNS = ("name", "state", "room left", "contents", "URLs", "why")


def node_row(node: NodeState) -> list[Cell]:
    """Return the row of a storage node, under `NODE_COLUMNS`."""
    status = node.status
    if status.failed:
        state = Badge("failed", "bad")
    else:
        state = Badge("up", "good") if node.up else Badge("down", "bad")
    room = human_bytes(status.free)
    link = LinkTo(status.name, status.url)
    return [link, state, room, status.contents, status.structures, status.failed]
