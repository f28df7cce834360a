"""The tables of the master's page."""

from agents.page import Badge
from agents.storage.master import tables
from agents.storage.status import DiskStatus, NodeState, NodeStatus


def node(name: str, missing: dict[str, str]) -> NodeState:
    """Return a node that is up."""
    disk = DiskStatus("3f0c9a71", f"/{name}", size=100, free=25, damaged=1)
    return NodeState(NodeStatus(name, "http://h/", disks=[disk], missing=missing), True)


def test_groups_are_counted_as_nodes_say() -> None:
    """One that listens to none counts for none, as one does that does not tell."""
    said = ["", "0", "f", "no number", f"{(1 << 256) - 1:x}"]
    states = [NodeState(NodeStatus(f"n{each}", "http://h/", groups=each), True) for each in said]
    told = tables.groups(states).figures
    assert (told["fewest listeners"], told["most listeners"]) == (1, 2)
    assert tables.groups(states[:3]).figures["with no listener"] == 252
    rows = tables.nodes(states, set()).rows
    assert {str(row[0].text): row[8] for row in rows} == {  # type: ignore[union-attr]
        "n": "–", "n0": "0", "nf": "4", "nno number": "0", f"n{said[-1]}": "256"
    }  # fmt: skip


def test_missing_disks_have_a_row_and_damage_is_seen() -> None:
    """A disk that its node lacks is there with why; what is in quarantine stands out."""
    nodes = [node("storage-2", {"/mnt/b": "it is not mounted"}), node("storage-1", {})]
    table = tables.disks(nodes)
    assert [row[:3] for row in table.rows] == [
        ["storage-1", "3f0c9a71", "/storage-1"],
        ["storage-2", "3f0c9a71", "/storage-2"],
        ["storage-2", "", "/mnt/b"],
    ]
    assert all(len(row) == len(table.columns) for row in table.rows)
    assert table.rows[2][3] == Badge("missing", "bad")
    assert table.rows[2][-1] == "it is not mounted"
    assert Badge("1", "warning") in table.rows[0]
    assert [row[0].text for row in tables.nodes(nodes, set()).rows] == ["storage-1", "storage-2"]  # type: ignore[union-attr]
