"""What a streaming agent shows a person, and figures for Prometheus."""

from prometheus_client import CollectorRegistry, Gauge

from agents.collected import Captures, Offering
from agents.page import Figures, Page, Section, Table, human_bytes, human_number
from agents.page.serving import serve_page
from agents.stream import StreamStatus
from agents.streaming.streams import Streams
from anet.http import Router
from hip import Link

_LISTED = 500  # streams in the table
_DOING = ("waiting", "opening", "receiving", "following")


class StreamingPages:
    """Answers for a streaming agent over HTTP."""

    def __init__(
        self, name: str, streams: Streams, scheduler: Link, captures: Captures, offering: Offering
    ) -> None:
        self._name, self._streams, self._scheduler = name, streams, scheduler
        self._captures, self._offering = captures, offering
        self._registry = CollectorRegistry()
        self._gauge = Gauge("dlweb_streams", "streams, and sums", ["of"], registry=self._registry)

    def router(self) -> Router:
        """Return the handler of all pages."""
        return serve_page(Router(), self.page, self._registry, self._measure)

    def page(self) -> Page:
        """Return the page as it is now."""
        values = self._values()
        sections: list[Section] = [
            Figures(
                "Streams",
                {
                    "listened to": human_number(values["streams"]),
                    "received": human_number(values["receiving"] + values["following"]),
                    "bits a second": human_number(values["rate"]),
                },
            ),
            Figures(
                "Since the start",
                {
                    "received": human_bytes(values["received"]),
                    "titles": human_number(values["titles"]),
                    "breaks": human_number(values["gaps"]),
                },
            ),
            Table(
                "Streams",
                ["stream", "state", "title", "kbit/s", "ahead (s)", "ratio", "problem"],
                [_row(status) for status in self._streams.statuses("", _LISTED)],
                "None.",
            ),
            Table(
                "Place in the tree",
                ["master", "link", "does not take what it is told"],
                [["scheduler", self._scheduler.state, self._streams.teller.problem]],
            ),
        ]
        doing = f"{values['streams']} streams are listened to, {values['receiving']} received."
        return Page("Streaming agent", "streaming", self._name, sections, (), doing)

    def _values(self) -> dict[str, int]:
        report = self._streams.report()
        return {
            "streams": report.streams,
            "capacity": report.capacity,
            **{doing: report.doing.get(doing, 0) for doing in _DOING},
            "rate": round(report.rate),
            "titles": report.titles,
            "gaps": report.gaps,
            "received": report.received,
            "captures": self._captures.kept,
            "directories": len(self._offering.waiting),
            "untold": len(self._streams.teller),
        }

    def _measure(self) -> None:
        for name, value in self._values().items():
            self._gauge.labels(name).set(value)


def _row(status: StreamStatus) -> list[str]:
    state = status.state
    return [
        state.name or status.stream,
        status.doing,
        state.title,
        f"{status.rate / 1000:.0f}",
        f"{status.buffered:.1f}",
        f"{status.ratio:.6f}" if status.ratio else "",
        state.problem,
    ]
