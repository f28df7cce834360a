"""`dlweb storage audit`, `repair`, `drain`, `undrain`, `forget`: what the master is told to do.

Whoever stops waiting stops nothing: the order stands, and `dlweb storage status` shows it. Where
nothing moves any more, the waiting ends by itself, and says so.
"""

import argparse
import sys
from collections.abc import Callable
from typing import Any

import msgspec

from agents.archive.command.agent_link import configured
from agents.archive.command.progress import many
from agents.archive.command.storage_master import MasterLink
from agents.archive.command.storage_status import replicas_line
from agents.archive.command.terminal import ProgressLine
from agents.archive.errors import ArchiveError
from agents.page import human_number, human_seconds
from agents.storage.master.operating import MasterStatus
from agents.storage.status import DiskStatus, NodeStatus

Look = Callable[[MasterStatus], tuple[str, bool]]  # in a line, and whether it is done

_STILL = 180.0  # seconds without any progress until the waiting ends; retries take up to 120


async def audit(reactor: Any, options: argparse.Namespace) -> int:
    """Have nodes hash everything again; the status is 1 when something was found damaged.

    Raises:
        ArchiveError: there is no such node, or nobody answers.
    """
    async with MasterLink(reactor, configured(options)) as master:
        nodes = await master.call(list[NodeStatus], "audit", node=options.node)
        if not nodes:
            raise ArchiveError("no storage node has begun; `dlweb storage status` shows them")
        begun = [node.name for node in nodes]
        before = {f"{node.name} {disk.name}": disk for node in nodes for disk in node.disks}

        def look(status: MasterStatus) -> tuple[str, bool]:
            disks = _disks(status, begun)
            left = [disk for name, disk in disks if disk.audited <= _audited(before.get(name))]
            done = sum(disk.auditing or 0.0 for disk in left) + len(disks) - len(left)
            share = done / len(disks) if disks else 1.0
            return f"auditing {', '.join(begun)}: {share:.0%}", not left

        status = await _wait(reactor, master, look)
    disks = _disks(status, begun)
    damaged = sum(disk.damaged for _, disk in disks)
    found = sum(max(0, disk.damaged - _damaged(before.get(name))) for name, disk in disks)
    figures = {"audited": begun, "found": found, "damaged": damaged}
    _tell(options, figures, _audit_words(found, damaged - found))
    return 1 if found else 0


def _audit_words(found: int, before: int) -> str:
    """Return what an audit found, and what lies in quarantine since before."""
    if found:
        words = (
            f"{many(found, 'damaged file')} found, and moved to quarantine; what other nodes hold "
            "of that is copied from them"
        )
    else:
        words = "all is sound"
    return words + (f"; {human_number(before)} in quarantine since before" if before > 0 else "")


async def repair(reactor: Any, options: argparse.Namespace) -> int:
    """Count all replicas and wait for the repair; the status is 1 when some cannot be made.

    Raises:
        ArchiveError: the master does not answer.
    """
    async with MasterLink(reactor, configured(options)) as master:
        await master.order("sweep")
        await master.pause()  # it begins with the next turn of the master's clock

        def look(status: MasterStatus) -> tuple[str, bool]:
            counted = status.sweeping is None and not status.waiting
            below = status.below or 0
            return replicas_line(status), counted and status.below is not None and (
                below <= status.lost
            )

        status = await _wait(reactor, master, look, _no_room)
    figures = {"below": status.below, "lost": status.lost, "mended": status.mended}
    _tell(options, figures, replicas_line(status))
    return 1 if status.below else 0


async def drain(reactor: Any, options: argparse.Namespace) -> int:
    """Empty a node or a disk, and wait until all it holds is safe elsewhere.

    Raises:
        ArchiveError: there is no such node or disk, or nobody answers.
    """
    named = {"node": options.node, "disk": options.disk}
    async with MasterLink(reactor, configured(options)) as master:
        await master.order("drain", **named)

        def look(status: MasterStatus) -> tuple[str, bool]:
            left = _left(status, options.node, options.disk)
            words = "being counted" if left is None else f"{human_number(left)} left"
            return f"emptying {options.node} {options.disk}".rstrip() + f": {words}", left == 0

        await _wait(reactor, master, look, _no_room)
    _tell(options, named | {"left": 0}, f"{options.node} {options.disk}".rstrip() + " may go")
    return 0


def _left(status: MasterStatus, node: str, disk: str) -> int | None:
    """Return what is left of a drain; None before it was counted.

    Raises:
        ArchiveError: somebody has taken the drain back.
    """
    for each in status.drains:
        if (each.node, each.disk) == (node, disk):
            return each.left
    raise ArchiveError(f"the drain of {node} {disk}".rstrip() + " was taken back meanwhile")


async def undrain(reactor: Any, options: argparse.Namespace) -> int:
    """Take back a drain.

    Raises:
        ArchiveError: there is none, or nobody answers.
    """
    named = {"node": options.node, "disk": options.disk}
    async with MasterLink(reactor, configured(options)) as master:
        await master.order("undrain", **named)
    _tell(options, named, f"{options.node} {options.disk}".rstrip() + " is in use again")
    return 0


async def forget(reactor: Any, options: argparse.Namespace) -> int:
    """Have the master forget a node that is gone for good.

    Raises:
        ArchiveError: there is no such node, it is up, or nobody answers.
    """
    async with MasterLink(reactor, configured(options)) as master:
        await master.order("forget", node=options.node)
    _tell(options, {"node": options.node}, f"{options.node} is forgotten, with all that it held")
    return 0


async def _wait(
    reactor: Any, master: MasterLink, look: Look, stuck: Callable[[str], str] | None = None
) -> MasterStatus:
    """Show progress until it is done.

    Args:
        stuck: says what to do when nothing has moved for long; without it that is waited for.

    Raises:
        ArchiveError: nothing has moved for long.
    """
    line = ProgressLine(sys.stderr, reactor.seconds)
    moved: tuple[Any, float] = (None, reactor.seconds())
    try:
        while True:
            status = await master.status()
            words, done = look(status)
            line.show(words)
            if done:
                return status
            if moved[0] != (course := _course(status)):
                moved = course, reactor.seconds()
            elif stuck is not None and reactor.seconds() - moved[1] >= _STILL:
                raise ArchiveError(stuck(words))
            await master.pause()
    finally:
        line.clear()


def _course(status: MasterStatus) -> tuple[Any, ...]:
    """Return what changes while the master gets anywhere."""
    left = tuple(drain.left for drain in status.drains)
    return status.below, status.copied, status.mended, status.removed, status.sweeping, left


def _no_room(words: str) -> str:
    """Return what to do about replicas that cannot be made."""
    return (
        f"{words}, and nothing has moved for {human_seconds(_STILL)}: nodes that are up lack room, "
        "or there are too few of them, or of places that replicas may be in. Look at `dlweb "
        "storage status`; the order stands, and goes on by itself once there are more"
    )


def _damaged(disk: DiskStatus | None) -> int:
    return 0 if disk is None else disk.damaged


def _audited(disk: DiskStatus | None) -> float:
    return 0.0 if disk is None else disk.audited


def _disks(status: MasterStatus, nodes: list[str]) -> list[tuple[str, DiskStatus]]:
    return [
        (f"{node.name} {disk.name}", disk)
        for node in status.nodes
        if node.name in nodes and node.up
        for disk in node.status.disks
    ]


def _tell(options: argparse.Namespace, figures: dict[str, Any], words: str) -> None:
    text = msgspec.json.encode(figures).decode() if options.json else words
    sys.stdout.write(text + "\n")
