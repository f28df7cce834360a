"""A monitoring page in its three forms."""

import json

import pytest
from prometheus_client import CollectorRegistry, Gauge
from pytest_twisted import ensureDeferred
from twisted.internet import reactor

from agents.page import Page
from agents.page.serving import serve_page
from anet.http import HttpClient, HttpServer, Router


@pytest.mark.parametrize("slow", [False, True])
@ensureDeferred
async def test_a_page_is_served_for_people_programs_and_prometheus(slow: bool) -> None:
    """Page and measuring may be plain functions or take their time."""
    registry = CollectorRegistry()
    gauge = Gauge("looked", "times", registry=registry)

    def page() -> Page:
        return Page("Title", "kind", "name", [], (), "Doing nothing.")

    async def slow_page() -> Page:
        return page()

    async def slow_measure() -> None:
        gauge.inc()

    shown, measure = (slow_page, slow_measure) if slow else (page, gauge.inc)
    server = HttpServer(
        reactor, "127.0.0.1:0", serve_page(Router(), shown, registry, measure), name="page"
    )
    client = HttpClient(reactor)
    server.startService()
    client.startService()

    async def get(path: str) -> str:
        answer = await client.request("GET", f"http://127.0.0.1:{server.port}{path}")
        return (await answer.read(100_000)).decode()

    try:
        assert "Doing nothing." in await get("/")
        assert json.loads(await get("/status.json"))["summary"] == "Doing nothing."
        assert "looked 1.0" in await get("/metrics")
    finally:
        await client.stopService()
        await server.stopService()
