"""YAML text to nodes that remember their lines, within limits and with no surprises.

Refused: files over the size limit, nesting over the depth limit, aliases (a few lines of which
can stand for gigabytes), the same key twice, several documents, and text that is not YAML.
"""

from collections.abc import Iterator

import yaml
from yaml.events import AliasEvent, CollectionEndEvent, CollectionStartEvent, Event
from yaml.nodes import MappingNode, Node, ScalarNode

from agents.configuration.errors import ConfigurationError

SIZE_LIMIT = 256 * 1024  # characters
DEPTH_LIMIT = 12  # collections within collections


def compose(text: str, file: str) -> MappingNode:
    """Return the top mapping of a YAML text; an empty text is an empty mapping.

    Args:
        text: the YAML text.
        file: the name of its file, for error messages.

    Raises:
        ConfigurationError: the text is not YAML, or is past a limit.
    """
    if len(text) > SIZE_LIMIT:
        raise ConfigurationError(
            file, 0, "", f"expected at most {SIZE_LIMIT:,} characters, found {len(text):,}"
        )
    try:
        _check_shape(text, file)
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 0
        raise ConfigurationError(
            file, line, "", f"expected YAML, found an error: {error.problem or error.context}"
        ) from None
    except yaml.YAMLError as error:  # a character that no YAML text may hold
        summary = str(error).splitlines()[0]
        raise ConfigurationError(file, 0, "", f"expected YAML, found {summary}") from None
    if node is None or is_null(node):
        return MappingNode("tag:yaml.org,2002:map", [])
    if not isinstance(node, MappingNode):
        raise ConfigurationError(
            file, line_of(node), "", f"expected keys with values, found {describe(node)}"
        )
    return node


def entries(mapping: MappingNode, file: str, section: str = "") -> Iterator[tuple[str, Node, Node]]:
    """Yield (key, node of the key, node of the value) of a mapping, in the file's order.

    Raises:
        ConfigurationError: a key is not text, or is there twice.
    """
    seen: dict[str, int] = {}
    for key_node, value_node in mapping.value:
        if not isinstance(key_node, ScalarNode):
            raise ConfigurationError(
                file, line_of(key_node), section, f"expected a key, found {describe(key_node)}"
            )
        key = str(key_node.value)
        if key in seen:
            raise ConfigurationError(
                file,
                line_of(key_node),
                f"{section}.{key}" if section else key,
                f"expected each key once, found it again (first on line {seen[key]})",
            )
        seen[key] = line_of(key_node)
        yield key, key_node, value_node


def line_of(node: Node) -> int:
    """Return the line of a node, from 1; 0 for a node that no file holds."""
    return node.start_mark.line + 1 if node.start_mark else 0


def is_null(node: Node) -> bool:
    """Tell whether a node is an empty value (`key:`, `key: ~`, `key: null`)."""
    return isinstance(node, ScalarNode) and node.tag == "tag:yaml.org,2002:null"


def describe(node: Node) -> str:
    """Say in a few words what a node is, for an error message."""
    if isinstance(node, MappingNode):
        return "keys with values"
    if not isinstance(node, ScalarNode):
        return "a list"
    if is_null(node):
        return "nothing"
    shown = node.value if len(node.value) <= 40 else node.value[:40] + "…"
    match node.tag.rpartition(":")[2]:
        case "str":
            return f"the text {shown!r}"
        case "int" | "float":
            return f"the number {shown}"
        case kind:
            return f"the {kind} {shown}"


def _line(event: Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 0


def _check_shape(text: str, file: str) -> None:
    """Refuse what would cost too much to compose, one event at a time."""
    depth = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        if isinstance(event, CollectionStartEvent):
            depth += 1
        elif isinstance(event, CollectionEndEvent):
            depth -= 1
        if depth > DEPTH_LIMIT:
            raise ConfigurationError(
                file,
                _line(event),
                "",
                f"expected at most {DEPTH_LIMIT} levels of nesting, found more",
            )
        if isinstance(event, AliasEvent):
            raise ConfigurationError(
                file,
                _line(event),
                "",
                f"expected values, found the alias *{event.anchor}",
            )
