"""The consultation agent as a service, and its twistd plugin."""

from pathlib import Path
from typing import Any

from attrs import asdict
from twisted.application.service import MultiService
from twisted.internet.defer import Deferred, gatherResults
from twisted.logger import Logger

from agents.configuration import (
    AgentOptions,
    Configuration,
    ConfigurationError,
    Port,
    http_client,
    pipelined_client,
    secret,
)
from agents.configuration.options import refuse
from agents.consultation.cdx.server import CdxServer
from agents.consultation.config import ConsultationConfig
from agents.consultation.entrance import Entrance
from agents.consultation.faults.missing import Missing
from agents.consultation.faults.opening import open_reporting
from agents.consultation.harbor.answers import Harbor
from agents.consultation.harbor.forms import Forms
from agents.consultation.harbor.listing import Listings
from agents.consultation.harbor.names import named
from agents.consultation.keeping import Keeping
from agents.consultation.live.opening import open_live
from agents.consultation.live.pages import sections_of
from agents.consultation.lookup.index import IndexNode
from agents.consultation.lookup.locators import AutoLocator, IndexLocator, Locator, MulticastLocator
from agents.consultation.lookup.remembered import Remembered
from agents.consultation.lookup.retrieval import Retrieval
from agents.consultation.lookup.structures import Structures
from agents.consultation.lookup.url_rules import read_rules
from agents.consultation.measures import Measures
from agents.consultation.memento.answers import Mementos
from agents.consultation.memento.fields import Addresses
from agents.consultation.methods import ConsultationMethods
from agents.consultation.mining.api import Api
from agents.consultation.mining.extracting import Extracting
from agents.consultation.mining.mining import Mining
from agents.consultation.mining.walking import Walk
from agents.consultation.pages import monitoring_page
from agents.consultation.proxy.proxy import Proxy
from agents.consultation.readers.screens import Screens
from agents.consultation.replay.engine import engine_of
from agents.consultation.replay.replay import Replay, front
from agents.consultation.urls.service import Urls
from agents.consultation.web import MONITORING, Monitoring
from agents.page import Page
from anet.errors import AnetError
from anet.http import Request
from anet.multicast import MulticastLocator as Multicast
from anet.processes import Processes
from anet.starting import in_words
from anet.tasks import Tasks, every
from hip import Agent, HipError

NODE_CONNECTIONS = 64  # to one storage node at once
CONNECT_TIMEOUT = 3.0  # seconds after which the next storage node is tried
BACKED_PATIENCE = 0.1  # seconds for multicast, where the index node makes good its silence
SAMPLE_EVERY = 2.0  # seconds between two points of a curve
HOLES_SHOWN = 20
COMPARING = 1  # processes that compare captures
COMPARISONS_WAITING = 20

_log = Logger()


class Options(AgentOptions):
    """Options of `twistd consultation`."""

    agent = "consultation"


