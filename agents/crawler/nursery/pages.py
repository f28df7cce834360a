"""What a nursery shows a person, and figures for Prometheus."""

import re
from collections.abc import Callable
from pathlib import Path

from prometheus_client import CollectorRegistry, Gauge
from twisted.internet.interfaces import IReactorTime

from agents.crawler.nursery.keeper import Keeper, Kept
from agents.page import (
    Badge,
    Cell,
    Figures,
    LinkTo,
    Page,
    Section,
    Table,
    human_bytes,
    human_seconds,
)
from agents.page.serving import serve_page
from anet.http import Router
from anet.workers import Workers
from hip import Link

_PRIVATE = re.compile(rb"^Private_(?:Clean|Dirty):\s+(\d+) kB$", re.MULTILINE)


def private_memory(pid: int) -> int | None:
    """Return the bytes of memory that a process shares with no other; None if it is gone."""
    try:
        told = Path(f"/proc/{pid}/smaps_rollup").read_bytes()
    except OSError:
        return None
    return sum(int(kilobytes) for kilobytes in _PRIVATE.findall(told)) * 1024


class NurseryPages:
    """Answers for a nursery over HTTP."""

    def __init__(
        self,
        clock: IReactorTime,
        name: str,
        keeper: Keeper,
        workers: Workers,
        scheduler: Link,
        page_of: Callable[[str], str],
    ) -> None:
        """Show what `keeper` keeps; `page_of` gives the address of a crawler's own page."""
        self._clock, self._name, self._keeper, self._workers = clock, name, keeper, workers
        self._scheduler, self._page_of = scheduler, page_of
        self._registry = CollectorRegistry()
        labels = ["crawler"]
        self._starts = Gauge("dlweb_crawler_starts", "forks", labels, registry=self._registry)
        self._memory = Gauge(
            "dlweb_crawler_private_bytes", "unshared memory", labels, registry=self._registry
        )

    def router(self) -> Router:
        """Return the handler of all pages."""
        return serve_page(Router(), self.page, self._registry, self._measure)

    async def page(self) -> Page:
        """Return the page as it is now."""
        memory = await self._workers.run(self._memory_of_all)
        crawlers = list(self._keeper.crawlers.values())
        alive = sum(kept.pid is not None for kept in crawlers)
        rows = [self._row(kept, memory.get(kept.name)) for kept in crawlers]
        columns = ["crawler", "state", "process", "for", "restarts", "own memory", "last end"]
        sections: list[Section] = [
            Figures(
                "Crawlers",
                {
                    "alive": f"{alive} of {len(crawlers)}",
                    "own memory of all": human_bytes(sum(memory.values())),
                },
            ),
            Table("Crawlers", columns, rows, "None is kept here."),
            Table("Place in the tree", ["master", "link"], [["scheduler", self._scheduler.state]]),
        ]
        summary = f"{alive} site crawlers are alive on this machine."
        return Page("Nursery", "nursery", self._name, sections, (), summary)

    def _row(self, kept: Kept, memory: int | None) -> list[Cell]:
        alive = kept.pid is not None
        return [
            LinkTo(kept.name, self._page_of(kept.name)),
            Badge("alive", "good") if alive else Badge("waiting", "warning"),
            kept.pid,
            human_seconds(self._clock.seconds() - kept.since),
            max(0, kept.starts - 1),
            None if memory is None else human_bytes(memory),
            kept.last_end,
        ]

    def _memory_of_all(self) -> dict[str, int]:
        """Return each crawler's own memory; it blocks."""
        pids = {kept.name: kept.pid for kept in list(self._keeper.crawlers.values())}
        found = {name: private_memory(pid) for name, pid in pids.items() if pid is not None}
        return {name: memory for name, memory in found.items() if memory is not None}

    async def _measure(self) -> None:
        memory = await self._workers.run(self._memory_of_all)
        for kept in self._keeper.crawlers.values():
            self._starts.labels(kept.name).set(kept.starts)
            self._memory.labels(kept.name).set(memory.get(kept.name, 0))
