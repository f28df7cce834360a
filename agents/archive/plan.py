"""Which agents a whole archive has, how each is started, and where it listens."""

from collections.abc import Iterator

from attrs import frozen

from agents.archive.config import ArchiveConfig
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
    def program(name: str, plugin: str, **offsets: int) -> Program:
        return Program(
            name, plugin, {what: configuration.address(at) for what, at in offsets.items()}
        )

    yield program("scheduler", "scheduler", hip=Port.SCHEDULER, pages=Port.SCHEDULER_PAGES)
    yield program(
        "storage-master",
        "storage-master",
        hip=Port.STORAGE_MASTER,
        pages=Port.STORAGE_MASTER_PAGES,
    )
    yield program("index-1", "index-node", hip=Port.INDEX_NODE, pages=Port.INDEX_NODE_PAGES)
    for number in range(1, config.storage_nodes + 1):
        yield program(f"storage-{number}", "storage-node", pages=storage_node(number))
    yield program("connectivity", "connectivity", pages=Port.CONNECTIVITY_PAGES)
    yield program("nursery", "nursery", pages=Port.NURSERY_PAGES)
    yield program("consultation", "consultation", proxy=Port.PROXY, pages=Port.CONSULTATION_PAGES)
