"""`dlweb storage status` as text: what a person is told of nodes, disks and replicas."""

from agents.archive.command.storage_status import is_well, lines_of
from agents.storage.master.operating import MasterStatus
from agents.storage.master.progress import DrainStatus
from agents.storage.status import DiskStatus, IndexStatus, NodeState, NodeStatus

INDEX = [IndexStatus("index-1", "127.0.0.1:7104")]


def node(name: str, *, up: bool = True, **told: object) -> NodeState:
    """Return a node with one disk."""
    disk = DiskStatus("3f0c9a71", f"/{name}", size=100, free=50, contents=1, structures=2)
    status = NodeStatus(name, f"http://{name}/", disks=[disk], **told)  # type: ignore[arg-type]
    return NodeState(status, up)


def test_what_is_well_is_told_in_order() -> None:
    """Nodes come by name, in whatever order they joined, and nothing asks for a look."""
    found = MasterStatus([node("storage-2"), node("storage-1")], INDEX, below=0)
    text = "\n".join(lines_of(found))
    assert is_well(found) and "looking after" not in text
    assert text.index("storage-1") < text.index("storage-2")
    assert "1 content · 2 URLs" in text and "0 below target" in text


def test_what_wants_looking_after_is_told_and_where_to_read_on() -> None:
    """Nodes that are down or write no more, and missing disks, are named; so is a page."""
    found = MasterStatus(
        [
            node("storage-1", up=False),
            node("storage-2", failed="the disk is full"),
            node("storage-3", missing={"/mnt/b": "it is not mounted"}),
        ],
        INDEX,
        below=3,
        lost=2,
    )
    lines = list(lines_of(found))
    assert not is_well(found) and "docs/how-to/" in lines[-1]
    text = "\n".join(lines)
    for words in (
        "storage-1      DOWN",
        "FAILED: the disk is full",
        "/mnt/b  MISSING: it is not mounted",
        "3 below target · 2 on no node that is up",
    ):
        assert words in text


def test_drains_tell_when_they_are_over() -> None:
    """A drain is not counted yet, has something left, or is done."""
    drains = [
        DrainStatus("a", "", None),
        DrainStatus("b", "3f0c9a71", 1200),
        DrainStatus("c", "", 0),
    ]
    text = "\n".join(lines_of(MasterStatus([], INDEX, below=0, drains=drains)))
    assert "emptying a: not counted yet" in text
    assert "emptying b 3f0c9a71: 1,200 left" in text
    assert "emptying c: all is safe elsewhere, it may go" in text
