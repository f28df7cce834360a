"""The pages of a streaming agent over HTTP, and figures for Prometheus."""

from prometheus_client import CollectorRegistry, Gauge

from agents.collected import Captures, Offering
from agents.page import HEADERS, LinkTo, Note, Page, render, to_data
from agents.page.serving import serve_page
from agents.streaming.pages import overview, stream
from agents.streaming.streams import Streams
from anet.http import Request, Response, Router
from hip import Link

LISTED = 500  # streams of a page
_KIND = "streaming"
_DOING = ("waiting", "opening", "receiving", "following")


class StreamingPages:
    """Answers for a streaming agent over HTTP."""

    def __init__(
        self, name: str, streams: Streams, scheduler: Link, captures: Captures, offering: Offering
    ) -> None:
        self._name, self._streams, self._scheduler = name, streams, scheduler
        self._captures, self._offering = captures, offering
        self._registry = CollectorRegistry()
        self._sums = Gauge("dlweb_streams", "streams, and sums", ["of"], registry=self._registry)
        self._gauges = {
            figure: Gauge(f"dlweb_stream_{figure}", words, ["stream"], registry=self._registry)
            for figure, words in stream.FIGURES.items()
        }

    def router(self) -> Router:
        """Return the handler of all pages."""
        router = serve_page(Router(), self._overview, self._registry, self._measure)
        router.route("GET", "/stream", self._stream)
        router.route("GET", "/stream.json", self._stream_data)
        return router

    def _overview(self) -> Page:
        values = self._values()
        received = values["receiving"] + values["following"]
        doing = f"Streams: {values['streams']} listened to, {received} received now."
        sections = overview.sections_of(
            values,
            self._streams.statuses("", LISTED),
            self._scheduler.state,
            self._streams.teller.problem,
        )
        return Page("Streaming agent", _KIND, self._name, sections, (), doing)

    async def _stream(self, request: Request) -> Response:
        url = request.query.get("stream", "")
        return Response(self._found(url), HEADERS, render(self._page_of(url)))

    async def _stream_data(self, request: Request) -> Response:
        url = request.query.get("stream", "")
        return Response.json(self._found(url), to_data(self._page_of(url)))

    def _found(self, url: str) -> int:
        return 404 if self._streams.of(url) is None else 200

    def _page_of(self, url: str) -> Page:
        """Return the page of a stream; one that is nowhere has words instead."""
        listening = self._streams.of(url)
        back = (LinkTo("all streams", "/"),)
        if listening is None:
            note = Note("No such stream", "This agent does not listen to it now.", "warning")
            return Page("Stream", _KIND, self._name, [note], back, live=False)
        status = listening.status()
        sections = stream.sections_of(status, listening.history, listening.minute())
        title = status.state.name or status.stream
        return Page(title, _KIND, self._name, sections, back, stream.summary_of(status))

    # Figures

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
            self._sums.labels(name).set(value)
        for gauge in self._gauges.values():
            gauge.clear()  # of those that were left
        for status in self._streams.statuses("", LISTED):
            for figure, measured in stream.figures_of(status).items():
                self._gauges[figure].labels(status.stream).set(measured)
