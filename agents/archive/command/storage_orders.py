"""`dlweb storage audit`, `repair`, `drain` and `undrain`: orders that the master carries out.

Whoever stops waiting stops nothing: the order stands, and `dlweb storage status` shows it.
"""

import argparse
import sys
from collections.abc import Callable
from typing import Any

import msgspec

from agents.archive.command.storage_master import MasterLink, configured
from agents.archive.command.storage_status import replicas_line
from agents.archive.command.terminal import ProgressLine
from agents.archive.errors import ArchiveError
from agents.page import human_number
from agents.storage.master.operating import MasterStatus
from agents.storage.status import DiskStatus

Look = Callable[[MasterStatus], tuple[str, bool]]  # in a line, and whether it is done


async def audit(reactor: Any, options: argparse.Namespace) -> int:
    """Have nodes hash everything again; the status is 1 when something is damaged.

    Raises:
        ArchiveError: there is no such node, or nobody answers.
    """
    async with MasterLink(reactor, configured(options)) as master:
        before = _audited(await master.status())
        begun = await master.call(list[str], "audit", node=options.node)
        if not begun:
            raise ArchiveError("no storage node has begun; `dlweb storage status` shows them")

        def look(status: MasterStatus) -> tuple[str, bool]:
            disks = _disks(status, begun)
            left = [disk for name, disk in disks if disk.audited <= before.get(name, 0.0)]
            done = sum(disk.auditing or 0.0 for disk in left) + len(disks) - len(left)
            share = done / len(disks) if disks else 1.0
            return f"auditing {', '.join(begun)}: {share:.0%}", not left

        status = await _wait(reactor, master, look)
    damaged = sum(disk.damaged for _, disk in _disks(status, begun))
    words = f"{human_number(damaged)} damaged files in quarantine; their repair is asked for"
    _tell(options, {"audited": begun, "damaged": damaged}, words if damaged else "all is sound")
    return 1 if damaged else 0


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

        status = await _wait(reactor, master, look)
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
            [left] = [
                each.left
                for each in status.drains
                if (each.node, each.disk) == (options.node, options.disk)
            ] or [0]
            words = "being counted" if left is None else f"{human_number(left)} left"
            return f"emptying {options.node} {options.disk}".rstrip() + f": {words}", left == 0

        await _wait(reactor, master, look)
    _tell(options, named | {"left": 0}, f"{options.node} {options.disk}".rstrip() + " may go")
    return 0


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


async def _wait(reactor: Any, master: MasterLink, look: Look) -> MasterStatus:
    """Show progress until it is done."""
    line = ProgressLine(sys.stderr, reactor.seconds)
    try:
        while True:
            status = await master.status()
            words, done = look(status)
            line.show(words)
            if done:
                return status
            await master.pause()
    finally:
        line.clear()


def _audited(status: MasterStatus) -> dict[str, float]:
    return {
        f"{node.name} {disk.name}": disk.audited
        for node in status.nodes
        for disk in node.status.disks
    }


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
