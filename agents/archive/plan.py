"""Which agents a whole archive has, how each is started, and where it listens."""

from collections.abc import Iterator

from attrs import frozen

from agents.archive.config import ArchiveConfig
from agents.archive.sections import section
from agents.configuration import Configuration, Port, storage_node


@frozen
class Program:
    """One agent of the archive, as a program to run.

    Attributes:
        name: the agent's name on the tree, and of its log file.
        plugin: the twistd plugin that it is.
        listens: where it listens, "host:port" by what is there ("pages", "hip", "proxy").
    """

    name: str
    plugin: str
    listens: dict[str, str]

    @property
    def page(self) -> str:
        """Address of its monitoring page."""
        return f"http://{self.listens['pages']}/"

    def arguments(self, configuration: Configuration) -> list[str]:
        """Return the command line, from the plugin's name on."""
        arguments = [self.plugin]
        if configuration.path is not None:
            arguments += ["--config", str(configuration.path)]
        arguments += ["--archive", str(configuration.directory)]
        arguments += ["--base-port", str(configuration.base_port)]
        return [*arguments, "--name", self.name]


def programs(configuration: Configuration, config: ArchiveConfig) -> list[Program]:
    """Return the agents in the order they are best started; none of them needs it."""
    return list(_programs(configuration, config))


def _programs(configuration: Configuration, config: ArchiveConfig) -> Iterator[Program]:
    def program(name: str, plugin: str, **listens: tuple[int, str]) -> Program:
        settings = section(configuration, plugin)
        addresses = {
            what: configuration.address(offset, getattr(settings, key))
            for what, (offset, key) in listens.items()
        }
        return Program(name, plugin, addresses)

    yield program(
        "scheduler",
        "scheduler",
        hip=(Port.SCHEDULER, "address"),
        pages=(Port.SCHEDULER_PAGES, "pages"),
    )
    yield program(
        "storage-master",
        "storage-master",
        hip=(Port.STORAGE_MASTER, "hip"),
        pages=(Port.STORAGE_MASTER_PAGES, "pages"),
    )
    yield program(
        "index-1",
        "index-node",
        hip=(Port.INDEX_NODE, "hip"),
        pages=(Port.INDEX_NODE_PAGES, "pages"),
    )
    for number in range(1, config.storage_nodes + 1):
        yield program(f"storage-{number}", "storage-node", pages=(storage_node(number), "address"))
    yield program("connectivity", "connectivity", pages=(Port.CONNECTIVITY_PAGES, "pages"))
    yield program("nursery", "nursery", pages=(Port.NURSERY_PAGES, "pages"))
    if config.feed_aggregator:
        yield program(
            "feed-aggregator", "feed-aggregator", pages=(Port.FEED_AGGREGATOR_PAGES, "pages")
        )
    if config.streaming:
        yield program("streaming", "streaming", pages=(Port.STREAMING_PAGES, "pages"))
    yield program(
        "consultation",
        "consultation",
        proxy=(Port.PROXY, "proxy"),
        pages=(Port.CONSULTATION_PAGES, "pages"),
        replay=(Port.REPLAY, "replay"),
    )


def own_listeners(configuration: Configuration, config: ArchiveConfig) -> list[Program]:
    """Return what the supervisor itself serves: its pages, and the demonstration website."""
    own = [("archive", Port.ARCHIVE_PAGES, config.pages)]
    if config.demonstration:
        own.append(("demonstration", Port.DEMONSTRATION, config.demonstration_address))
    return [
        Program(name, "archive", {"pages": configuration.address(offset, override)})
        for name, offset, override in own
    ]


def addresses(configuration: Configuration, config: ArchiveConfig) -> tuple[str, str]:
    """Return where the scheduler speaks HIP, and where the supervisor's pages are."""
    scheduler = next(_programs(configuration, config))
    return scheduler.listens["hip"], own_listeners(configuration, config)[0].listens["pages"]
