"""What a storage node shows a person, and Prometheus."""

import time
from collections.abc import Sequence
from math import inf
from typing import TYPE_CHECKING

from agents.page import (
    Badge,
    Branch,
    Cell,
    Figures,
    LinkTo,
    Note,
    Page,
    Progress,
    Section,
    Table,
    Tree,
    human_bytes,
    human_seconds,
)
from agents.storage.cells import warned
from agents.storage.figures import Figure, shown
from agents.storage.node import depot_page as depot
from agents.storage.node import mirror_page as mirror
from agents.storage.status import DiskStatus

if TYPE_CHECKING:
    from agents.storage.node.service import StorageNode


_APART = (mirror.PREFIX, depot.PREFIX)  # figures that have sections of their own
_DISK_COLUMNS = (
    "disk",
    "folder",
    "state",
    "size",
    "room left",
    "contents",
    "URLs",
    "audited",
    "damaged",
    "errors",
    "why",
)


def figures(node: "StorageNode") -> list[Figure]:
    """Return what a storage node measures."""
    store, routes, fetcher = node.store, node.routes, node.fetcher
    measured = [
        Figure("contents", "contents", lambda: store.count("contents")),
        Figure("structures", "URLs", lambda: store.count("structures")),
        Figure("free_bytes", "room left", lambda: store.free, unit="bytes"),
        Figure("disks", "disks", lambda: len(store.disks)),
        Figure("disks_missing", "disks missing", lambda: len(store.missing)),
        Figure("disk_errors", "disk errors", lambda: store.errors, total=True),
        Figure("damaged", "damaged, in quarantine", lambda: store.damaged),
        Figure("audit_found", "damage found", lambda: node.auditing.found, total=True),
        Figure("audit_age_seconds", "since the oldest audit", lambda: _age(node), unit="seconds"),
        Figure("waiting", "writes waiting", lambda: store.waiting),
        Figure("served", "answers given", lambda: routes.served, total=True, rate="/s"),
        Figure("taken", "contents taken", lambda: routes.contents.taken, total=True),
        Figure(
            "recorded",
            "captures recorded",
            lambda: routes.structures.recorded,
            total=True,
            rate="/s",
        ),
        Figure("copied", "contents copied", lambda: fetcher.contents, total=True),
        Figure("merged", "captures merged", lambda: fetcher.merged, total=True),
        Figure("told", "additions told", lambda: node.reporter.told, total=True),
        Figure("moved", "moved off drained disks", lambda: node.emptying.moved, total=True),
        Figure("united", "structure files united", lambda: node.uniting.united, total=True),
    ]
    if node.has_depot:
        measured += depot.figures(store.disks)
    return measured + (mirror.figures(node.mirroring) if node.mirroring is not None else [])


def page(node: "StorageNode", measured: Sequence[Figure]) -> Page:
    """Return the monitoring page."""
    lookup = node.lookup
    failed = node.store.failed
    asked = lookup.listener if lookup is not None else None
    sections: list[Section] = [
        Figures(
            "Node",
            {
                "state": Badge("failed", "bad") if failed else Badge("up", "good"),
                "filters": "ready" if node.store.surveyed else "surveying the disks",
                "address": node.url,
            },
        ),
        _disks(node),
        *(mirror.sections(node.mirroring) if node.mirroring is not None else []),
        *(depot.sections(node.store.disks) if node.has_depot else []),
        Figures("Now", shown(each for each in measured if not each.name.startswith(_APART))),
        *node.pulse.sections(),
        Figures(
            "Multicast",
            {
                "groups": lookup.state if lookup is not None else "switched off",
                "questions": asked.questions if asked is not None else 0,
                "answers": asked.answers if asked is not None else 0,
            },
        ),
        Tree(
            "Place in the tree",
            Branch(node.link.state, "", [Branch(node.agent.agent_name, "storage-node")]),
        ),
    ]
    if failed:
        sections.insert(0, Note("This node writes no more", failed, "bad"))
    return Page(
        title="Storage node",
        kind="storage-node",
        name=node.agent.agent_name,
        sections=sections,
        links=[LinkTo("what it holds", "/urls"), LinkTo("metrics", "/metrics")],
        summary="Keeps contents and structure files, and gives them to whoever asks.",
    )


def _disks(node: "StorageNode") -> Table:
    rows = [_disk_row(node.auditing.status(disk)) for disk in node.store.disks]
    missing: list[list[Cell]] = [
        ["", folder, Badge("missing", "bad"), "", "", "", "", "", "", "", why]
        for folder, why in node.store.missing.items()
    ]
    return Table("Disks", _DISK_COLUMNS, rows + missing)


def _disk_row(disk: DiskStatus) -> list[Cell]:
    return [
        disk.name,
        disk.folder,
        Badge("failed", "bad") if disk.failed else Badge("up", "good"),
        human_bytes(disk.size),
        human_bytes(disk.free),
        disk.contents,
        disk.structures,
        _audit(disk),
        warned(disk.damaged),
        warned(disk.errors),
        disk.failed or disk.last_error,
    ]


def _audit(disk: DiskStatus) -> Cell:
    if disk.auditing is not None:
        return Progress(disk.auditing)
    if not disk.audited:
        return "never"
    return f"{human_seconds(time.time() - disk.audited)} ago"


def _age(node: "StorageNode") -> float:
    """Return how long ago the disk that was audited least lately was, in seconds.

    One that never was is infinitely long ago, so that an alarm on the age hears of it too.
    """
    oldest = min((node.auditing.status(disk).audited for disk in node.store.disks), default=0.0)
    return time.time() - oldest if oldest else inf
