"""`twistd feed-aggregator`."""

from typing import Any
from urllib.parse import urlsplit

from twisted.application.service import IService, MultiService

from agents.collected import Captures, Offering
from agents.configuration import AgentOptions, Configuration, Port, private_folder
from agents.feeds.aggregator import Aggregator
from agents.feeds.config import FeedAggregatorConfig
from agents.feeds.fetching import Fetcher, Manners
from agents.feeds.hubs import Hubs
from agents.feeds.learning import Learner
from agents.feeds.looking import Looking
from agents.feeds.methods import FeedMethods
from agents.feeds.pages import FeedPages
from agents.feeds.rhythm import Bounds
from agents.feeds.robots import Robots
from agents.names import make_resolver
from anet.http import HttpServer, guarded
from anet.starting import in_words
from anet.workers import Workers
from hip import Agent, HipError

KIND = "feed-aggregator"
SITE = "feeds"  # the name under which bodies of feeds are deposited


class Options(AgentOptions):
    """Options of `twistd feed-aggregator`."""

    agent = KIND


@in_words(HipError)
def makeService(options: Options) -> IService:  # noqa: N802 - twistd's name
    """Return the feed aggregator that the options describe.

    Raises:
        SystemExit: the configuration is refused; the message says why.
    """
    from twisted.internet import reactor

    return make_service(reactor, options.load(), options.name)


def make_service(reactor: Any, configuration: Configuration, name: str) -> "FeedService":
    """Return a feed aggregator on a given reactor."""
    return FeedService(reactor, configuration, name)


class FeedService(MultiService):
    """A feed aggregator: its work, its place on the tree, its pages, and its ear for hubs.

    Attributes:
        agent: its node of the HIP tree.
        aggregator: its work.
        captures: what it archives; None when it does not.
        server: its pages.
        ear: where hubs are listened to; None when none is.
    """

    def __init__(self, reactor: Any, configuration: Configuration, name: str) -> None:
        super().__init__()
        config = configuration.section(KIND, FeedAggregatorConfig)
        self.agent = Agent(reactor, KIND, name, security=configuration.security(name))
        scheduler = self.agent.connect(configuration.address(Port.SCHEDULER, config.scheduler))
        fetcher = Fetcher(reactor, _manners(config))
        readers = Workers(reactor, 1, name="feeds")
        disk = Workers(reactor, 1, name="feed files")
        robots = Robots(fetcher, config.user_agent) if config.robots else None
        hubs = Hubs(reactor, fetcher, config.hub_callback) if config.hub_callback else None
        crawls = private_folder(configuration.directory.absolute() / "crawls")
        self.captures = (
            Captures(reactor, disk, crawls, name, SITE, config.capture_period, config.capture_size)
            if config.captures
            else None
        )
        offering = (
            Offering(reactor, scheduler, self.captures, disk) if self.captures is not None else None
        )
        bounds = Bounds(config.shortest_interval, config.longest_interval, config.looks_per_entry)
        self.aggregator = Aggregator(
            reactor,
            scheduler,
            Looking(reactor, fetcher, readers, robots, config.body_limit),
            Learner(bounds, config.hub_interval),
            config.feeds,
            patience=config.gather,
            hubs=hubs,
            captures=self.captures,
        )
        self.agent.methods.add(FeedMethods(self.aggregator))
        pages = FeedPages(name, self.aggregator, scheduler, self.captures, offering)
        address = configuration.address(Port.FEED_AGGREGATOR_PAGES, config.pages)
        handler = guarded(pages.router(), [address])
        self.server = HttpServer(reactor, address, handler, name=f"{KIND} pages")
        self.ear = _ear(reactor, config, hubs)
        # Stopped in this order: threads last, for what they do is waited for.
        resolver = make_resolver(reactor, config.names, config.name_servers, config.hosts)
        services = (resolver, self.ear, self.server, self.agent, offering)
        for service in (*services, self.aggregator, readers, disk):
            if service is not None:
                service.setServiceParent(self)


def _manners(config: FeedAggregatorConfig) -> Manners:
    return Manners(
        user_agent=config.user_agent,
        pause=config.pause,
        at_once=config.requests_at_once,
        connect_timeout=config.connect_timeout,
        silence=config.silence,
        longest_exchange=config.longest_exchange,
        body_limit=config.body_limit,
    )


def _ear(reactor: Any, config: FeedAggregatorConfig, hubs: Hubs | None) -> HttpServer | None:
    if hubs is None or config.hub_address is None or config.hub_callback is None:
        return None
    handler = hubs.router(urlsplit(config.hub_callback).path)
    return HttpServer(reactor, config.hub_address, handler, name=f"{KIND}'s ear for hubs")
