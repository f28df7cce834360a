"""`twistd nursery`: forks the site crawlers of this machine (*INA §1.5*).

The zygote that they are forked from is begun in `makeService`, which twistd calls before any
reactor runs; so crawlers share the memory of everything they import, and no reactor, file or lock.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from twisted.application.service import IService, MultiService

from agents.configuration import AgentOptions, Configuration, Port, page_of, private_folder
from agents.crawler.nursery.config import NurseryConfig
from agents.crawler.nursery.keeper import Forks, Full, Keeper
from agents.crawler.nursery.pages import NurseryPages
from agents.machines import NurseryRoom, machine_name
from anet.http import HttpServer, guarded
from anet.nursery import Zygote, run_service
from anet.starting import in_words
from anet.workers import Workers
from hip import Agent, CallRefused, HipError, exposed

KIND = "nursery"
PRELOAD = ("agents.crawler.service",)


class Options(AgentOptions):
    """Options of `twistd nursery`."""

    agent = KIND


@in_words(HipError)
def makeService(options: Options) -> IService:  # noqa: N802 - twistd's name
    """Fork the zygote, and return the nursery that the options describe.

    Raises:
        SystemExit: the configuration or the folder is refused, or the crawler's modules cannot
            be loaded; the message says why.
    """
    configuration = options.load()
    configuration.section(KIND, NurseryConfig)  # refused before anything is forked
    private_folder(configuration.directory / "log")
    zygote = Zygote.begin(run_crawler, preload=PRELOAD, title="dlweb-zygote")

    from twisted.internet import reactor

    return NurseryService(reactor, configuration, options.name, zygote)


def run_crawler(argument: dict[str, Any]) -> None:
    """Be a site crawler: the whole life of a process forked from the zygote.

    Args:
        argument: `name`, `log` (path of the log file), `options` (command line) and `machine`.
    """
    from agents.crawler import service

    def make() -> IService:
        options = service.Options()
        options.parseOptions(argument["options"])
        return service.makeService(options, None, argument["machine"])

    run_service(argument["name"], Path(argument["log"]), make)


def argument_of(configuration: Configuration, name: str) -> Mapping[str, Any]:
    """Return what the crawler of that name is forked with."""
    options = ["--archive", str(configuration.directory)]
    options += ["--base-port", str(configuration.base_port), "--name", name]
    if configuration.path is not None:
        options += ["--config", str(configuration.path)]
    log = configuration.directory / "log" / f"{name}.log"
    machine = machine_name(configuration.section(KIND, NurseryConfig).machine)
    return {"name": name, "log": str(log), "options": options, "machine": machine}


class NurseryMethods:
    """What a nursery answers over HIP."""

    def __init__(self, keeper: Keeper, machine: str) -> None:
        self._keeper, self._machine = keeper, machine

    @exposed(roles=("scheduler",))
    def room(self) -> NurseryRoom:
        """Tell which machine this is, which crawlers are kept, and how many may be."""
        return NurseryRoom(self._machine, list(self._keeper.crawlers), self._keeper.maximum)

    @exposed(roles=("scheduler",))
    def retire(self, crawlers: list[str]) -> None:
        """End site crawlers and fork none in their place, as when the machine is drained.

        What they are doing is abandoned. Without effect for those that are not kept here.
        """
        self._keeper.retire(crawlers)

    @exposed(roles=("scheduler",))
    def fork(self, count: int) -> list[str]:
        """Fork more site crawlers on this machine; return their names. They join by themselves.

        Refused with "full" when that would be more than the configured maximum.
        """
        if count < 1:
            raise CallRefused("bad-count", "ask for one crawler at least")
        try:
            return self._keeper.fork(count)
        except Full as error:
            raise CallRefused("full", str(error)) from None


class NurseryService(MultiService):
    """A nursery: its crawlers, its place on the tree, and its pages.

    Attributes:
        agent: its node of the HIP tree.
        keeper: its crawlers.
        server: its pages.
    """

    def __init__(
        self, reactor: Any, configuration: Configuration, name: str, zygote: Forks
    ) -> None:
        super().__init__()
        config = configuration.section(KIND, NurseryConfig)
        self.keeper = Keeper(
            reactor,
            zygote,
            config,
            lambda crawler: argument_of(configuration, crawler),
            on_lost=reactor.stop,  # whoever started us starts us again, with a new zygote
        )
        self.agent = Agent(
            reactor,
            kind=KIND,
            name=name,
            methods=[NurseryMethods(self.keeper, machine_name(config.machine))],
            security=configuration.security(name),
        )
        scheduler = self.agent.connect(configuration.address(Port.SCHEDULER, config.scheduler))
        workers = Workers(reactor, 1, name="nursery files")
        pages = NurseryPages(
            reactor,
            name,
            self.keeper,
            workers,
            scheduler,
            lambda crawler: page_of(configuration, "site-crawler", crawler),
        )
        address = configuration.address(Port.NURSERY_PAGES, config.pages)
        handler = guarded(pages.router(), [address])
        self.server = HttpServer(reactor, address, handler, name=f"{KIND} pages")
        for service in (self.server, self.agent, workers, self.keeper):
            service.setServiceParent(self)
