"""`twistd connectivity`."""

from typing import Any

from twisted.application.service import IService, MultiService

from agents.configuration import AgentOptions, Configuration, Port, http_client, secret
from agents.connectivity.config import ConnectivityConfig
from agents.connectivity.connectivity import Connectivity, Ways
from agents.connectivity.contents import Contents
from agents.connectivity.deposit import Limits
from agents.connectivity.index import Index
from agents.connectivity.learning import Learning
from agents.connectivity.methods import ConnectivityMethods
from agents.connectivity.pages import ConnectivityPages
from agents.delivery import Sender
from agents.machines import machine_name
from anet.http import HttpServer, guarded
from anet.starting import in_words
from anet.workers import Workers
from hip import Agent, HipError

KIND = "connectivity"


class Options(AgentOptions):
    """Options of `twistd connectivity`."""

    agent = KIND


@in_words(HipError)
def makeService(options: Options) -> IService:  # noqa: N802 - twistd's name
    """Return the connectivity agent that the options describe.

    Raises:
        SystemExit: the configuration is refused; the message says why.
    """
    from twisted.internet import reactor

    return make_service(reactor, options.load(), options.name)


def make_service(reactor: Any, configuration: Configuration, name: str) -> "ConnectivityService":
    """Return a connectivity agent on a given reactor."""
    return ConnectivityService(reactor, configuration, name)


class ConnectivityService(MultiService):
    """A connectivity agent: its work, its places on the tree, and its pages.

    Attributes:
        agent: its node of the HIP tree.
        connectivity: its work.
        server: its pages.
    """

    def __init__(self, reactor: Any, configuration: Configuration, name: str) -> None:
        super().__init__()
        config = configuration.section(KIND, ConnectivityConfig)
        security = configuration.security(name)
        self.agent = Agent(reactor, kind=KIND, name=name, security=security)
        scheduler = self.agent.connect(configuration.address(Port.SCHEDULER, config.scheduler))
        master = self.agent.connect(
            configuration.address(Port.STORAGE_MASTER, config.storage_master)
        )
        client = http_client(
            reactor,
            security,
            connections=config.puts_at_once,
            response_timeout=config.answer_timeout,
        )
        index = Index(master, config.answer_timeout)
        workers = Workers(reactor, 2, name="connectivity files")
        contents = Contents(
            index,
            Sender(client, secret(configuration.directory)),
            workers,
            puts_at_once=config.puts_at_once,
            replica_tries=config.replica_tries,
        )
        self.connectivity = Connectivity(
            reactor,
            scheduler,
            Ways(index, contents, Learning(scheduler, workers, config.answer_timeout)),
            workers,
            configuration.directory.absolute(),
            Limits(
                batch_captures=config.batch_captures,
                batch_bytes=config.batch_bytes,
                patience=config.patience,
                report=config.report_limit,
            ),
            machine_name(config.machine),
        )
        self.agent.methods.add(ConnectivityMethods(self.connectivity))
        pages = ConnectivityPages(name, self.connectivity, index, scheduler)
        address = configuration.address(Port.CONNECTIVITY_PAGES, config.pages)
        handler = guarded(pages.router(), [address])
        self.server = HttpServer(reactor, address, handler, name=f"{KIND} pages")
        for service in (self.server, self.agent, client, self.connectivity):
            service.setServiceParent(self)
