"""What a connectivity agent shows a person, and figures for Prometheus."""

from prometheus_client import CollectorRegistry, Gauge

from agents import dates
from agents.connectivity.connectivity import Connectivity
from agents.connectivity.index import Index
from agents.deposit import DepositFigures
from agents.page import (
    Cell,
    Curve,
    Figures,
    Log,
    Page,
    Section,
    Table,
    human_bytes,
    human_number,
    human_seconds,
)
from agents.page.serving import serve_page
from anet.http import Router
from hip import Link

_COLUMNS = ["captures", "recorded", "left out", "contents new / known", "stored", "for"]


class ConnectivityPages:
    """Answers for a connectivity agent over HTTP."""

    def __init__(
        self, name: str, connectivity: Connectivity, index: Index, scheduler: Link
    ) -> None:
        self._name, self._connectivity = name, connectivity
        self._index, self._scheduler = index, scheduler
        self._registry = CollectorRegistry()
        self._gauge = Gauge(
            "dlweb_connectivity", "figures since the start", ["of"], registry=self._registry
        )

    def router(self) -> Router:
        """Return the handler of all pages."""
        return serve_page(Router(), self.page, self._registry, self._measure)

    def page(self) -> Page:
        """Return the page as it is now."""
        deposits = list(self._connectivity.deposits.values())
        tallies = self._connectivity.tallies
        sums = tallies.sums(deposits)
        sections: list[Section] = [
            Figures(
                "Since the start",
                {
                    "crawls deposited": human_number(tallies.deposits),
                    "captures recorded": human_number(sums["captures"]),
                    "contents stored": human_number(sums["contents"]),
                    "stored": human_bytes(sums["bytes"]),
                    "deposits given back": human_number(tallies.failures),
                },
            ),
            Table(
                "Deposits under way",
                ["crawl", *_COLUMNS, "repeated", "waiting for"],
                [_row(each.crawl, each.figures()) for each in deposits],
                "None.",
            ),
            Curve("Captures recorded", tallies.captures, "captures/s"),
            Curve("Contents stored", tallies.bytes, "bytes/s"),
            Table(
                "Deposits done",
                ["crawl", *_COLUMNS, "repeated", "relevance", "ended"],
                [
                    [*_row(crawl, figures)[:-1], _relevance(figures), dates.to_iso(ended)]
                    for crawl, ended, figures in tallies.ended
                ],
            ),
            Log("Errors", tallies.errors(), "None."),
            Table(
                "Place in the tree",
                ["master", "link"],
                [["scheduler", self._scheduler.state], ["index node", self._index.state]],
            ),
        ]
        doing = f"Crawls being deposited: {len(deposits)}." if deposits else "Nothing to deposit."
        return Page("Connectivity", "connectivity", self._name, sections, (), doing)

    def _measure(self) -> None:
        connectivity = self._connectivity
        values = connectivity.tallies.sums(list(connectivity.deposits.values()))
        values |= {
            "deposits": connectivity.tallies.deposits,
            "failures": connectivity.tallies.failures,
            "running": len(connectivity.deposits),
        }
        for name, value in values.items():
            self._gauge.labels(name).set(value)


def _relevance(figures: DepositFigures) -> str:
    judgement = figures.findings.judgement if figures.findings else None
    if judgement is None:
        return "not judged"
    return f"{judgement.relevance:.2f}" if judgement.passes else "fails"


def _row(crawl: str, figures: DepositFigures) -> list[Cell]:
    return [
        crawl,
        human_number(figures.captures),
        human_number(figures.captures_recorded),
        human_number(figures.captures_missing),
        f"{human_number(figures.contents_stored)} / {human_number(figures.contents_known)}",
        human_bytes(figures.bytes_stored),
        human_seconds(figures.seconds),
        figures.retries,
        figures.waiting_for,
    ]
