"""`twistd site-crawler`, and what a nursery forks."""

from typing import Any

from twisted.application.service import MultiService

from agents.configuration import AgentOptions, Configuration, private_folder, site_crawler
from agents.configuration.ports import Port
from agents.crawler.config import SiteCrawlerConfig
from agents.crawler.crawler import SiteCrawler
from agents.crawler.limits import Limits
from agents.crawler.methods import CrawlerMethods
from agents.crawler.pages import CrawlerPages
from agents.machines import machine_name
from agents.names import make_resolver
from agents.parsers import registry
from anet.http import HttpServer, guarded
from anet.starting import in_words
from hip import Agent, HipError

KIND = "site-crawler"


class Options(AgentOptions):
    """Options of `twistd site-crawler`."""

    agent = KIND


class CrawlerService(MultiService):
    """A site crawler: its work, its place on the tree, and its pages.

    Attributes:
        agent: its node of the HIP tree.
        crawler: its work.
        server: its pages.
        resolver: what it looks names up by; None when the system does.
    """

    def __init__(
        self,
        reactor: Any,
        configuration: Configuration,
        name: str,
        number: int = 1,
        machine: str | None = None,
    ) -> None:
        super().__init__()
        config = configuration.section(KIND, SiteCrawlerConfig)
        self.resolver = make_resolver(reactor, config.names, config.name_servers, config.hosts)
        self.agent = Agent(reactor, KIND, name, security=configuration.security(name))
        scheduler = self.agent.connect(configuration.address(Port.SCHEDULER, config.scheduler))
        self.crawler = SiteCrawler(
            reactor,
            scheduler,
            configuration.directory.absolute() / "crawls",
            name,
            Limits(
                urls=config.urls,
                connect_timeout=config.connect_timeout,
                silence=config.silence,
                longest_exchange=config.longest_exchange,
                longest_rest=config.longest_rest,
            ),
            config.machine or machine_name(machine),
        )
        self.agent.methods.add(CrawlerMethods(self.crawler))
        pages = CrawlerPages(name, self.crawler, scheduler, self.resolver)
        address = config.pages or configuration.address(site_crawler(number))
        handler = guarded(pages.router(), [address])
        self.server = HttpServer(reactor, address, handler, name=f"{name} pages")
        for service in (self.resolver, self.crawler, self.agent, self.server):
            if service is not None:
                service.setServiceParent(self)


def make_service(
    options: Options, reactor: Any = None, machine: str | None = None
) -> CrawlerService:
    """Return the site crawler that the options describe.

    A nursery calls it after each fork, and says which machine this is.

    Raises:
        SystemExit: the configuration is refused; the message says why.
        OSError: the folder of crawls cannot be made.
    """
    if reactor is None:
        from twisted.internet import reactor

    registry()  # at the first page, importing all parsers would hold the reactor up
    configuration = options.load()
    service = CrawlerService(reactor, configuration, options.name, options.number, machine)
    private_folder(configuration.directory / "crawls")
    return service


makeService = in_words(HipError)(make_service)  # noqa: N816 - twistd's name
