"""`dlweb storage status`: nodes, disks, and replicas below target."""

import argparse
import sys
from collections.abc import Iterator
from typing import Any

import msgspec

from agents import dates
from agents.archive.command.agent_link import configured
from agents.archive.command.progress import many
from agents.archive.command.storage_master import MasterLink
from agents.page import human_bytes, human_number, human_seconds
from agents.storage.master.operating import MasterStatus
from agents.storage.master.progress import DrainStatus
from agents.storage.status import DiskStatus, NodeState

_GUIDE = "Something wants looking after: docs/how-to/grow-and-repair-storage.md tells what to do."


async def status(reactor: Any, options: argparse.Namespace) -> int:
    """Show how the storage is; the status is 1 when something wants looking after.

    Raises:
        ArchiveError: the storage master does not answer.
    """
    async with MasterLink(reactor, configured(options)) as master:
        found = await master.status()
    if options.json:
        sys.stdout.write(msgspec.json.encode(found).decode() + "\n")
    else:
        sys.stdout.write("\n".join(lines_of(found)) + "\n")
    return 0 if is_well(found) else 1


def is_well(found: MasterStatus) -> bool:
    """Tell whether nothing is below target, all logs are read, and nodes and disks are sound."""
    sound = all(
        node.up
        and not node.status.failed
        and not node.status.missing
        and not any(disk.failed or disk.damaged for disk in node.status.disks)
        for node in found.nodes
    )
    return sound and not found.below and not found.unread and bool(found.index_nodes)


def lines_of(found: MasterStatus) -> Iterator[str]:
    """Yield what a person is told."""
    yield f"{many(len(found.nodes), 'storage node')}, {many(len(found.index_nodes), 'index node')}"
    for node in sorted(found.nodes, key=lambda node: node.name):
        yield from _node(node)
    if found.unread:
        yield f"what {', '.join(found.unread)} can give is still being read"
    yield replicas_line(found)
    for drain in found.drains:
        yield f"emptying {drain.node} {drain.disk}".rstrip() + f": {_left(drain)}"
    if not is_well(found):
        yield _GUIDE


def _left(drain: DrainStatus) -> str:
    if drain.left is None:
        return "not counted yet"
    return f"{human_number(drain.left)} left" if drain.left else "all is safe elsewhere, it may go"


def replicas_line(found: MasterStatus) -> str:
    """Return how replicas and their repair stand."""
    if found.below is None:
        below = "replicas not counted yet"
    else:
        below = f"{human_number(found.below)} below target"
    parts = [below]
    if found.lost:
        parts.append(f"{human_number(found.lost)} on no node that is up")
    if found.sweeping is not None:
        parts.append(f"counting, {found.sweeping:.0%}")
    parts.append(f"{human_number(found.mended)} mended")
    if found.failed:
        parts.append(f"{human_number(found.failed)} to be tried again")
    if found.seconds_left:
        parts.append(f"{human_seconds(found.seconds_left)} left")
    return " · ".join(parts)


def _node(node: NodeState) -> Iterator[str]:
    told = node.status
    state = "up" if node.up else "DOWN"
    words = [f"  {told.name:<14} {state:<5} {told.url}"]
    if told.place:
        words.append(told.place)
    if told.draining:
        words.append("draining")
    if told.failed:
        words.append(f"FAILED: {told.failed}")
    yield "  ".join(words)
    for disk in told.disks:
        yield f"    {disk.name}  {_disk(disk)}"
    for folder, why in told.missing.items():
        yield f"    {folder}  MISSING: {why}"


def _disk(disk: DiskStatus) -> str:
    parts = [
        disk.folder,
        many(disk.contents, "content"),
        many(disk.structures, "URL"),
        f"{human_bytes(disk.free)} free of {human_bytes(disk.size)}",
    ]
    if disk.auditing is not None:
        parts.append(f"auditing, {disk.auditing:.0%}")
    elif disk.audited:
        parts.append(f"audited {dates.to_iso(dates.from_timestamp(disk.audited))}")
    if disk.damaged:
        parts.append(f"{human_number(disk.damaged)} DAMAGED, in quarantine")
    if disk.failed:
        parts.append(f"FAILED: {disk.failed}")
    return " · ".join(parts)
