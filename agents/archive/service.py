"""`twistd archive`: a whole archive on this machine."""

import sys
import time
from typing import Any

from twisted.application.service import IService, MultiService, Service
from twisted.logger import Logger

from agents.archive.checks import port_problems, problems, sharing_problems
from agents.archive.config import ArchiveConfig
from agents.archive.demonstration import website
from agents.archive.errors import ArchiveError, CannotStart
from agents.archive.lock import FolderLock
from agents.archive.pages import ArchivePages
from agents.archive.plan import Program, own_listeners, programs
from agents.archive.sections import section
from agents.archive.supervisor import Supervisor
from agents.configuration import EXIT_STATUS, AgentOptions, Configuration
from anet.clock import keep_steady
from anet.http import HttpServer, guarded
from anet.starting import end

_PORTS_PATIENCE = 15.0  # seconds that agents of a killed archive have to let go of their ports

_log = Logger()


class Options(AgentOptions):
    """Options of `twistd archive`."""

    agent = "archive"
    longdesc = "Starts every agent of an archive on this machine, and keeps them running."


def makeService(options: Options, reactor: Any = None) -> IService:
    """Return the service that runs a whole archive.

    Raises:
        SystemExit: the configuration is refused (status 78), or this machine lacks something
            (status 1); what and how to mend it is on standard error.
    """
    if reactor is None:
        from twisted.internet import reactor
    keep_steady(reactor)
    configuration = options.load()
    config = configuration.section("archive", ArchiveConfig)
    try:
        return archive(reactor, configuration, config)
    except ArchiveError as error:
        sys.stderr.write(f"{error}\n")
        raise SystemExit(1) from None


def archive(reactor: Any, configuration: Configuration, config: ArchiveConfig) -> MultiService:
    """Return the service of a whole archive, once this machine is found fit for it.

    Raises:
        ArchiveError: it is not.
    """
    agents = programs(configuration, config)
    own = own_listeners(configuration, config)
    lock = FolderLock(configuration.directory, configuration.base_port)
    _check(configuration, config, [*agents, *own], lock.left_behind)
    service = MultiService()
    _LockService(reactor, lock).setServiceParent(service)
    refusal = _Refusal(reactor)
    supervisor = Supervisor(reactor, configuration, config, agents, refusal)
    supervisor.setServiceParent(service)
    links = {program.name: program.page for program in own if program.name != "archive"}
    pages = ArchivePages(reactor, supervisor, configuration, links)
    handlers: dict[str, Any] = {"archive": guarded(pages.router()), "demonstration": website()}
    for program in own:
        HttpServer(
            reactor, program.listens["pages"], handlers[program.name], name=program.name
        ).setServiceParent(service)
    return service


def _check(
    configuration: Configuration, config: ArchiveConfig, listeners: list[Program], wait: bool
) -> None:
    """Refuse to start on a machine that lacks something.

    When the last archive in this folder was killed, its agents are ending just now; their ports
    are waited for.

    Raises:
        CannotStart: with a line for each lack.
    """
    node = section(configuration, "storage-node")
    if shared := list(sharing_problems(config.storage_nodes, node)):
        raise CannotStart("\n".join(shared))
    deadline = time.monotonic() + (_PORTS_PATIENCE if wait else 0)
    while any(port_problems(listeners, 0)) and time.monotonic() < deadline:
        time.sleep(0.25)  # no reactor runs yet
    found = problems(configuration.directory, config.free_space, listeners, configuration.base_port)
    if found:
        raise CannotStart("\n".join(found))


class _LockService(Service):
    """Holds the folder's lock for as long as the archive runs."""

    def __init__(self, reactor: Any, lock: FolderLock) -> None:
        self._reactor = reactor
        self._lock = lock

    def startService(self) -> None:
        """Sign the lock: a daemon has another process number than the one that took it."""
        super().startService()
        self._lock.sign()

    def stopService(self) -> None:
        """Let the folder go once everything has stopped; a new archive must not come sooner."""
        super().stopService()
        self._reactor.addSystemEventTrigger("after", "shutdown", self._lock.release)


class _Refusal:
    """Ends the archive when an agent refuses its configuration: no restart would mend that."""

    def __init__(self, reactor: Any) -> None:
        self._reactor = reactor
        self._done = False

    def __call__(self, message: str) -> None:
        if self._done:
            return
        self._done = True
        _log.error("{message}", message=message)
        end(self._reactor, message, EXIT_STATUS)
