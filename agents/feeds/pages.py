"""What a feed aggregator shows a person, and figures for Prometheus."""

from prometheus_client import CollectorRegistry, Gauge

from agents import dates
from agents.collected import Captures, Offering
from agents.feeds.aggregator import Aggregator
from agents.page import Curve, Figures, LinkTo, Log, Page, Section, Table, human_number
from agents.page.serving import serve_page
from anet.http import Router
from hip import Link

_STATES = ("waiting", "due", "looking", "telling", "failing", "hub")


class FeedPages:
    """Answers for a feed aggregator over HTTP."""

    def __init__(
        self,
        name: str,
        aggregator: Aggregator,
        scheduler: Link,
        captures: Captures | None,
        offering: Offering | None,
    ) -> None:
        self._name, self._aggregator, self._scheduler = name, aggregator, scheduler
        self._captures, self._offering = captures, offering
        self._registry = CollectorRegistry()
        self._gauge = Gauge("dlweb_feeds", "feeds, and sums", ["of"], registry=self._registry)

    def router(self) -> Router:
        """Return the handler of all pages."""
        return serve_page(Router(), self.page, self._registry, self._measure)

    def page(self) -> Page:
        """Return the page as it is now."""
        values, tallies = self._values(), self._aggregator.tallies
        problem = self._aggregator.teller.problem
        sections: list[Section] = [
            Figures(
                "Feeds",
                {
                    "followed": human_number(values["feeds"]),
                    "due now": human_number(values["due"]),
                    "being looked at": human_number(values["looking"]),
                    "failing": human_number(values["failing"]),
                    "told by a hub": human_number(values["hub"]),
                },
            ),
            Figures(
                "Since the start",
                {
                    "requests": human_number(values["requests"]),
                    "looks that found changes": human_number(values["changed"]),
                    "pages new": human_number(values["pages_new"]),
                    "pages changed": human_number(values["pages_changed"]),
                    "messages of hubs": human_number(values["messages"]),
                    "bodies archived": human_number(values["captures"]),
                },
            ),
            Curve("Requests", tallies.requests, "requests/s"),
            Table(
                "The last changes",
                ["date", "feed", "new", "changed", "by"],
                [
                    [dates.to_iso(date), LinkTo(url, url), new, changed, by]
                    for date, url, new, changed, by in tallies.changes
                ],
                "None.",
            ),
            Log("Errors", list(tallies.errors), "None."),
            Table(
                "Place in the tree",
                ["master", "link", "does not take what it is told"],
                [["scheduler", self._scheduler.state, problem]],
            ),
        ]
        doing = f"{values['feeds']} feeds are followed, {values['looking']} are being looked at."
        return Page("Feed aggregator", "feed-aggregator", self._name, sections, (), doing)

    def _values(self) -> dict[str, int]:
        report, tallies = self._aggregator.report(), self._aggregator.tallies
        return {
            "feeds": report.feeds,
            **{state: report.states.get(state, 0) for state in _STATES},
            "requests": report.requests,
            **{
                outcome: report.outcomes.get(outcome, 0)
                for outcome in ("changed", "unchanged", "moved", "gone")
            },
            "failures": report.outcomes.get("failing", 0),
            "pages_new": tallies.pages["new"],
            "pages_changed": tallies.pages["changed"],
            "messages": report.messages,
            "captures": self._captures.kept if self._captures is not None else 0,
            "directories": len(self._offering.waiting) if self._offering is not None else 0,
        }

    def _measure(self) -> None:
        for name, value in self._values().items():
            self._gauge.labels(name).set(value)
