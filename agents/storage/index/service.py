"""`twistd index-node`: where contents go, and where everything is."""

from typing import Any

from twisted.application.service import IService

from agents.configuration import AgentOptions, Configuration, Port, http_client, secret
from agents.storage.belonging import register
from agents.storage.figures import serve_pages
from agents.storage.index.asking import Asking
from agents.storage.index.config import IndexNodeConfig
from agents.storage.index.database import READING_THREADS
from agents.storage.index.following import Following
from agents.storage.index.holders import Holders
from agents.storage.index.methods import IndexNodeMethods
from agents.storage.index.notes import Notes
from agents.storage.index.pages import figures, page
from agents.storage.index.placing import Placing
from agents.storage.index.posting import Posting
from agents.storage.index.recording import Recording
from agents.storage.index.references import References
from agents.storage.index.siblings import Siblings
from agents.storage.index.store import IndexStore
from agents.storage.index.view import ClusterView
from agents.storage.pulse import Pulse
from agents.storage.starting import OpeningService
from agents.storage.status import IndexStatus
from anet.http import HttpServer, Router, guarded
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
    """An index node: its database, its clients, the nodes it follows, its link to the master.

    Attributes:
        view: the storage nodes.
        store: who holds what, as far as its share goes.
        placing: answers `place` and `find`.
        recording: answers `record`.
        following: reads the nodes' logs.
        siblings: the other index nodes.
        asking: asks storage nodes what no index node is sure of.
        references: tells the master which contents are referred to often.
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
        writer = Workers(reactor, 1, name=f"{name}-writer")
        readers = Workers(reactor, READING_THREADS, name=f"{name}-readers")
        for threads in (writer, readers):
            threads.setServiceParent(self)
        security = configuration.security(name)
        client = http_client(reactor, security, connections=config.connections)
        client.setServiceParent(self)
        folder = config.folder or configuration.directory / "index"
        self._secret = secret(configuration.directory)
        self.view = ClusterView(reactor, name, config.grace)
        self.store = IndexStore(folder, writer, readers)
        notes = Notes(reactor)
        self.agent = Agent(reactor, "index-node", name, security=security)
        self.siblings = Siblings(reactor, self.agent, self.view)
        self.following = Following(
            reactor,
            self.store,
            notes,
            self.view,
            client,
            lambda: self.siblings.links,
            interval=config.follow_every,
            settle=config.settle,
        )
        holders = Holders(self.store, notes, self.view, self.following, self.siblings)
        self.asking = Asking(reactor, client, self.view)
        self.placing = Placing(holders, self.asking, self.view)
        posting = Posting(reactor, self.view, client, self._secret, config.node_timeout)
        self.recording = Recording(holders, self.asking, self.view, posting)
        self.references = References(reactor, lambda: self.link.peer)
        self.recording.on_recorded = self.references.add
        self.agent.methods.add(
            IndexNodeMethods(self.placing, self.recording, holders, self.view, config.batch_limit)
        )
        self.listener = self.agent.listen(configuration.address(Port.INDEX_NODE, config.hip))
        self.link = self.agent.connect(
            configuration.address(Port.STORAGE_MASTER, config.storage_master)
        )
        self.link.on_connect = self._greet
        pages = configuration.address(Port.INDEX_NODE_PAGES, config.pages)
        self.server = HttpServer(reactor, pages, guarded(self._router(), [pages]), name=name)

    async def opening(self) -> None:
        """Open the index; then serve, follow the nodes, and link to the master."""
        await self.store.open()
        self.view.assume(self.store.disks.values())
        self.server.setServiceParent(self)
        self.agent.setServiceParent(self)
        self.references.setServiceParent(self)
        self.following.start()
        self.siblings.start()

    async def stopService(self) -> None:
        """Stop following, then all parts; the index last."""
        await self.siblings.stop()
        await self.following.stop()
        await self.store.close()
        await super().stopService()

    async def _greet(self, master: Peer) -> None:
        status = IndexStatus(self.agent.agent_name, self.listener.address)
        await register(master, "register_index", self._secret, status)

    def _router(self) -> Router:
        router = Router()
        measured = figures(self)
        self.pulse = Pulse(self._reactor, measured)
        self.pulse.setServiceParent(self)
        serve_pages(router, "dlweb_index_node", measured, lambda: page(self, measured))
        return router
