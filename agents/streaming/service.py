"""`twistd streaming`."""

from typing import Any

from twisted.application.service import IService, MultiService

from agents.collected import Captures, Offering
from agents.configuration import AgentOptions, Configuration, Port, private_folder
from agents.names import make_resolver
from agents.stream import OrderedStream
from agents.streaming.config import StreamingConfig
from agents.streaming.listening import Listening
from agents.streaming.methods import StreamingMethods
from agents.streaming.pages import StreamingPages
from agents.streaming.streams import OnNews, Streams
from agents.streaming.telling import Teller
from agents.streaming.tide import Tide
from anet.http import HttpServer, guarded
from anet.starting import in_words
from anet.workers import Workers
from hip import Agent, HipError

KIND = "streaming"
SITE = "streams"  # the name under which what is heard is deposited


class Options(AgentOptions):
    """Options of `twistd streaming`."""

    agent = KIND


@in_words(HipError)
def makeService(options: Options) -> IService:  # noqa: N802 - twistd's name
    """Return the streaming agent that the options describe.

    Raises:
        SystemExit: the configuration is refused; the message says why.
    """
    from twisted.internet import reactor

    return make_service(reactor, options.load(), options.name)


def make_service(reactor: Any, configuration: Configuration, name: str) -> "StreamingService":
    """Return a streaming agent on a given reactor."""
    return StreamingService(reactor, configuration, name)


class StreamingService(MultiService):
    """A streaming agent: its work, its place on the tree, and its pages.

    Attributes:
        agent: its node of the HIP tree.
        streams: its work.
        captures: what it archives.
        server: its pages.
    """

    def __init__(self, reactor: Any, configuration: Configuration, name: str) -> None:
        super().__init__()
        config = configuration.section(KIND, StreamingConfig)
        self.agent = Agent(reactor, KIND, name, security=configuration.security(name))
        scheduler = self.agent.connect(configuration.address(Port.SCHEDULER, config.scheduler))
        disk = Workers(reactor, 1, name="stream files")
        crawls = private_folder(configuration.directory.absolute() / "crawls")
        self.captures = Captures(
            reactor, disk, crawls, name, SITE, config.capture_period, config.capture_size
        )
        offering = Offering(reactor, scheduler, self.captures, disk)
        tide = Tide(reactor)
        self.streams = Streams(_listening, Teller(reactor, scheduler), config.streams)
        self.agent.methods.add(StreamingMethods(self.streams))
        pages = StreamingPages(name, self.streams, scheduler, self.captures, offering)
        address = configuration.address(Port.STREAMING_PAGES, config.pages)
        handler = guarded(pages.router(), [address])
        self.server = HttpServer(reactor, address, handler, name=f"{KIND} pages")
        # Stopped in this order: threads last, for what they do is waited for.
        resolver = make_resolver(reactor, config.names, config.name_servers, config.hosts)
        services = (resolver, self.server, self.agent, self.streams, tide, offering, disk)
        for service in services:
            if service is not None:
                service.setServiceParent(self)


def _listening(ordered: OrderedStream, on_news: OnNews) -> Listening:
    return Listening(ordered, on_news)
