"""All ways to what the storage nodes hold, as they are configured."""

from typing import Any

from twisted.application.service import MultiService
from twisted.logger import Logger

from agents.configuration import Configuration, http_client, pipelined_client, secret
from agents.consultation.access.rules import Rules
from agents.consultation.config import ConsultationConfig
from agents.consultation.harbor.listing import Listings
from agents.consultation.lookup.index import IndexNode
from agents.consultation.lookup.locators import AutoLocator, IndexLocator, Locator, MulticastLocator
from agents.consultation.lookup.remembered import Remembered
from agents.consultation.lookup.retrieval import Retrieval
from agents.consultation.lookup.structures import Structures
from agents.consultation.lookup.url_rules import read_rules
from agents.consultation.urls.service import Urls
from anet.errors import AnetError
from anet.multicast import MulticastLocator as Multicast
from anet.tasks import Tasks
from hip import Link

NODE_CONNECTIONS = 64  # to one storage node at once
CONNECT_TIMEOUT = 3.0  # seconds after which the next storage node is tried
BACKED_PATIENCE = 0.1  # seconds for multicast, where the index node makes good its silence

_log = Logger()


class Looking(MultiService):
    """Looks captures, contents and URLs up.

    Args:
        reactor: which reactor.
        name: of this agent.
        configuration: of the whole tree.
        config: of this agent.
        rules: what may not be shown.
        index: the link to an index node.

    Attributes:
        locator: where files lie.
        retrieval: from a URL and a date to the bytes.
        urls: the index of archived URLs, which follows the nodes.
        listings: lists of archived URLs.
    """

    def __init__(
        self,
        reactor: Any,
        name: str,
        configuration: Configuration,
        config: ConsultationConfig,
        rules: Rules,
        index: Link,
    ) -> None:
        super().__init__()
        self._reactor, self._config = reactor, config
        self._tasks = Tasks()
        security = configuration.security(name)
        connecting = min(CONNECT_TIMEOUT, config.node_timeout)
        client = http_client(
            reactor,
            security,
            connections=NODE_CONNECTIONS,
            connect_timeout=connecting,
            response_timeout=config.node_timeout,
        )
        quick = pipelined_client(
            reactor, security, connect_timeout=connecting, silence=config.node_timeout
        )
        self._index = IndexNode(reactor, index, config.index_timeout)
        groups = config.groups(configuration.base_port, secret(configuration.directory))
        self._multicast = Multicast(reactor, groups)
        self.locator = self._locator()
        self.urls = Urls(
            reactor,
            config.url_index or configuration.directory / name,
            read_rules(config.url_rules),
            rules,
            self._index.nodes,
            client,
            config.url_index_period,
        )
        self.retrieval = Retrieval(
            Remembered(reactor, self.locator),
            Structures(client, quick),
            client,
            rules,
            secure_as_plain=config.secure_as_plain,
            alike=self.urls.index.alike,
        )
        self.listings = Listings(client, self._index.nodes, self.urls.index)
        for service in (client, quick, self.urls):
            service.setServiceParent(self)

    def _locator(self) -> Locator:
        index = IndexLocator(self._index.find)
        patience = self._config.lookup_timeout
        if self._config.lookup == "multicast":
            return MulticastLocator(self._multicast, patience)
        if self._config.lookup == "index":
            return index
        multicast = MulticastLocator(self._multicast, min(patience, BACKED_PATIENCE))
        return AutoLocator(self._reactor, self._tasks, multicast, index)

    def startService(self) -> None:
        """Listen for answers by multicast, where that is wanted and possible."""
        if self._config.lookup != "index":
            try:
                self._multicast.startService()
            except (OSError, AnetError) as error:
                _log.warn("no lookup by multicast here: {error}", error=error)
        super().startService()

    async def stopService(self) -> None:
        """Let go of the nodes."""
        await self._tasks.stop()
        await super().stopService()
        if self._multicast.running:
            await self._multicast.stopService()
