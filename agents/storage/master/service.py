"""`twistd storage-master`: master of storage nodes and index nodes."""

from typing import Any

from twisted.application.service import IService

from agents.configuration import AgentOptions, Configuration, ConfigurationError, Port, secret
from agents.configuration.options import refuse
from agents.storage.belonging import Belonging
from agents.storage.catalogue import Catalogue
from agents.storage.figures import serve_pages
from agents.storage.master.config import StorageMasterConfig
from agents.storage.master.hands import Hands
from agents.storage.master.judging import Judge
from agents.storage.master.mending import Mending
from agents.storage.master.methods import NodeMethods, RefusingMethods
from agents.storage.master.operating import OperatorMethods
from agents.storage.master.orders import Orders
from agents.storage.master.pages import figures, page
from agents.storage.master.registry import Registry
from agents.storage.master.tidying import Tidying
from agents.storage.master.unread import Unread
from agents.storage.pulse import Pulse
from agents.storage.replicas import read_rules
from agents.storage.starting import OpeningService
from anet.http import HttpServer, Router, guarded
from anet.starting import in_words
from anet.tasks import Tasks, every
from anet.workers import Workers
from hip import Agent, HipError, Peer

CLIENTS = ("connectivity", "consultation")  # kinds that are sent on to an index node
_TELL_EVERY = 2.0  # seconds between two words to the index nodes about free space


class Options(AgentOptions):
    """Options of `twistd storage-master`."""

    agent = "storage-master"
    longdesc = "Knows the storage nodes, redirects clients, and keeps the replicas up."


@in_words(HipError)
def makeService(options: Options, reactor: Any = None) -> IService:
    """Return the storage master.

    Raises:
        SystemExit: the configuration is refused (status 78), the policy file for one.
    """
    if reactor is None:
        from twisted.internet import reactor
    configuration = options.load()
    config = configuration.section("storage-master", StorageMasterConfig)
    try:
        return StorageMaster(reactor, configuration, config, options.name)
    except ConfigurationError as error:
        refuse(error)


class StorageMaster(OpeningService):
    """The storage master: its log of additions, its slaves, its repairs.

    Attributes:
        registry: the nodes.
        catalogue: who holds what.
        orders: drains.
        hands: what it has nodes do.
        mending: repairs.
        tidying: moves and removals.
        belonging: who was refused for want of the archive's secret.
        unread: which logs are not known to their ends.
        methods: what it answers to nodes.
        operating: what it answers to people.
        agent: its place in the HIP tree.
        link: its link to the scheduler.
        listener: where slaves link to it; its port is known once `opened`.
        server: its pages.
        pulse: its course, for its page.
    """

    def __init__(
        self, reactor: Any, configuration: Configuration, config: StorageMasterConfig, name: str
    ) -> None:
        super().__init__(reactor)
        thread = Workers(reactor, 1, name=f"{name}-catalogue")
        thread.setServiceParent(self)
        folder = config.folder or configuration.directory / "storage-master"
        self.catalogue = Catalogue(folder / "catalogue.sqlite", thread)
        rules = read_rules(config.policy, config.replicas)
        self.registry = Registry(reactor, rules, config.grace)
        self.orders = Orders(self.catalogue)
        self.hands = Hands(self.registry)
        self.mending = Mending(
            reactor,
            self.catalogue,
            self._judge,
            self.hands,
            settle=config.settle,
            sweep_every=config.sweep_every,
            rate=config.repair_rate,
            at_once=config.repairs_at_once,
        )
        self.tidying = Tidying(
            reactor, self.catalogue, self._judge, self.hands, self._is_calm, config.tidy_rate
        )
        self.mending.on_better = self.tidying.suggest
        self.tidying.on_done = lambda: self.mending.sweep_in(config.settle)
        self.belonging = Belonging(
            secret(configuration.directory), configuration.directory / "secret"
        )
        self.unread = Unread()
        self.mending.progress.unread = lambda: self.unread.nodes & self.registry.up
        self.mending.progress.is_read = self.unread.is_read
        self.methods = NodeMethods(
            self.registry,
            self.catalogue,
            self.orders,
            self.mending,
            self.unread,
            self.belonging,
            self._send_on_all,
        )
        self.operating = OperatorMethods(
            reactor,
            self.registry,
            self.catalogue,
            self.orders,
            self.mending,
            self.hands,
        )
        self.agent = Agent(
            reactor,
            "storage-master",
            name,
            [self.methods, self.operating, RefusingMethods()],
            security=configuration.security(name),
        )
        self.agent.on_join = self._joined
        self.agent.on_leave = self._left
        self.listener = self.agent.listen(configuration.address(Port.STORAGE_MASTER, config.hip))
        self.link = self.agent.connect(configuration.address(Port.SCHEDULER, config.scheduler))
        pages = configuration.address(Port.STORAGE_MASTER_PAGES, config.pages)
        self.server = HttpServer(reactor, pages, guarded(self._router(), [pages]), name=name)
        self._config = config
        self._tasks = Tasks()

    async def opening(self) -> None:
        """Open the catalogue; then serve, and look after the replicas."""
        await self.catalogue.open()
        for name, url in (await self.catalogue.nodes()).items():
            self.registry.remember(name, url)
        await self.orders.open()
        self.registry.drain(drain.node for drain in self.orders.drains if not drain.disk)
        self.server.setServiceParent(self)
        self.agent.setServiceParent(self)
        self.mending.start()
        self.tidying.start()
        self.mending.sweep_in(self._config.grace)
        telling = every(self._reactor, _TELL_EVERY, self.registry.telling.soon)
        self._tasks.start(telling, "telling the index nodes")

    async def stopService(self) -> None:
        """Stop repairs, then all parts; the catalogue last."""
        await self._tasks.stop()
        self.registry.telling.stop()
        await self.tidying.stop()
        await self.mending.stop()
        await self.catalogue.close()
        await super().stopService()

    def seconds(self) -> float:
        """Return the time by the master's clock."""
        return float(self._reactor.seconds())

    def _judge(self) -> Judge:
        """Return a judge of the nodes as they are now."""
        registry = self.registry
        return Judge(
            registry.nodes,
            registry.waited_for,
            registry.rules,
            self.orders.drains,
            self._config.uneven,
        )

    def _is_calm(self) -> bool:
        """Tell whether replicas may be moved and removed.

        What can never be mended does not hold that up: each key is judged for itself.
        """
        passed = self.seconds() - self.registry.changed
        return passed >= self._config.tidy_after and not self.mending.sweeping

    def _joined(self, peer: Peer) -> None:
        if peer.kind in CLIENTS:
            self._send_on(peer)

    def _left(self, peer: Peer, reason: str) -> None:
        if self.registry.leaves(peer) is not None:
            self.mending.doubt_drains()
            self.mending.sweep_in(self._config.grace)

    def _send_on(self, peer: Peer) -> None:
        """Redirect a client to an index node; without one it stays, and is told "no-index"."""
        address = self.registry.index_address()
        if address is not None:
            peer.redirect(address)

    def _send_on_all(self) -> None:
        for peer in list(self.agent.slaves.values()):
            if peer.kind in CLIENTS:
                self._send_on(peer)

    def _router(self) -> Router:
        router = Router()
        measured = figures(self)
        self.pulse = Pulse(self._reactor, measured)
        self.pulse.setServiceParent(self)
        serve_pages(router, "dlweb_storage_master", measured, lambda: page(self, measured))
        return router
