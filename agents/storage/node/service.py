"""`twistd storage-node`: some disks of the archive, served."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from twisted.application.service import IService

from agents.configuration import (
    AgentOptions,
    Configuration,
    Port,
    base_url,
    http_client,
    secret,
    storage_node,
    web_tls,
)
from agents.storage.disk.emptying import Emptying
from agents.storage.disk.known import KnownDisks
from agents.storage.disk.node_store import NodeStore
from agents.storage.disk.store import DiskStore
from agents.storage.disk.uniting import Uniting
from agents.storage.figures import serve_pages
from agents.storage.node.auditing import Auditing
from agents.storage.node.config import StorageNodeConfig
from agents.storage.node.descriptors import connections_within
from agents.storage.node.fetcher import Fetcher
from agents.storage.node.lookup import Lookup
from agents.storage.node.methods import StorageNodeMethods
from agents.storage.node.mirroring import Mirroring
from agents.storage.node.pages import figures, page
from agents.storage.node.reporter import Reporter
from agents.storage.node.routes import NodeRoutes
from agents.storage.node.standing_in import StandingIn
from agents.storage.pulse import Pulse
from agents.storage.starting import OpeningService
from agents.storage.status import NodeStatus
from agents.storage.stores.bucket_address import BucketAddress
from agents.storage.stores.depot import BucketDepot
from anet.http import HttpServer, Limits, guarded, guarded_prompt, guarded_taker
from anet.starting import in_words
from anet.workers import Workers
from hip import Agent, HipError

_DEPOT_THREADS = 16


class Options(AgentOptions):
    """Options of `twistd storage-node`."""

    agent = "storage-node"
    longdesc = "Keeps contents and structure files on its disks, and serves them over HTTP."


@in_words(HipError)
def makeService(options: Options, reactor: Any = None) -> IService:
    """Return a storage node.

    Raises:
        SystemExit: the configuration is refused (status 78).
    """
    if reactor is None:
        from twisted.internet import reactor
    configuration = options.load()
    config = configuration.section("storage-node", StorageNodeConfig)
    name = options.name if options.name != Options.agent else "storage-1"
    default = config.folder or configuration.directory / f"storage-{options.number}"
    address = config.address or configuration.address(storage_node(options.number))
    return StorageNode(reactor, configuration, config, name, config.folders or [default], address)


class StorageNode(OpeningService):
    """A storage node: disks, HTTP service, link to the master, multicast.

    Attributes:
        url: base URL under which others reach it.
        store: its disks.
        routes: its HTTP interface.
        fetcher: copies from other nodes.
        auditing: reads again what the disks hold.
        emptying: moves what disks hold that are being drained.
        uniting: unites structure files that are on several disks.
        reporter: tells the master what is added.
        mirroring: copies all to another store; none when none is configured.
        agent: its place in the HIP tree.
        link: its link to the master.
        lookup: its answers to multicast; none when that is switched off.
        server: its HTTP service; its port is known once `opened`.
        pulse: its course, for its page.
    """

    def __init__(
        self,
        reactor: Any,
        configuration: Configuration,
        config: StorageNodeConfig,
        name: str,
        folders: Sequence[Path],
        address: str,
    ) -> None:
        super().__init__(reactor)
        self._config, self._configuration = config, configuration
        self._security = configuration.security(name)
        self.url = config.url or base_url(self._security, address)
        tls = web_tls(self._security, address, self.url)
        known = KnownDisks(configuration.directory / f"{name}.disks")
        self.store = NodeStore(reactor, [self._disk(folder) for folder in folders], known)
        client = http_client(reactor, self._security, connections=4)
        client.setServiceParent(self)
        self.fetcher = Fetcher(self.store, client)
        self.auditing = Auditing(reactor, config.audit_rate, config.audit_every)
        self.auditing.setServiceParent(self)
        self.emptying = Emptying(reactor, self.store)
        self.uniting = Uniting(reactor, self.store)
        self.store.on_doubled = self.uniting.look_at
        self.reporter = Reporter(reactor, self.store, self.status, secret(configuration.directory))
        self.mirroring: Mirroring | None = None
        if config.mirror is not None:
            self.mirroring = Mirroring(
                reactor,
                lambda: [disk.layout.root for disk in self.store.disks],
                config.mirror,
                configuration.directory / "copies",
                config.mirror_every,
            )
        self.store.on_added = self.reporter.wake
        self.store.on_change = self._disks_changed
        self.store.on_return = self.uniting.look_through
        self.routes = NodeRoutes(
            name,
            self.store,
            self.status,
            secret(configuration.directory),
            config.content_limit,
            config.memory_limit,
            tls.trusts if tls else None,
        )
        self.routes.structures.begin = StandingIn(reactor, self.store, self.fetcher).begin
        methods = StorageNodeMethods(
            self.store, self.fetcher, self.auditing, self.emptying, self.status
        )
        self.agent = Agent(reactor, "storage-node", name, [methods], security=self._security)
        self.link = self.agent.connect(
            configuration.address(Port.STORAGE_MASTER, config.storage_master)
        )
        self.link.on_connect = self.reporter.greet
        names = [address, urlsplit(self.url).netloc]
        self.server = HttpServer(
            reactor,
            address,
            guarded(self._router(), names),
            name=name,
            limits=Limits(connections=connections_within(config.connections)),
            tls=tls,
            prompt=guarded_prompt(self.routes.prompt, names),
            taker=guarded_taker(self.routes.contents.taker, names),
        )
        self.lookup: Lookup | None = None

    @property
    def has_depot(self) -> bool:
        """Whether contents live in a bucket."""
        return self._config.contents is not None

    def status(self) -> NodeStatus:
        """Return what the node says of itself."""
        store = self.store
        return NodeStatus(
            name=self.agent.agent_name,
            url=self.url,
            free=store.free,
            contents=store.count("contents"),
            structures=store.count("structures"),
            failed=store.failed,
            disks=[self.auditing.status(disk) for disk in store.disks],
            missing=dict(store.missing),
            place=self._config.place,
            safety=self._config.safety,
            groups=self.lookup.groups if self.lookup is not None else "0",
        )

    async def opening(self) -> None:
        """Open the disks, then serve it, then tell the master."""
        await self.store.open()
        self.auditing.begin(self.store)
        self.uniting.start()
        if self.mirroring is not None:
            self.mirroring.setServiceParent(self)
        self.server.setServiceParent(self)
        if self._config.url is None:
            self.url = base_url(self._security, self.server.address)
        if self._config.multicast:
            configuration = self._configuration
            groups = self._config.groups(configuration.base_port, secret(configuration.directory))
            self.lookup = Lookup(
                self._reactor, groups, self.store, self.url, self._config.all_groups
            )
            self.lookup.start()
        self.agent.setServiceParent(self)

    async def stopService(self) -> None:
        """Answer what was asked, write what was begun, and stop."""
        if self.lookup is not None:
            await self.lookup.stop()
        await self.reporter.stop()
        await self.emptying.stop()
        await self.uniting.stop()
        await self.auditing.end()
        await self.store.close()
        await super().stopService()

    def _disks_changed(self) -> None:
        """Audit what is there, and tell the master of it."""
        self.auditing.begin(self.store)
        self.reporter.wake()

    def _disk(self, folder: Path) -> DiskStore:
        """Return a disk with threads of its own, so that a slow one holds no other back."""
        config = self._config
        workers = Workers(self._reactor, config.threads, name=str(folder))
        workers.setServiceParent(self)
        return DiskStore(
            folder,
            workers,
            reserve=config.reserve,
            waiting_limit=config.waiting_limit,
            depot=self._depot(folder),
        )

    def _depot(self, folder: Path) -> BucketDepot | None:
        """Return where a disk's contents go; it has threads of its own, for it may be slow."""
        if self._config.contents is None:
            return None
        workers = Workers(self._reactor, _DEPOT_THREADS, name=f"depot of {folder}")
        workers.setServiceParent(self)
        return BucketDepot(BucketAddress.parse(self._config.contents), workers)

    def _router(self) -> Any:
        router = self.routes.router()
        measured = figures(self)
        self.pulse = Pulse(self._reactor, measured)
        self.pulse.setServiceParent(self)
        serve_pages(router, "dlweb_storage_node", measured, lambda: page(self, measured))
        return router
