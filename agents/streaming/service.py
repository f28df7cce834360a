"""`twistd streaming`."""

from typing import Any

from twisted.application.service import IService, MultiService
from twisted.logger import Logger

from agents.collected import Captures, Offering
from agents.configuration import AgentOptions, Configuration, Port, private_folder
from agents.names import make_resolver
from agents.streaming.config import StreamingConfig
from agents.streaming.errors import FolderTaken
from agents.streaming.following import Manifests
from agents.streaming.listening import Listening
from agents.streaming.making import make_fetcher, make_means
from agents.streaming.methods import StreamingMethods
from agents.streaming.pages import StreamingPages
from agents.streaming.recording import Recorder
from agents.streaming.streams import Streams
from agents.streaming.telling import Teller
from agents.streaming.tide import Tide
from anet.folder_lock import FolderLock
from anet.http import HttpServer, guarded
from anet.starting import in_words
from anet.tasks import Tasks, every
from anet.workers import Workers
from hip import Agent, HipError

KIND = "streaming"
SITE = "streams"  # the name under which what is heard is deposited
_SYNC = 10.0  # seconds between two times at which captures are made durable

_log = Logger()


class Options(AgentOptions):
    """Options of `twistd streaming`."""

    agent = KIND


@in_words(HipError, FolderTaken)
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
        self._reactor = reactor
        self._tasks = Tasks()
        self.agent = Agent(reactor, KIND, name, security=configuration.security(name))
        scheduler = self.agent.connect(configuration.address(Port.SCHEDULER, config.scheduler))
        disk = Workers(reactor, 1, name="stream files")
        crawls = private_folder(configuration.directory.absolute() / "crawls")
        self.captures = Captures(
            reactor, disk, crawls, name, SITE, config.capture_period, config.capture_size
        )
        pieces = crawls / f"{name}.open"
        self._lock = FolderLock(pieces, FolderTaken, "give each streaming agent a name of its own")
        self._recorder = Recorder(reactor, disk, pieces, self.captures)
        self._offering = Offering(reactor, scheduler, self.captures, disk)
        self._tide = Tide(reactor)
        self._fetcher = make_fetcher(reactor, config, self.captures)
        manifests = Manifests(reactor, config.manifest_limit)
        means = make_means(
            reactor, config, self._tide, self.captures, self._recorder, self._fetcher, manifests
        )
        self.streams = Streams(
            lambda ordered, on_news: Listening(means, ordered, on_news),
            Teller(reactor, scheduler),
            config.streams,
        )
        self.agent.methods.add(StreamingMethods(self.streams))
        pages = StreamingPages(name, self.streams, scheduler, self.captures, self._offering)
        address = configuration.address(Port.STREAMING_PAGES, config.pages)
        handler = guarded(pages.router(), [address])
        self.server = HttpServer(reactor, address, handler, name=f"{KIND} pages")
        resolver = make_resolver(reactor, config.names, config.name_servers, config.hosts)
        for service in (disk, manifests, resolver, self.server):
            if service is not None:
                service.setServiceParent(self)

    def startService(self) -> None:
        """Listen; offer what is closed, when that which a killed agent left is closed, too.

        Raises:
            FolderTaken: another process has these pieces; it would lose what it records.
        """
        self._lock.take()
        super().startService()
        self._tasks = Tasks()
        self._tasks.start(self._begin(), "starting to listen")

    async def _begin(self) -> None:
        try:
            self.streams.recovered = await self._recorder.look()
        except OSError as error:
            _log.error("what was heard before cannot be read: {error}", error=error)
        for service in (self._tide, self._fetcher, self.streams, self.agent):
            service.startService()
        self._tasks.start(every(self._reactor, 1.0, self._recorder.flush), "recording")
        self._tasks.start(every(self._reactor, _SYNC, self.captures.sync), "keeping captures")
        await self._recover()

    async def _recover(self) -> None:
        """Close what a killed agent left, and offer directories: it looks into them first."""
        try:
            await self._recorder.recover()
        except OSError as error:
            _log.error("what was heard before cannot be closed: {error}", error=error)
        self._offering.startService()

    async def _keep(self) -> None:
        try:
            await self.captures.sync()
        except OSError as error:
            _log.error("what was heard last is not durable: {error}", error=error)

    async def stopService(self) -> None:
        """End all pieces and keep them; the threads end last, for what they do is waited for."""
        self._tide.stopService()
        if self.streams.running:
            await self.streams.stopService()
        await self._tasks.stop()
        await self._fetcher.stopService()
        await self._recorder.stop()
        await self._keep()
        if self._offering.running:
            await self._offering.stopService()
        if self.agent.running:
            await self.agent.stopService()
        await super().stopService()
        self._lock.release()
