"""`twistd index-node`: where contents go, and where everything is."""

from typing import Any

from twisted.application.service import IService

from agents.configuration import AgentOptions, Configuration, Port, secret
from agents.storage.catalogue import HALF_KEY, Catalogue
from agents.storage.figures import serve_pages
from agents.storage.index.config import IndexNodeConfig
from agents.storage.index.following import Following
from agents.storage.index.holders import Holders
from agents.storage.index.methods import IndexNodeMethods
from agents.storage.index.notes import Notes
from agents.storage.index.pages import figures, page
from agents.storage.index.placing import Placing
from agents.storage.index.recording import Recording
from agents.storage.index.view import ClusterView
from agents.storage.pulse import Pulse
from agents.storage.starting import OpeningService
from agents.storage.status import IndexStatus
from anet.http import HttpClient, HttpServer, Router, guarded
from anet.starting import in_words
from anet.workers import Workers
from hip import Agent, HipError, Peer


class Options(AgentOptions):
    """Options of `twistd index-node`."""

    agent = "index-node"
    longdesc = "Says where contents go, records captures, and knows which node holds what."


@in_words(HipError)
def makeService(options: Options, reactor: Any = None) -> IService:
    """Return an index node.

    Raises:
        SystemExit: the configuration is refused (status 78).
    """
    if reactor is None:
        from twisted.internet import reactor
    configuration = options.load()
    config = configuration.section("index-node", IndexNodeConfig)
    name = options.name if options.name != Options.agent else "index-1"
    return IndexNode(reactor, configuration, config, name)


class IndexNode(OpeningService):
    """An index node: its catalogue, its clients, the nodes it follows, its link to the master.

    Attributes:
        view: the storage nodes.
        catalogue: who holds what.
        placing: answers `place` and `find`.
        recording: answers `record`.
        following: reads the nodes' logs.
        agent: its place in the HIP tree, and master of its clients.
        link: its link to the storage master.
        listener: where clients link to it; its port is known once `opened`.
        server: its pages.
        pulse: its course, for its page.
    """

    def __init__(
        self, reactor: Any, configuration: Configuration, config: IndexNodeConfig, name: str
    ) -> None:
        super().__init__(reactor)
        thread = Workers(reactor, 1, name=f"{name}-catalogue")
        thread.setServiceParent(self)
        client = HttpClient(reactor, connections=config.connections)
        client.setServiceParent(self)
        folder = config.folder or configuration.directory / "index"
        self.view = ClusterView(reactor)
        self.catalogue = Catalogue(folder / "index.sqlite", thread, HALF_KEY)
        notes = Notes(reactor)
        holders = Holders(self.catalogue, notes)
        self.placing = Placing(holders, self.view)
        self.recording = Recording(
            reactor,
            holders,
            notes,
            self.view,
            client,
            secret(configuration.directory),
            config.node_timeout,
        )
        self.following = Following(
            reactor, self.catalogue, notes, self.view, client, config.follow_every
        )
        methods = IndexNodeMethods(self.placing, self.recording, self.view, config.batch_limit)
        self.agent = Agent(
            reactor, "index-node", name, [methods], security=configuration.security(name)
        )
        self.listener = self.agent.listen(configuration.address(Port.INDEX_NODE, config.hip))
        self.link = self.agent.connect(
            configuration.address(Port.STORAGE_MASTER, config.storage_master)
        )
        self.link.on_connect = self._greet
        pages = configuration.address(Port.INDEX_NODE_PAGES, config.pages)
        self.server = HttpServer(reactor, pages, guarded(self._router(), [pages]), name=name)

    async def opening(self) -> None:
        """Open the catalogue; then serve, follow the nodes, and link to the master."""
        await self.catalogue.open()
        self.view.assume(await self.catalogue.nodes(), await self.catalogue.disks())
        self.server.setServiceParent(self)
        self.agent.setServiceParent(self)
        self.following.start()

    async def stopService(self) -> None:
        """Stop following, then all parts; the catalogue last."""
        await self.following.stop()
        await self.catalogue.close()
        await super().stopService()

    async def _greet(self, master: Peer) -> None:
        status = IndexStatus(self.agent.agent_name, self.listener.address)
        await master.call("register_index", status=status)

    def _router(self) -> Router:
        router = Router()
        measured = figures(self)
        self.pulse = Pulse(self._reactor, measured)
        self.pulse.setServiceParent(self)
        serve_pages(router, "dlweb_index_node", measured, lambda: page(self, measured))
        return router
