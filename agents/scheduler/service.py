"""`twistd scheduler`."""

from functools import partial
from typing import Any

from msgspec import to_builtins
from twisted.application.service import IService, MultiService

from agents.configuration import (
    AgentOptions,
    Configuration,
    Port,
    page_of,
    private_folder,
    secret,
)
from agents.names import NamesConfig, make_resolver
from agents.page.access import Access
from agents.scheduler.addresses import PATIENCE, LookUp
from agents.scheduler.config import SchedulerConfig
from agents.scheduler.database import Database, DatabaseRefused, Store
from agents.scheduler.desk import Desk
from agents.scheduler.journal import Journal
from agents.scheduler.live import Live
from agents.scheduler.looking import Looking
from agents.scheduler.means import Means
from agents.scheduler.methods import MachineMethods, SchedulerMethods
from agents.scheduler.overview import Overview
from agents.scheduler.pages import SchedulerPages
from agents.scheduler.portion.methods import PortionMethods
from agents.scheduler.portion.reader_methods import ReaderMethods
from agents.scheduler.scheduler import Scheduler
from agents.scheduler.streams.methods import StreamMethods
from anet.http import HttpServer, guarded
from anet.names import resolve
from anet.processes import Processes
from anet.starting import in_words
from anet.tasks import Tasks
from anet.workers import Workers
from hip import Agent, HipError

KIND = "scheduler"
_PATIENCE = 10.0  # seconds that a page waits for the tree


class Options(AgentOptions):
    """Options of `twistd scheduler`."""

    agent = KIND


@in_words(DatabaseRefused, HipError)
def makeService(options: Options) -> IService:  # noqa: N802 - twistd's name
    """Return the scheduler that the options describe.

    Raises:
        SystemExit: the configuration or the database is refused; the message says why.
    """
    from twisted.internet import reactor

    return make_service(reactor, options.load(), options.name)


def make_service(reactor: Any, configuration: Configuration, name: str) -> "SchedulerService":
    """Return a scheduler on a given reactor.

    Raises:
        DatabaseRefused: its database is not ours, damaged, in use, or of a newer version.
    """
    config = configuration.section(KIND, SchedulerConfig)
    folder = private_folder(configuration.directory / KIND)
    database = Database(config.database or folder / "scheduler.sqlite", config.attempts)
    journal = Journal(reactor)
    running = database.recover(journal.now())
    means = Means(
        clock=reactor,
        config=config,
        directory=configuration.directory.absolute(),
        store=Store(reactor, database),
        files=Workers(reactor, 1, name="scheduler files"),
        tasks=Tasks(),
        journal=journal,
        live=Live(),
        look_up=_look_up(reactor, config),
        processes=lambda memory: Processes(reactor, 1, memory=memory, name="scheduler ranks"),
    )
    return SchedulerService(reactor, configuration, name, Scheduler(means, running))


def _look_up(reactor: Any, config: SchedulerConfig) -> LookUp | None:
    """Return how addresses are found; none when they are not wanted, or only a proxy knows."""
    if not config.addresses or config.access.proxy is not None:
        return None
    return lambda host: resolve(reactor, host, PATIENCE)


class SchedulerService(MultiService):
    """The scheduler, its place on the tree, and its pages.

    Attributes:
        agent: its node of the HIP tree.
        listener: where slaves connect.
        server: its pages.
    """

    def __init__(
        self, reactor: Any, configuration: Configuration, name: str, scheduler: Scheduler
    ) -> None:
        super().__init__()
        config = scheduler.means.config
        page = partial(page_of, configuration)
        overview = Overview(
            scheduler.means, scheduler.collecting.pool, lambda: self.agent.slaves, page
        )
        looking = Looking(scheduler.means)
        portion = PortionMethods(scheduler.expanding, scheduler.feeding, scheduler.by_hand)
        streams = StreamMethods(scheduler.means, scheduler.streaming, page)
        self.agent = Agent(
            reactor,
            kind=KIND,
            name=name,
            methods=[
                SchedulerMethods(scheduler, overview),
                MachineMethods(scheduler.collecting.machines),
                portion,
                ReaderMethods(scheduler.means, scheduler.missing, scheduler.deposits_alarm),
                streams,
                looking,
            ],
            security=configuration.security(name),
        )
        self.agent.on_join, self.agent.on_leave = scheduler.join, scheduler.leave
        self.listener = self.agent.listen(configuration.address(Port.SCHEDULER, config.address))
        tree = self.agent.methods["hip.tree"]

        async def branches() -> dict[str, Any]:
            found: dict[str, Any] = to_builtins(await tree.call(None, {}, _PATIENCE))
            return found

        pages = SchedulerPages(
            name,
            overview,
            looking,
            streams,
            scheduler.means.live,
            branches,
            Desk(self.agent.methods),
            Access(secret(configuration.directory)),
        )
        address = configuration.address(Port.SCHEDULER_PAGES, config.pages)
        handler = guarded(pages.router(), [address])
        self.server = HttpServer(reactor, address, handler, name=f"{KIND} pages")
        # Names lead where they lead crawlers.
        names = configuration.section("site-crawler", NamesConfig, partly=True)
        resolver = make_resolver(reactor, names.names, names.name_servers, names.hosts)
        for service in (resolver, self.server, self.agent, scheduler):
            if service is not None:
                service.setServiceParent(self)
