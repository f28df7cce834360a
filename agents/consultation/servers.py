"""The servers that readers meet: the proxy, the pages with the harbor, and replay."""

from collections.abc import Callable
from typing import Any

from attrs import frozen
from twisted.internet.defer import Deferred, gatherResults

from agents.configuration import Configuration, Port
from agents.consultation.cdx.server import CdxServer
from agents.consultation.config import ConsultationConfig
from agents.consultation.entrance import Entrance
from agents.consultation.faults.missing import Missing
from agents.consultation.harbor.answers import Harbor
from agents.consultation.harbor.forms import Forms
from agents.consultation.harbor.names import named
from agents.consultation.keeping import Keeping
from agents.consultation.live.live import Live
from agents.consultation.looking import Looking
from agents.consultation.measures import Measures
from agents.consultation.memento.answers import Mementos
from agents.consultation.memento.fields import Addresses
from agents.consultation.mining.api import Api
from agents.consultation.mining.extracting import Extracting
from agents.consultation.mining.mining import Mining
from agents.consultation.proxy.proxy import Proxy
from agents.consultation.readers.screens import Screens
from agents.consultation.replay.engine import engine_of
from agents.consultation.replay.replay import Replay, front
from agents.consultation.streams.service import Streams
from agents.consultation.web import MONITORING, Monitoring
from anet.http import Router
from anet.processes import Processes


@frozen
class Parts:
    """What the servers answer from.

    Attributes:
        entrance: the way in.
        looking: the ways to what the nodes hold.
        streams: radios and televisions at a date.
        keeping: rules, the audit log, and what readers chose.
        screens: what is on the readers' screens.
        missing: the log of holes.
        measures: the agent's figures.
        comparing: processes that compare captures.
        extracting: has texts and links extracted.
        mining: follows the archive for backlinks and similar contents; None where it does not.
        live: answers from the live web; None where the operator does not allow it.
        monitoring: the agent's own page.
    """

    entrance: Entrance
    looking: Looking
    streams: Streams
    keeping: Keeping
    screens: Screens
    missing: Missing
    measures: Measures
    comparing: Processes
    extracting: Extracting
    mining: Mining | None
    live: Live | None
    monitoring: Monitoring


class Servers:
    """The servers.

    Attributes:
        proxy: for browsers that have it set.
        pages: the agent's page, and the harbor for people without the proxy.
        replay: archived pages for browsers without the proxy.
    """

    def __init__(
        self, reactor: Any, configuration: Configuration, config: ConsultationConfig, parts: Parts
    ) -> None:
        """Make them.

        Raises:
            ConfigurationError: nobody could pass the doors of one.
        """
        self._reactor, self._configuration, self._config = reactor, configuration, config
        self._parts = parts
        self._addresses = Addresses()
        entrance, audit = parts.entrance, parts.keeping.audit
        proxy_at = configuration.address(Port.PROXY, config.proxy)
        pages_at = configuration.address(Port.CONSULTATION_PAGES, config.pages)
        replay_at = configuration.address(Port.REPLAY, config.replay)
        setup = entrance.setup(proxy_at, lambda: self.proxy.address)
        harbor = self._harbor(setup.offer)
        adding = [setup.add_to, *self._programs()]
        within = parts.monitoring.add_to(_all(harbor.router("/", "/harbor"), adding), "/monitoring")
        beside = parts.monitoring.add_to(_all(harbor.router("/harbor"), adding), "/")
        self.proxy = entrance.proxy(proxy_at, self._proxy(within))
        noted = audit.noting(beside, MONITORING)
        self.pages = entrance.pages("consultation pages", pages_at, noted)
        replay = front(self._replay(), lambda: self.pages.url)
        self.replay = entrance.pages("replay", replay_at, replay)

    def _harbor(self, offer: Any) -> Harbor:
        parts, config = self._parts, self._config
        return Harbor(
            clock=self._reactor,
            retrieval=parts.looking.retrieval,
            listings=parts.looking.listings,
            doors=parts.entrance.doors,
            readers=parts.keeping.readers,
            missing=parts.missing,
            forms=Forms(),
            proxy=lambda: self.proxy.address,
            screens=parts.screens,
            rules=parts.keeping.rules,
            processes=parts.comparing,
            languages=config.languages,
            live=config.live,
            catalogue=parts.streams.catalogue,
            radio=parts.streams.on_air.radio,
            replay=lambda: self.replay.url.rstrip("/"),
            offer=offer,
        )

    def _programs(self) -> list[Callable[[Router], Router]]:
        """Return what adds the answers for programs to a router."""
        parts = self._parts
        doors, rules, looking = parts.entrance.doors, parts.keeping.rules, parts.looking
        cdx = CdxServer(self._reactor, doors, rules, looking.retrieval, looking.urls.index)
        mementos = Mementos(doors, looking.retrieval, rules, self._addresses)
        api = Api(
            doors,
            rules,
            looking.retrieval,
            parts.keeping.readers,
            parts.screens,
            looking.urls.index,
            parts.extracting,
            parts.mining,
            parts.streams.catalogue,
        )
        return [cdx.add_to, mementos.add_to, api.add_to]

    def _proxy(self, harbor: Router) -> Proxy:
        parts = self._parts
        return Proxy(
            clock=self._reactor,
            doors=parts.entrance.doors,
            retrieval=parts.looking.retrieval,
            readers=parts.keeping.readers,
            screens=parts.screens,
            missing=parts.missing,
            measures=parts.measures,
            audit=parts.keeping.audit,
            harbor=named(harbor),
            tunnels=parts.entrance.tunnels,
            no_store=self._config.no_store,
            on_air=parts.streams.on_air,
            live=None if parts.live is None else parts.live.answer,
        )

    def _replay(self) -> Replay:
        parts = self._parts
        return Replay(
            clock=self._reactor,
            doors=parts.entrance.doors,
            retrieval=parts.looking.retrieval,
            missing=parts.missing,
            measures=parts.measures,
            audit=parts.keeping.audit,
            addresses=self._addresses,
            script=engine_of(self._config.replay_engine, self._configuration.directory),
            on_air=parts.streams.on_air,
        )

    def start(self) -> None:
        """Listen.

        Raises:
            AddressInUse: another process listens at an address of theirs.
            PermissionRefused: this user may not listen there.
        """
        for server in (self.proxy, self.pages, self.replay):
            server.startService()
        self._addresses.harbor = self.pages.url.rstrip("/")
        self._addresses.replay = self._config.memento or self.replay.url.rstrip("/")

    async def stop(self) -> None:
        """Answer what is under way, and listen no more."""
        servers = [server for server in (self.proxy, self.pages, self.replay) if server.running]
        await gatherResults([Deferred.fromCoroutine(server.stopService()) for server in servers])


def _all(router: Router, adding: list[Callable[[Router], Router]]) -> Router:
    for add in adding:
        router = add(router)
    return router
