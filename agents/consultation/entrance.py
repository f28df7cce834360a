"""The way in, as it is configured: doors, tunnels, and TLS of the servers for readers."""

from collections.abc import Callable
from typing import Any

from twisted.application.service import MultiService

from agents.configuration import Configuration, ConfigurationError
from agents.consultation.access.doors import Doors
from agents.consultation.access.keys import Keys
from agents.consultation.access.opening import check_opening, speaks_tls
from agents.consultation.config import ConsultationConfig
from agents.consultation.errors import AuthorityDamaged, ReadersDamaged
from agents.consultation.proxy.authority import authority_of
from agents.consultation.proxy.minting import Mint
from agents.consultation.proxy.pac import OPEN_PATHS, Setup
from agents.consultation.proxy.tunnels import Tunnels
from anet.http import Handler, HttpServer, Limits, Request, guarded
from anet.tasks import Tasks
from anet.workers import Workers

TRYING = 1  # threads that try passwords
TRIES_WAITING = 32


class Entrance(MultiService):
    """What every server for readers has before it.

    Args:
        reactor: which reactor.
        tasks: whose the tries of passwords are.
        configuration: of the whole tree.
        config: of this agent.
        refused: called with each request that was not let in.

    Attributes:
        doors: let readers in.
        tunnels: answer CONNECT.

    Raises:
        ConfigurationError: a file of it cannot be used.
        OSError: the archive's folder cannot be read or written.
    """

    def __init__(
        self,
        reactor: Any,
        tasks: Tasks,
        configuration: Configuration,
        config: ConsultationConfig,
        refused: Callable[[Request], object],
    ) -> None:
        super().__init__()
        self._reactor = reactor
        self._config = config
        self._file = configuration.file
        self._limits = Limits(connections=config.connections, silence=config.silence)
        workers = Workers(reactor, TRYING, TRIES_WAITING, "passwords")
        workers.setServiceParent(self)
        try:
            self._keys = Keys(workers, tasks, configuration.directory)
            self._mint = Mint(authority_of(configuration.directory))
        except (ReadersDamaged, AuthorityDamaged) as error:
            raise ConfigurationError(self._file, 0, "", str(error)) from error
        self.doors = Doors(self._keys, config.credentials, refused)
        self.tunnels = Tunnels(self._mint if config.tls else None)

    def setup(self, proxy: str, listening: Callable[[], str]) -> Setup:
        """Return what gives browsers what they need.

        Args:
            proxy: address where the proxy is to listen.
            listening: tells where it does.
        """
        tls = speaks_tls(self._config.proxy_tls, proxy)
        authority = self._mint.authority if self._config.tls or tls else None
        return Setup(listening, tls, authority)

    def proxy(self, address: str, handler: Handler) -> HttpServer:
        """Return the proxy's server at a `host:port`.

        Raises:
            ConfigurationError: nobody could pass its doors.
        """
        tls = speaks_tls(self._config.proxy_tls, address)
        return self._server("proxy", address, self.doors.guarded(handler), tls)

    def pages(self, name: str, address: str, handler: Handler) -> HttpServer:
        """Return a server of pages, for browsers that need not use the proxy.

        Args:
            name: for errors and the log.
            address: `host:port` where it listens.
            handler: answers who is let in.

        Raises:
            ConfigurationError: nobody could pass its doors.
        """
        behind = self.doors.guarded(handler, OPEN_PATHS)
        tls = speaks_tls(self._config.pages_tls, address)
        return self._server(name, address, guarded(behind, self._config.page_hosts), tls)

    def _server(self, name: str, address: str, handler: Handler, tls: bool) -> HttpServer:
        check_opening(self._config.credentials, address, len(self._keys), self._file)
        return HttpServer(
            self._reactor,
            address,
            handler,
            name=name,
            limits=self._limits,
            tls=self._mint.speaker() if tls else None,
        )
