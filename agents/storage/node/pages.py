"""What a storage node shows a person, and Prometheus."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from agents.page import Badge, Branch, Figures, LinkTo, Note, Page, Section, Tree
from agents.storage.figures import Figure, shown

if TYPE_CHECKING:
    from agents.storage.node.service import StorageNode


def figures(node: "StorageNode") -> list[Figure]:
    """Return what a storage node measures."""
    store, routes, fetcher = node.store, node.routes, node.fetcher
    counts = store.holdings
    return [
        Figure("contents", "contents", lambda: counts.counts["contents"]),
        Figure("structures", "URLs", lambda: counts.counts["structures"]),
        Figure("free_bytes", "room left", lambda: store.space.free, unit="bytes"),
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
    ]


def page(node: "StorageNode", measured: Sequence[Figure]) -> Page:
    """Return the monitoring page."""
    lookup = node.lookup
    failed = node.store.failed
    asked = lookup.listener if lookup is not None else None
    sections: list[Section] = [
        Figures("Now", shown(measured)),
        *node.pulse.sections(),
        Figures(
            "Disk",
            {
                "state": Badge("failed", "bad") if failed else Badge("up", "good"),
                "filter": "ready" if node.store.holdings.surveyed else "surveying the disk",
                "folder": str(node.store.layout.root),
                "address": node.url,
            },
        ),
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
