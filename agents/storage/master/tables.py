"""The cluster as tables and figures of the master's page."""

from collections.abc import Sequence

from agents import dates
from agents.page import Badge, Cell, Figures, LinkTo, Progress, Table, human_bytes, human_seconds
from agents.storage.cells import by_name, warned
from agents.storage.master import progress
from agents.storage.policy import GROUPS
from agents.storage.replicas import Rules
from agents.storage.status import DiskStatus, NodeState
from agents.storage.tidying import fill

_NODES = (
    "name", "state", "place", "safety", "full", "room left", "contents", "URLs", "groups", "why"
)  # fmt: skip
_DISKS = (
    "node", "disk", "folder", "state", "full", "contents", "URLs", "audited", "damaged", "why"
)  # fmt: skip


def nodes(states: Sequence[NodeState], waited_for: set[str]) -> Table:
    """Return the storage nodes."""
    rows = [_node(state, state.name in waited_for) for state in by_name(states)]
    return Table("Storage nodes", _NODES, rows)


def _node(state: NodeState, waited_for: bool) -> list[Cell]:
    status = state.status
    return [
        LinkTo(status.name, status.url),
        _state(state, waited_for),
        status.place,
        status.safety,
        _bar(fill(state)),
        human_bytes(status.free),
        status.contents,
        status.structures,
        _groups(status.groups),
        status.failed,
    ]


def _state(state: NodeState, waited_for: bool) -> Badge:
    if not state.up:
        return Badge("waited for", "warning") if waited_for else Badge("down", "bad")
    if state.status.failed:
        return Badge("failed", "bad")
    return Badge("draining", "warning") if state.status.draining else Badge("up", "good")


def disks(states: Sequence[NodeState]) -> Table:
    """Return the disks of the nodes that are up, and those that these miss."""
    rows: list[list[Cell]] = []
    for state in by_name(states):
        if state.up:
            rows += [_disk(state, disk) for disk in state.status.disks]
            rows += [_missing(state, *each) for each in state.status.missing.items()]
    return Table("Disks", _DISKS, rows)


def _missing(state: NodeState, folder: str, why: str) -> list[Cell]:
    return [state.name, "", folder, Badge("missing", "bad"), "", "", "", "", "", why]


def _disk(state: NodeState, disk: DiskStatus) -> list[Cell]:
    return [
        state.name,
        disk.name,
        disk.folder,
        Badge("failed", "bad") if disk.failed else Badge("up", "good"),
        _bar(1 - min(disk.free, disk.size) / disk.size if disk.size else None),
        disk.contents,
        disk.structures,
        _audit(disk),
        warned(disk.damaged),
        disk.failed,
    ]


def _audit(disk: DiskStatus) -> Cell:
    if disk.auditing is not None:
        return Progress(disk.auditing, f"{disk.auditing:.0%}")
    if not disk.audited:
        return "never"
    return dates.to_words(dates.from_timestamp(disk.audited))


def _bar(fraction: float | None) -> Cell:
    return "" if fraction is None else Progress(fraction, f"{fraction:.0%}")


def drains(statuses: Sequence[progress.DrainStatus]) -> Table:
    """Return what is being emptied."""
    rows: list[list[Cell]] = [
        [each.node, each.disk or "all", "not counted yet" if each.left is None else each.left,
         Badge("may go", "good") if each.left == 0 else Badge("being emptied", "warning")]
        for each in statuses
    ]  # fmt: skip
    columns = ("node", "disk", "not yet safe elsewhere", "state")
    return Table("Drains", columns, rows, empty="None.", half=True)


def replicas(rules: Rules, told: progress.Progress, now: float) -> Figures:
    """Return what is wanted, what is missing, and how far its repair is."""
    census, counting, left = told.census, told.counting, told.seconds_left(now)
    return Figures(
        "Replicas",
        {
            "wanted at least": rules.replicas,
            "below target": _below(told.below),
            "out of reach": "–" if census is None else census.lost,
            "repair": "resting" if told.repaired is None else _bar(told.repaired),
            "time left": "–" if not told.below or left is None else human_seconds(left),
            "one too many": "–" if census is None else census.ample,
            "better elsewhere": "–" if census is None else census.astray,
            "count of all": "resting"
            if counting is None
            else Progress(counting, f"{counting:.0%}"),
        },
    )


def _below(below: int | None) -> Cell:
    if below is None:
        return "not counted yet"
    return Badge("none", "good") if below == 0 else Badge(f"{below:,}", "bad")


def groups(states: Sequence[NodeState]) -> Figures:
    """Return how the nodes that are up share the multicast groups."""
    masks = [_mask(state.status.groups) for state in states if state.up]
    listeners = [sum(mask >> group & 1 for mask in masks) for group in range(GROUPS)]
    return Figures(
        "Multicast groups",
        {
            "groups": GROUPS,
            "with no listener": sum(not count for count in listeners),
            "fewest listeners": min(listeners),
            "most listeners": max(listeners),
        },
    )


def _mask(said: str) -> int:
    """Return a node's groups as bits; none when it says none, or no number."""
    try:
        return int(said, 16) if said else 0
    except ValueError:
        return 0


def _groups(said: str) -> Cell:
    return f"{_mask(said).bit_count()}" if said else "–"
