"""The scheduler's pages over HTTP."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

import msgspec
from prometheus_client import CollectorRegistry

from agents.machines import MachineStatus
from agents.page import HEADERS, LinkTo, Note, Page, Section, render
from agents.page.access import Access
from agents.page.forms import TOKEN, FormRefused, Forms
from agents.scheduler.api import Api, status_of
from agents.scheduler.desk import Desk
from agents.scheduler.live import Live
from agents.scheduler.looking import Looking
from agents.scheduler.overview import Overview
from agents.scheduler.pages import (
    campaigns,
    graph,
    machines,
    overview,
    portion,
    site,
    streams,
    timeline,
)
from agents.scheduler.pages.cells import LINKS, site_path
from agents.scheduler.pages.deciding import (
    Call,
    NotUnderstood,
    calls_of,
    campaign_call,
    stream_call,
)
from agents.scheduler.pages.metrics import Gauges
from agents.scheduler.streams.methods import StreamMethods
from anet.errors import BodyTooLarge
from anet.http import Request, Response, Router, metrics_response
from hip import CallRefused

_KIND = "scheduler"
_STREAMS = 200  # of one site
_Value = TypeVar("_Value")
_Asked = Callable[..., Awaitable[Response]]


class SchedulerPages:
    """Answers for the scheduler over HTTP, people and programs."""

    def __init__(
        self,
        name: str,
        overview: Overview,
        looking: Looking,
        streaming: StreamMethods,
        live: Live,
        tree: Callable[[], Awaitable[dict[str, Any]]],
        desk: Desk,
        access: Access,
    ) -> None:
        """Show what is given.

        Args:
            name: the scheduler's name.
            overview: what it tells of its work.
            looking: what it tells of the portion.
            streaming: what it tells of live streams.
            live: its curves.
            tree: gives the tree of agents, as `hip.tree` does.
            desk: carries out what people decide.
            access: tells who may decide.
        """
        self._name, self._overview, self._looking = name, overview, looking
        self._streaming, self._live, self._tree = streaming, live, tree
        self._desk, self._access, self._forms = desk, access, Forms()
        self._registry = CollectorRegistry()
        self._gauges = Gauges(self._registry)

    def router(self) -> Router:
        """Return the handler of all pages, and of the interface for programs."""
        router = Router()
        for path, page in (
            ("/", self._front),
            ("/sites", self._sites),
            ("/sites/{name}", self._site),
            ("/graph", self._graph),
            ("/timeline", self._timeline),
            ("/campaigns", self._campaigns),
            ("/streams", self._streams),
            ("/machines", self._machines),
        ):
            router.route("GET", path, self._shown(page))
        for path, decision in (
            ("/sites/{name}/{what}", self._decide),
            ("/campaigns/{what}", self._campaign),
            ("/streams/decide", self._stream),
            ("/machines", self._machine),
        ):
            router.route("POST", path, self._decided(decision))
        router.route("GET", "/status.json", self._status)
        router.route("GET", "/metrics", self._metrics)
        Api(self._desk, self._access).add_to(router)
        return router

    # Pages

    async def _front(self, _request: Request) -> Response:
        status = await self._overview.status()
        sections = overview.sections_of(
            status, await self._looking.portion(), self._live, await self._tree()
        )
        more = [LinkTo("figures", "/metrics")]
        more += [LinkTo(agent.name, agent.page) for agent in status.agents if agent.page]
        words = overview.summary(status)
        return self._page("Scheduler", sections, "/", words, more, live=True)

    async def _sites(self, request: Request) -> Response:
        asked = {name: request.query.get(name, "") for name in portion.QUESTION}
        # An empty order is none: then they come as they changed.
        arguments = {name: text for name, text in asked.items() if text}
        found = await self._looking.find_sites(**arguments, limit=portion.PAGE)
        return self._page("Sites", portion.sections_of(asked, found), "/sites")

    async def _site(self, request: Request, name: str) -> Response:
        found = await self._looking.site(name)
        told = await self._streaming.streams(site=name, limit=_STREAMS)
        sections = site.sections_of(found, told, self._token(request))
        more = [LinkTo("its neighbours", f"/graph?site={site_path(name)[7:]}")]
        return self._page(name, sections, "", site.summary(found), more)

    async def _graph(self, request: Request) -> Response:
        asked = request.query.get("site", "").strip()
        found = await self._looking.graph(asked, graph.SIZE)
        return self._page("Graph", graph.sections_of(found, asked), "/graph")

    async def _timeline(self, _request: Request) -> Response:
        found = await self._looking.timeline(timeline.DAYS, timeline.SITES)
        return self._page("Timeline", timeline.sections_of(found), "/timeline")

    async def _campaigns(self, request: Request) -> Response:
        found = await self._looking.campaigns()
        sections = campaigns.sections_of(found, self._token(request))
        return self._page("Campaigns", sections, "/campaigns")

    async def _streams(self, request: Request) -> Response:
        asked = {name: request.query.get(name, "") for name in streams.QUESTION}
        found = await self._streaming.streams(**asked, limit=streams.PAGE + 1)
        agents = await self._streaming.stream_agents()
        counts = await self._streaming.stream_counts()
        sections = streams.sections_of(asked, found, counts, agents, self._token(request))
        return self._page("Streams", sections, "/streams")

    async def _machines(self, request: Request) -> Response:
        found = await self._asked("machines", list[MachineStatus]) or []
        status = await self._overview.status()
        sections = machines.sections_of(found, status, self._token(request))
        return self._page("Machines", sections, "/machines")

    async def _status(self, _request: Request) -> Response:
        return Response.json(200, msgspec.to_builtins(await self._overview.status()))

    async def _metrics(self, _request: Request) -> Response:
        standings = (await self._looking.portion(1)).standings
        counts = await self._streaming.stream_counts()
        agents = await self._streaming.stream_agents()
        self._gauges.take(await self._overview.status(), standings, counts, agents)
        return metrics_response(self._registry)

    # Decisions

    async def _decide(self, said: dict[str, str], name: str, what: str) -> str:
        for call in calls_of(what, name, said):
            await self._call(call)
        return site_path(name)

    async def _campaign(self, said: dict[str, str], what: str) -> str:
        await self._call(campaign_call(what, said))
        return "/campaigns"

    async def _stream(self, said: dict[str, str]) -> str:
        await self._call(stream_call(said))
        return "/streams"

    async def _machine(self, said: dict[str, str]) -> str:
        if said.get("decision") not in ("drain", "undrain", "forget"):
            raise NotUnderstood("There is no such decision.")
        await self._call((said["decision"], {"machine": said.get("machine", "")}))
        return "/machines"

    async def _call(self, call: Call) -> Any:
        return await self._desk.call(*call)

    async def _asked(self, method: str, kind: type[_Value]) -> _Value | None:
        """Return the answer of a method, or None where there is none of that name."""
        if not self._desk.has(method):
            return None
        return msgspec.convert(await self._desk.call(method, {}), kind)

    # Requests

    def _shown(self, page: _Asked) -> _Asked:
        """Return a page that says what it is asked for in vain."""

        async def answer(request: Request, **names: str) -> Response:
            try:
                return await page(request, **names)
            except CallRefused as error:
                return self._refused(status_of(error.code), error.message)

        return answer

    def _decided(self, decision: Callable[..., Awaitable[str]]) -> _Asked:
        """Return what takes a form: whoever may decide does, and then sees what that came to."""

        async def answer(request: Request, **names: str) -> Response:
            refusal = self._access.refusal(request)
            if refusal is not None:
                return refusal
            try:
                path = await decision(await self._forms.read(request), **names)
            except FormRefused as error:
                return self._refused(403, str(error))
            except BodyTooLarge:
                return self._refused(413, "This is too much for one form.")
            except NotUnderstood as error:
                return self._refused(400, str(error))
            except CallRefused as error:
                return self._refused(status_of(error.code), error.message)
            return Response.redirect(path, 303)

        return answer

    def _token(self, request: Request) -> dict[str, str]:
        return {TOKEN: self._forms.token(request.client)}

    def _refused(self, status: int, words: str) -> Response:
        note = Note("What to do", f"{words[:1].upper()}{words[1:]}", "bad")
        page = Page("Not done", _KIND, self._name, [note], LINKS, live=False)
        return Response(status, HEADERS, render(page))

    def _page(
        self,
        title: str,
        sections: Sequence[Section],
        here: str,
        summary: str = "",
        more: Sequence[LinkTo] = (),
        *,
        live: bool = False,
    ) -> Response:
        page = Page(title, _KIND, self._name, sections, [*LINKS, *more], summary, live, here)
        return Response(200, HEADERS, render(page))
