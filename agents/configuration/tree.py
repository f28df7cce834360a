"""The configuration of a whole tree: the keys at the top of the file, and a section an agent."""

from pathlib import Path
from typing import Any, TypeVar

from attrs import field, fields, frozen, validators
from yaml.nodes import MappingNode, Node

from agents.configuration import ports
from agents.configuration.document import compose, entries, line_of
from agents.configuration.errors import ConfigurationError
from agents.configuration.security import SecurityConfig
from agents.configuration.typed import Reader, unknown_key
from hip import Security

T = TypeVar("T")

SECTIONS = (
    "security",
    "archive",
    "scheduler",
    "nursery",
    "site-crawler",
    "connectivity",
    "feed-aggregator",
    "streaming",
    "storage-master",
    "index-node",
    "storage-node",
    "consultation",
)


@frozen
class TopConfig:
    """The keys at the top of the file.

    Attributes:
        directory: the archive's folder; taken from the folder the command was started in.
        base_port: the first of the hundred ports that the archive listens on.
        insecure: whether HIP, and HTTP with storage nodes, may go without TLS beyond this machine.
    """

    directory: Path = Path("var")
    base_port: int = field(
        default=7100, validator=[validators.ge(1024), validators.le(65536 - ports.SPAN)]
    )
    insecure: bool = False


class Configuration:
    """One configuration file, checked as far as anybody has asked for its sections.

    Attributes:
        directory: the archive's folder, absolute.
        base_port: the first of the hundred ports.
        insecure: whether HIP, and HTTP with storage nodes, may go without TLS beyond this machine.
        file: the file's name for error messages.
        path: the file, or None when all is default.
        sections: the YAML of each section that the file has.
    """

    FIELDS = ("directory", "base_port", "insecure", "file", "path", "sections")

    def __init__(
        self,
        directory: Path,
        base_port: int,
        insecure: bool = False,
        file: str = "defaults",
        path: Path | None = None,
        sections: dict[str, Node] | None = None,
    ) -> None:
        self.directory = directory
        self.base_port = base_port
        self.insecure = insecure
        self.file = file
        self.path = path
        self.sections = sections or {}

    def section(self, name: str, cls: type[T], *, partly: bool = False) -> T:
        """Return a section as an instance of its class; one the file lacks is all defaults.

        Args:
            name: of the section.
            cls: what it says, as far as this is wanted.
            partly: whether other keys are left to the agent whose section it is.

        Raises:
            ConfigurationError: an unknown key, a wrong type, or an impossible value.
            KeyError: no agent has a section of this name.
        """
        if name not in SECTIONS:
            raise KeyError(name)
        node = self.sections.get(name)
        if partly and isinstance(node, MappingNode):
            node = _only(node, {one.name for one in fields(cls)})  # type: ignore[arg-type]
        return cls() if node is None else Reader(self.file).instance(node, cls, name)

    def security(self, name: str) -> Security:
        """Return what guards the HIP links of the agent of that name.

        Raises:
            ConfigurationError: the section `security` is refused.
        """
        return self.section("security", SecurityConfig).of_agent(name, self.insecure)

    def address(self, offset: int, override: str | None = None) -> str:
        """Return the "host:port" at an offset (see `ports.Port`), or the one configured."""
        return ports.address(self.base_port, offset, override)


def load(
    path: str | Path | None = None,
    *,
    directory: str | Path | None = None,
    base_port: int | str | None = None,
) -> Configuration:
    """Read a configuration file; the sections are checked when an agent asks for them.

    Args:
        path: the YAML file; None is the same as an empty file.
        directory: stands instead of the file's `directory`.
        base_port: stands instead of the file's `base_port`.

    Raises:
        ConfigurationError: the file cannot be read or is not YAML, a key at its top is unknown,
            of a wrong type, or impossible.
    """
    file = str(path) if path is not None else "defaults"
    mapping = compose(_read(path, file), file)
    top, sections = _split(mapping, file)
    keys = Reader(file).instance(top, TopConfig, "")
    folder = Path(directory) if directory else keys.directory
    return Configuration(
        directory=folder.expanduser().absolute(),
        base_port=keys.base_port if base_port is None else _base_port(base_port),
        insecure=keys.insecure,
        file=file,
        path=Path(path).absolute() if path is not None else None,
        sections=sections,
    )


def _split(mapping: MappingNode, file: str) -> tuple[MappingNode, dict[str, Node]]:
    """Return the keys at the top, and the sections by name."""
    known = [*TopConfig.__annotations__, *SECTIONS]
    top: list[tuple[Node, Node]] = []
    sections: dict[str, Node] = {}
    for name, key_node, value_node in entries(mapping, file):
        if name not in known:
            raise unknown_key(file, line_of(key_node), "", name, known)
        if name in SECTIONS:
            sections[name] = value_node
        else:
            top.append((key_node, value_node))
    return MappingNode(mapping.tag, top, mapping.start_mark, mapping.end_mark), sections


def _read(path: str | Path | None, file: str) -> str:
    if path is None:
        return ""
    try:
        return Path(path).read_text("utf-8")
    except UnicodeDecodeError as error:
        raise ConfigurationError(file, 0, "", f"expected UTF-8 text, found {error}") from None
    except OSError as error:
        raise ConfigurationError(
            file, 0, "", f"expected a file that can be read: {error.strerror}"
        ) from None


def _base_port(value: Any) -> int:
    """Return the base port of a command line."""
    try:
        return TopConfig(base_port=int(value)).base_port
    except ValueError:
        raise ConfigurationError(
            "--base-port",
            0,
            "",
            f"expected a whole number from 1024 to {65536 - ports.SPAN}, found {value!r}",
        ) from None


def _only(section: MappingNode, names: set[str]) -> MappingNode:
    """Return some keys of a section."""
    some = [pair for pair in section.value if pair[0].value in names]
    return MappingNode(section.tag, some, section.start_mark, section.end_mark)
