"""What the supervisor shows a person: the agents it keeps, and the way to each one's page."""

import os
from typing import Any

from prometheus_client import CollectorRegistry, Gauge

from agents.archive.supervisor import Supervisor
from agents.configuration import Configuration
from agents.page import HEADERS, Badge, Figures, LinkTo, Page, Table, human_seconds, render
from agents.page.values import Tone
from anet.http import Request, Response, Router, metrics_response

_TONES: dict[str, Tone] = {
    "running": "good",
    "starting": "warning",
    "waiting": "bad",
    "refused": "bad",
}


class ArchivePages:
    """Answers for the supervisor over HTTP.

    Args:
        clock: the reactor's.
        supervisor: what to show.
        configuration: where the archive is.
        links: other places to go, address by name.
    """

    def __init__(
        self,
        clock: Any,
        supervisor: Supervisor,
        configuration: Configuration,
        links: dict[str, str],
    ) -> None:
        self._clock = clock
        self._supervisor = supervisor
        self._configuration = configuration
        self._links = links
        self._registry = CollectorRegistry()
        labels = ["agent"]
        self._up = Gauge("dlweb_agent_up", "1 while it runs", labels, registry=self._registry)
        self._starts = Gauge("dlweb_agent_starts", "times started", labels, registry=self._registry)

    def router(self) -> Router:
        """Return the handler of all pages."""
        router = Router()
        router.route("GET", "/", self._page)
        router.route("GET", "/status.json", self._status)
        router.route("GET", "/metrics", self._metrics)
        return router

    def status(self) -> dict[str, Any]:
        """Return what a script may want to know."""
        return {
            "kind": "archive",
            "pid": os.getpid(),
            "directory": str(self._configuration.directory),
            "base_port": self._configuration.base_port,
            "ready": self._supervisor.ready,
            "links": self._links,
            "agents": [
                {
                    "name": program.name,
                    "plugin": program.plugin,
                    "page": program.page,
                    "listens": program.listens,
                    "state": process.status.state,
                    "pid": process.status.pid,
                    "starts": process.status.starts,
                    "seconds": self._clock.seconds() - process.status.since,
                    "last_end": process.status.last_end,
                }
                for program, process in self._supervisor.agents
            ],
        }

    async def _page(self, _request: Request) -> Response:
        status = self.status()
        rows = [
            [
                LinkTo(agent["name"], agent["page"]),
                Badge(agent["state"], _TONES.get(agent["state"], "quiet")),
                human_seconds(agent["seconds"]),
                str(agent["pid"] or ""),
                agent["starts"],
                agent["last_end"],
            ]
            for agent in status["agents"]
        ]
        running = sum(agent["state"] == "running" for agent in status["agents"])
        columns = ["agent", "state", "for", "process", "starts", "last end"]
        page = Page(
            "Archive",
            "archive",
            "archive",
            [
                Figures("This archive", {"agents running": f"{running} of {len(rows)}"}),
                Table("Agents", columns, rows),
                Table("Where", ["what", "where"], [["folder", status["directory"]]]),
            ],
            [LinkTo(name, address) for name, address in self._links.items()],
            "All agents are running." if self._supervisor.ready else "Some agents are not ready.",
        )
        return Response(200, HEADERS, render(page))

    async def _status(self, _request: Request) -> Response:
        return Response.json(200, self.status())

    async def _metrics(self, _request: Request) -> Response:
        for program, process in self._supervisor.agents:
            self._up.labels(program.name).set(process.status.state == "running")
            self._starts.labels(program.name).set(process.status.starts)
        return metrics_response(self._registry)