class Consultation(MultiService):
    """Gives the archive back to browsers.

    Attributes:
        agent: the agent on the HIP tree.
        locator: where files lie.
        readers: what each reader chose.
        proxy: the proxy's server.
        pages: the server of the pages, and of the harbor for people without the proxy.
        replay: the server of archived pages for browsers without the proxy.
        live: answers from the live web; None where the operator does not allow it.
    """

    def __init__(
        self, reactor: Any, name: str, configuration: Configuration, config: ConsultationConfig
    ) -> None:
        super().__init__()
        self._name = name
        self._reactor = reactor
        self._config = config
        self._tasks = Tasks()
        self._started = 0.0
        self._measures = Measures()
        self._missing = Missing(config.faults)
        self.keeping = Keeping(reactor, name, configuration, config)
        self.keeping.setServiceParent(self)
        self.screens = Screens()
        self._addresses = Addresses()
        self.readers = self.keeping.readers
        self._measures.readers.set_function(lambda: len(self.readers))
        self._client = http_client(
            reactor,
            configuration.security(name),
            connections=NODE_CONNECTIONS,
            connect_timeout=min(CONNECT_TIMEOUT, config.node_timeout),
            response_timeout=config.node_timeout,
        )
        self._quick = pipelined_client(
            reactor,
            configuration.security(name),
            connect_timeout=min(CONNECT_TIMEOUT, config.node_timeout),
            silence=config.node_timeout,
        )
        self._join_tree(configuration)
        groups = config.groups(configuration.base_port, secret(configuration.directory))
        self._multicast = Multicast(reactor, groups)
        self.locator = self._locator()
        self._urls = Urls(
            reactor,
            config.url_index or configuration.directory / name,
            read_rules(config.url_rules),
            self.keeping.rules,
            self._index.nodes,
            self._client,
            config.url_index_period,
        )
        self._retrieval = Retrieval(
            Remembered(reactor, self.locator),
            Structures(self._client, self._quick),
            self._client,
            self.keeping.rules,
            secure_as_plain=config.secure_as_plain,
            alike=self._urls.index.alike,
        )
        link = self._links["the scheduler"]
        self.live = open_live(reactor, configuration, config, name, link)
        if self.live is not None:
            self.live.on_piece = lambda size: self._measures.gave(reactor.seconds(), size)
            self.live.setServiceParent(self)
        reporting = open_reporting(reactor, configuration, config, name, self._missing, link)
        reporting.setServiceParent(self)
        self._listings = Listings(self._client, self._index.nodes, self._urls.index)
        self._extracting = Extracting(reactor)
        self._mining = self._miner(configuration.directory / name) if config.mining else None
        self._methods = ConsultationMethods(
            self._retrieval, self._measures, self.readers, self._missing, self.screens
        )
        self.agent.methods.add(self._methods)
        self._comparing = Processes(
            reactor,
            COMPARING,
            queue_limit=COMPARISONS_WAITING,
            preload=["agents.consultation.harbor.comparing"],
            name="comparing",
        )
        self._serve(configuration)
        for service in (
            self._client,
            self._quick,
            self.agent,
            self._comparing,
            self._extracting,
            self._entrance,
            self._urls,
        ):
            service.setServiceParent(self)
        if self._mining is not None:
            self._mining.setServiceParent(self)

    def _join_tree(self, configuration: Configuration) -> None:
        """Be a slave of the scheduler, and of the index node that the storage master names."""
        security = configuration.security(self._name)
        self.agent = Agent(self._reactor, "consultation", self._name, security=security)
        scheduler = configuration.address(Port.SCHEDULER, self._config.scheduler)
        master = configuration.address(Port.STORAGE_MASTER, self._config.storage_master)
        self._links = {
            "the scheduler": self.agent.connect(scheduler),
            "an index node": self.agent.connect(master),
        }
        self._index = IndexNode(
            self._reactor, self._links["an index node"], self._config.index_timeout
        )

    def _miner(self, folder: Path) -> Mining:
        """Return what follows the archive, at the pace that the configuration sets."""
        rate = self._config.mining_rate
        walk = Walk(self._reactor, self._listings, self._retrieval, self._extracting, rate)
        return Mining(self._reactor, folder, walk)

    def _locator(self) -> Locator:
        index = IndexLocator(self._index.find)
        patience = self._config.lookup_timeout
        if self._config.lookup == "multicast":
            return MulticastLocator(self._multicast, patience)
        if self._config.lookup == "index":
            return index
        multicast = MulticastLocator(self._multicast, min(patience, BACKED_PATIENCE))
        return AutoLocator(self._reactor, self._tasks, multicast, index)

    def _serve(self, configuration: Configuration) -> None:
        config = self._config
        proxy_at = configuration.address(Port.PROXY, config.proxy)
        pages_at = configuration.address(Port.CONSULTATION_PAGES, config.pages)
        self._entrance = entrance = Entrance(
            self._reactor, self._tasks, configuration, config, self._refused
        )
        self._doors = entrance.doors
        setup = entrance.setup(proxy_at, lambda: self.proxy.address)
        monitoring = Monitoring(self.page, self.status, self._measures.registry)
        harbor = Harbor(
            clock=self._reactor,
            retrieval=self._retrieval,
            listings=self._listings,
            doors=self._doors,
            readers=self.readers,
            missing=self._missing,
            forms=Forms(),
            proxy=lambda: self.proxy.address,
            screens=self.screens,
            rules=self.keeping.rules,
            processes=self._comparing,
            languages=config.languages,
            live=config.live,
            replay=lambda: self.replay.url.rstrip("/"),
            offer=setup.offer,
        )
        api = Api(
            entrance.doors,
            self.keeping.rules,
            self._retrieval,
            self.readers,
            self.screens,
            self._urls.index,
            self._extracting,
            self._mining,
        )
        cdx = CdxServer(
            self._reactor,
            entrance.doors,
            self.keeping.rules,
            self._retrieval,
            self._urls.index,
        )
        mementos = Mementos(self._doors, self._retrieval, self.keeping.rules, self._addresses)
        proxy = Proxy(
            clock=self._reactor,
            doors=self._doors,
            retrieval=self._retrieval,
            readers=self.readers,
            screens=self.screens,
            missing=self._missing,
            measures=self._measures,
            audit=self.keeping.audit,
            harbor=named(
                monitoring.add_to(
                    api.add_to(
                        mementos.add_to(cdx.add_to(setup.add_to(harbor.router("/", "/harbor"))))
                    ),
                    "/monitoring",
                )
            ),
            tunnels=entrance.tunnels,
            no_store=config.no_store,
            live=None if self.live is None else self.live.answer,
        )
        self.proxy = entrance.proxy(proxy_at, proxy)
        pages = monitoring.add_to(
            api.add_to(mementos.add_to(cdx.add_to(setup.add_to(harbor.router("/harbor"))))), "/"
        )
        noted = self.keeping.audit.noting(pages, MONITORING)
        self.pages = entrance.pages("consultation pages", pages_at, noted)
        replay = Replay(
            clock=self._reactor,
            doors=self._doors,
            retrieval=self._retrieval,
            missing=self._missing,
            measures=self._measures,
            audit=self.keeping.audit,
            addresses=self._addresses,
            script=engine_of(config.replay_engine, configuration.directory),
        )
        self.replay = entrance.pages(
            "replay",
            configuration.address(Port.REPLAY, config.replay),
            front(replay, lambda: self.pages.url),
        )

    def startService(self) -> None:
        """Begin to answer.

        Raises:
            AddressInUse: another process listens at the proxy's or the pages' address.
            PermissionRefused: this user may not listen there.
        """
        self._started = self._reactor.seconds()
        if self._config.lookup != "index":
            self._start_multicast()
        super().startService()
        for server in (self.proxy, self.pages, self.replay):
            server.startService()
        self._addresses.harbor = self.pages.url.rstrip("/")
        self._addresses.replay = self._config.memento or self.replay.url.rstrip("/")
        self._tasks.start(every(self._reactor, SAMPLE_EVERY, self._sample), "samples")
        _log.info(
            "the proxy is at {proxy}, lookup by {lookup}",
            proxy=self.proxy.address,
            lookup=self.locator.lookup,
        )

    def _start_multicast(self) -> None:
        try:
            self._multicast.startService()
        except (OSError, AnetError) as error:
            _log.warn("no lookup by multicast here: {error}", error=error)

    async def stopService(self) -> None:
        """Answer what is under way, then let go of what answers need."""
        servers = [server for server in (self.proxy, self.pages, self.replay) if server.running]
        await gatherResults([Deferred.fromCoroutine(server.stopService()) for server in servers])
        await self._tasks.stop()
        await super().stopService()
        if self._multicast.running:
            await self._multicast.stopService()

    def _refused(self, request: Request) -> None:
        """Note who was not let in."""
        self._measures.answered(self._reactor.seconds(), "refused", 0.0)
        self.keeping.audit.note(request, "refused")

    def _sample(self) -> None:
        self._measures.sample(self._reactor.seconds())

    def page(self) -> Page:
        """Return the monitoring page as it is now."""
        return monitoring_page(
            name=self._name,
            now=self._reactor.seconds(),
            started=self._started,
            proxy=self.proxy.address,
            lookup=self.locator.lookup,
            measures=self._measures,
            readers=len(self.readers),
            holes=self._missing.newest(HOLES_SHOWN),
            links=[(name, link.state) for name, link in self._links.items()],
            urls=self._urls.figures(),
            live=sections_of(self.live),
            kept=self.keeping.notes(),
        )

    def status(self) -> dict[str, Any]:
        """Return what `status` answers over HIP, for programs that ask over HTTP."""
        return (
            {**asdict(self._methods.status()), "proxy": self.proxy.address}
            | {"urls": self._urls.status()}
            | (self.keeping.status())
            | ({} if self.live is None else {"live": self.live.status()})
        )


@in_words(HipError)
def makeService(options: Options) -> Consultation:
    """Return the service of `twistd consultation`."""
    from twisted.internet import reactor

    configuration = options.load()
    config = configuration.section("consultation", ConsultationConfig)
    try:
        return Consultation(reactor, options.name, configuration, config)
    except ConfigurationError as error:
        refuse(error)
