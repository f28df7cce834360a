"""The consultation agent as a service, and its twistd plugin."""

from pathlib import Path
from typing import Any

from attrs import asdict
from twisted.application.service import MultiService
from twisted.logger import Logger

from agents.configuration import (
    AgentOptions,
    Configuration,
    ConfigurationError,
    Port,
)
from agents.configuration.options import refuse
from agents.consultation.config import ConsultationConfig
from agents.consultation.entrance import Entrance
from agents.consultation.faults.missing import Missing, shown
from agents.consultation.faults.opening import open_reporting
from agents.consultation.keeping import Keeping
from agents.consultation.live.opening import open_live
from agents.consultation.live.pages import sections_of
from agents.consultation.looking import Looking
from agents.consultation.measures import Measures
from agents.consultation.methods import ConsultationMethods
from agents.consultation.mining.extracting import Extracting
from agents.consultation.mining.mining import Mining
from agents.consultation.mining.walking import Walk
from agents.consultation.pages import monitoring_page
from agents.consultation.readers.screens import Screens
from agents.consultation.servers import Parts, Servers
from agents.consultation.streams.service import Streams
from agents.consultation.web import Monitoring
from agents.page import Page
from anet.http import Request
from anet.processes import Processes
from anet.starting import in_words
from anet.tasks import Tasks, every
from hip import Agent, HipError

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
        looking: the ways to what the nodes hold.
        keeping: rules, the audit log, and what readers chose.
        readers: what each reader chose.
        screens: what is on the readers' screens.
        servers: the proxy, the pages and replay, as `proxy`, `pages` and `replay` too.
        live: answers from the live web; None where the operator does not allow it.
        streams: radios and televisions at a date.
    """

    def __init__(
        self, reactor: Any, name: str, configuration: Configuration, config: ConsultationConfig
    ) -> None:
        super().__init__()
        self._name, self._reactor = name, reactor
        self._tasks = Tasks()
        self._started = 0.0
        self._measures = Measures()
        self._missing = Missing(config.faults)
        self.keeping = Keeping(reactor, name, configuration, config)
        self.screens = Screens()
        self.readers = self.keeping.readers
        self._join_tree(configuration, config)
        self.looking = Looking(
            reactor,
            name,
            configuration,
            config,
            self.keeping.rules,
            self._links["an index node"],
        )
        self.streams = Streams(
            reactor,
            configuration.directory / name,
            config,
            self.looking.retrieval,
            self.keeping.rules,
            self._gave,
        )
        self.looking.urls.heard = self.streams.reading.heard
        scheduler = self._links["the scheduler"]
        self.live = open_live(reactor, configuration, config, name, scheduler)
        if self.live is not None:
            self.live.on_piece = self._gave
        self._reporting = open_reporting(
            reactor, configuration, config, name, self._missing, scheduler
        )
        self._extracting = Extracting(reactor)
        self._mining = self._miner(configuration.directory / name, config)
        self._methods = ConsultationMethods(
            self.looking.retrieval,
            self._measures,
            self.readers,
            self._missing,
            self.screens,
            self.streams.catalogue,
        )
        self.agent.methods.add(self._methods)
        self._comparing = Processes(
            reactor,
            COMPARING,
            queue_limit=COMPARISONS_WAITING,
            preload=["agents.consultation.harbor.comparing"],
            name="comparing",
        )
        self._show()
        self._entrance = Entrance(reactor, self._tasks, configuration, config, self._refused)
        self.servers = Servers(reactor, configuration, config, self._parts())
        self.proxy, self.pages, self.replay = (
            self.servers.proxy,
            self.servers.pages,
            self.servers.replay,
        )
        for service in (
            self.keeping,
            self.looking,
            self.streams,
            self.live,
            self._reporting,
            self.agent,
            self._comparing,
            self._extracting,
            self._entrance,
            self._mining,
        ):
            if service is not None:
                service.setServiceParent(self)

    def _join_tree(self, configuration: Configuration, config: ConsultationConfig) -> None:
        """Be a slave of the scheduler, and of the index node that the storage master names."""
        security = configuration.security(self._name)
        self.agent = Agent(self._reactor, "consultation", self._name, security=security)
        scheduler = configuration.address(Port.SCHEDULER, config.scheduler)
        master = configuration.address(Port.STORAGE_MASTER, config.storage_master)
        self._links = {
            "the scheduler": self.agent.connect(scheduler),
            "an index node": self.agent.connect(master),
        }

    def _miner(self, folder: Path, config: ConsultationConfig) -> Mining | None:
        """Return what follows the archive, at the pace that the configuration sets."""
        if not config.mining:
            return None
        looking = self.looking
        walk = Walk(
            self._reactor,
            looking.listings,
            looking.retrieval,
            self._extracting,
            config.mining_rate,
        )
        return Mining(self._reactor, folder, walk)

    def _show(self) -> None:
        """Let Prometheus see how far each part has come."""
        show, keeping, urls = self._measures.show, self.keeping, self.looking.urls
        show("readers", "Readers whose date is known", lambda: len(self.readers))
        show("missing_urls", "URLs asked for in vain", lambda: len(self._missing))
        show("indexed_urls", "URLs in the index of URLs", lambda: urls.index.count)
        show("index_complete", "1 when the index has all URLs", lambda: urls.index.complete)
        show("access_rules", "Access rules in force", lambda: keeping.rules.count)
        show("audit_lines_lost", "Lines that the audit log lacks", lambda: keeping.audit.lost)
        listeners = self.streams.listeners
        show("listeners", "Readers who listen to archived streams", lambda: listeners.count)
        if self._mining is not None:
            documents = self._mining.documents
            show("mined_documents", "Documents read for the graph of links", documents)
        if self.live is not None:
            live = self.live
            show("live_under_way", "Answers of the live web under way", lambda: live.under_way)
            if live.recorder is not None:
                recorder = live.recorder
                show("live_kept", "Answers of the live web kept", lambda: recorder.kept)

    def _parts(self) -> Parts:
        return Parts(
            entrance=self._entrance,
            looking=self.looking,
            streams=self.streams,
            keeping=self.keeping,
            screens=self.screens,
            missing=self._missing,
            measures=self._measures,
            comparing=self._comparing,
            extracting=self._extracting,
            mining=self._mining,
            live=self.live,
            monitoring=Monitoring(self.page, self.status, self._measures.registry),
        )

    def startService(self) -> None:
        """Begin to answer.

        Raises:
            AddressInUse: another process listens at the proxy's or the pages' address.
            PermissionRefused: this user may not listen there.
        """
        self._started = self._reactor.seconds()
        super().startService()
        self.servers.start()
        self._tasks.start(every(self._reactor, SAMPLE_EVERY, self._sample), "samples")
        _log.info(
            "the proxy is at {proxy}, lookup by {lookup}",
            proxy=self.proxy.address,
            lookup=self.looking.locator.lookup,
        )

    async def stopService(self) -> None:
        """Answer what is under way, then let go of what answers need."""
        await self.servers.stop()
        await self._tasks.stop()
        await super().stopService()

    def _refused(self, request: Request) -> None:
        """Note who was not let in."""
        self._measures.answered(self._reactor.seconds(), "refused", 0.0)
        self.keeping.audit.note(request, "refused")

    def _gave(self, size: int) -> None:
        """Count bytes of a content on their way to a reader."""
        self._measures.gave(self._reactor.seconds(), size)

    def _sample(self) -> None:
        self._measures.sample(self._reactor.seconds())

    def page(self) -> Page:
        """Return the monitoring page as it is now."""
        return monitoring_page(
            name=self._name,
            now=self._reactor.seconds(),
            started=self._started,
            proxy=self.proxy.address,
            lookup=self.looking.locator.lookup,
            measures=self._measures,
            readers=len(self.readers),
            holes=shown(self._missing.newest(HOLES_SHOWN), self._is_kept_back),
            links=[(name, link.state) for name, link in self._links.items()],
            notes=self.keeping.notes(),
            rooms=[
                self.looking.urls.figures(),
                self.streams.figures(),
                *([] if self._mining is None else [self._mining.figures()]),
                *sections_of(self.live),
                self.keeping.figures(),
            ],
        )

    def _is_kept_back(self, url: str) -> bool:
        return self.keeping.rules.reason(url) is not None

    def status(self) -> dict[str, Any]:
        """Return what `status` answers over HIP, for programs that ask over HTTP."""
        return (
            {**asdict(self._methods.status()), "proxy": self.proxy.address}
            | {"urls": self.looking.urls.status()}
            | {"streams": self.streams.status()}
            | (self.keeping.status())
            | ({} if self._mining is None else {"mining": self._mining.reach()})
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
