"""A monitoring page over HTTP: for a person, for a program, and for Prometheus.

The one module of this package that speaks to the network; agents that serve their pages otherwise
need only the rest.
"""

from collections.abc import Awaitable, Callable
from inspect import isawaitable
from typing import TypeVar

from prometheus_client import CollectorRegistry

from agents.page.render import HEADERS, render
from agents.page.status import to_data
from agents.page.values import Page
from anet.http import Request, Response, Router, metrics_response

_Value = TypeVar("_Value")


def serve_page(
    router: Router,
    page: Callable[[], Page | Awaitable[Page]],
    registry: CollectorRegistry,
    measure: Callable[[], None | Awaitable[None]] = lambda: None,
) -> Router:
    """Serve a page at `/`, the same as JSON at `/status.json`, and figures at `/metrics`.

    Args:
        router: where; it is returned.
        page: gives the page as it is now.
        registry: holds the figures.
        measure: brings the figures up to date before they are read.
    """

    async def show(_: Request) -> Response:
        return Response(200, HEADERS, render(await _now(page())))

    async def data(_: Request) -> Response:
        return Response.json(200, to_data(await _now(page())))

    async def metrics(_: Request) -> Response:
        await _now(measure())
        return metrics_response(registry)

    router.route("GET", "/", show)
    router.route("GET", "/status.json", data)
    router.route("GET", "/metrics", metrics)
    return router


async def _now(value: _Value | Awaitable[_Value]) -> _Value:
    return await value if isawaitable(value) else value
