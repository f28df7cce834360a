"""What the agent serves on its pages port: its monitoring page, and the harbor without proxy."""

from collections.abc import Callable
from typing import Any

from agents.page import HEADERS, Page, render, to_data
from anet.http import Request, Response, Router, metrics_response

MONITORING = ("/", "/status.json", "/metrics")
"""What the monitoring page of the pages port asks for by itself, every few seconds."""


class Monitoring:
    """Answers the monitoring page in its three forms."""

    def __init__(self, page: Callable[[], Page], status: Callable[[], Any], registry: Any) -> None:
        self._page = page
        self._status = status
        self._registry = registry

    def add_to(self, router: Router, path: str) -> Router:
        """Let a router answer the page at `path`, and its other forms."""
        router.route("GET", path, self.html)
        router.route("GET", "/status.json", self.json)
        router.route("GET", "/metrics", self.metrics)
        return router

    async def html(self, _: Request) -> Response:
        """Answer a person."""
        return Response(200, HEADERS, render(self._page()))

    async def json(self, _: Request) -> Response:
        """Answer a program."""
        return Response.json(200, {**self._status(), "page": to_data(self._page())})

    async def metrics(self, _: Request) -> Response:
        """Answer Prometheus."""
        return metrics_response(self._registry)
