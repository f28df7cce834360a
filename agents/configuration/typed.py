"""YAML nodes to values of annotated attrs classes: all is checked before any of it is used.

A field's annotation says its type: `bool`, `int`, `float`, `str`, `pathlib.Path`, `Literal`,
`X | None`, `list[X]`, `tuple[X, ...]`, `dict[str, X]`, or another attrs class. Its attrs
validators say which values are possible; a validator of ours raises ValueError with what it
expected as its text ("an address, host:port").
"""

import math
import re
import types
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import attrs
from yaml.constructor import SafeConstructor
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from agents.configuration.document import describe, entries, is_null, line_of
from agents.configuration.errors import ConfigurationError

T = TypeVar("T")

_SCALARS: dict[Any, tuple[str, set[str]]] = {
    bool: ("true or false", {"bool"}),
    int: ("a whole number", {"int"}),
    float: ("a number", {"int", "float"}),
    str: ("text", {"str"}),
    Path: ("the path of a file or folder", {"str"}),
}
_CONSTRUCTOR = SafeConstructor()
HIDDEN = "hidden"  # key of the metadata of a field whose value no message shows
_UNSHOWN = "what is not shown here"


class Reader:
    """Reads the nodes of one file as values.

    Args:
        file: its name, for error messages.
    """

    def __init__(self, file: str) -> None:
        self.file = file

    def instance(self, node: Node, cls: type[T], key: str) -> T:
        """Return an attrs class's instance from a mapping; what the mapping lacks has its default.

        Raises:
            ConfigurationError: an unknown key, a wrong type, or an impossible value.
        """
        if is_null(node):
            node = MappingNode("tag:yaml.org,2002:map", [], node.start_mark, node.end_mark)
        if not isinstance(node, MappingNode):
            raise self._error(node, key, f"expected keys with values, found {describe(node)}")
        hints = get_type_hints(cls)
        hidden = {field.name for field in _fields(cls) if field.metadata.get(HIDDEN)}
        names = {field.name: field.alias or field.name for field in _fields(cls)}
        values: dict[str, Any] = {}
        nodes: dict[str, Node] = {}
        for name, key_node, value_node in entries(node, self.file, key):
            if name not in names:
                raise unknown_key(self.file, line_of(key_node), key, name, list(names))
            read = self._hidden if name in hidden else self.value
            values[names[name]] = read(value_node, hints[name], join(key, name))
            nodes[names[name]] = value_node
        return self._construct(node, cls, key, values, nodes)

    def value(self, node: Node, annotation: Any, key: str) -> Any:
        """Return the value of a node as its annotation wants it.

        Raises:
            ConfigurationError: it is of another type, or an impossible value.
        """
        if attrs.has(annotation):
            return self.instance(node, annotation, key)
        if annotation in _SCALARS:
            return self._scalar(node, annotation, key)
        origin, arguments = get_origin(annotation), get_args(annotation)
        if origin in (Union, types.UnionType):
            return self._union(node, arguments, key)
        if origin is Literal:
            return self._literal(node, arguments, key)
        if origin in (list, tuple):
            items = self._items(node, arguments[0], key)
            return items if origin is list else tuple(items)
        if origin is dict:
            return self._dictionary(node, arguments[1], key)
        raise TypeError(f"{key}: a configuration cannot hold {annotation!r}")

    def _hidden(self, node: Node, annotation: Any, key: str) -> Any:
        """Return the value of a node that no message may show."""
        try:
            return self.value(node, annotation, key)
        except ConfigurationError:
            raise self._error(node, key, f"expected text in quotes, found {_UNSHOWN}") from None

    def _scalar(self, node: Node, kind: type, key: str) -> Any:
        expected, tags = _SCALARS[kind]
        if not isinstance(node, ScalarNode) or node.tag.rpartition(":")[2] not in tags:
            hint = "; put it in quotes" if kind is str and isinstance(node, ScalarNode) else ""
            raise self._error(node, key, f"expected {expected}, found {describe(node)}{hint}")
        try:
            value = _read_scalar(node, kind)
        except (ValueError, OverflowError):
            raise self._error(node, key, f"expected {expected}, found {describe(node)}") from None
        if isinstance(value, float) and not math.isfinite(value):
            raise self._error(node, key, f"expected a finite number, found {node.value}")
        return value

    def _union(self, node: Node, choices: tuple[Any, ...], key: str) -> Any:
        if is_null(node) and types.NoneType in choices:
            return None
        first: ConfigurationError | None = None
        for choice in choices:
            if choice is types.NoneType:
                continue
            try:
                return self.value(node, choice, key)
            except ConfigurationError as error:
                first = first or error
        raise first or self._error(node, key, f"expected nothing, found {describe(node)}")

    def _literal(self, node: Node, choices: tuple[Any, ...], key: str) -> Any:
        for choice in choices:
            if isinstance(node, ScalarNode) and node.value == str(choice):
                return choice
        expected = ", ".join(repr(choice) for choice in choices)
        raise self._error(node, key, f"expected one of {expected}; found {describe(node)}")

    def _items(self, node: Node, annotation: Any, key: str) -> list[Any]:
        if not isinstance(node, SequenceNode):
            raise self._error(node, key, f"expected a list, found {describe(node)}")
        return [
            self.value(item, annotation, f"{key}[{index}]") for index, item in enumerate(node.value)
        ]

    def _dictionary(self, node: Node, annotation: Any, key: str) -> dict[str, Any]:
        if not isinstance(node, MappingNode):
            raise self._error(node, key, f"expected keys with values, found {describe(node)}")
        return {
            name: self.value(value_node, annotation, join(key, name))
            for name, _, value_node in entries(node, self.file, key)
        }

    def _construct(
        self, node: Node, cls: type[T], key: str, values: dict[str, Any], nodes: dict[str, Node]
    ) -> T:
        required = [
            field.alias or field.name for field in _fields(cls) if field.default is attrs.NOTHING
        ]
        for name in required:
            if name not in values:
                raise self._error(node, join(key, name), "expected a value, found none")
        always = {name: values[name] for name in required}
        try:
            return cls(**values)
        except (ValueError, TypeError) as error:
            for name, value in values.items():
                try:
                    cls(**(always | {name: value}))
                except (ValueError, TypeError) as blamed:
                    found = describe(nodes[name])
                    if any(field.metadata.get(HIDDEN) for field in _fields(cls)
                           if name in (field.alias, field.name)):  # fmt: skip
                        found = _UNSHOWN
                    message = f"expected {_expectation(blamed)}, found {found}"
                    raise self._error(nodes[name], join(key, name), message) from None
            raise self._error(node, key, f"expected {_expectation(error)}") from None

    def _error(self, node: Node, key: str, message: str) -> ConfigurationError:
        return ConfigurationError(self.file, line_of(node), key, message)


def unknown_key(
    file: str, line: int, section: str, name: str, known: list[str]
) -> ConfigurationError:
    """Return the error for a key that nobody knows, with the likeliest one meant."""
    close = get_close_matches(name, known, n=1)
    hint = f"did you mean {close[0]}?" if close else f"expected one of {', '.join(sorted(known))}"
    return ConfigurationError(file, line, join(section, name), f"unknown key; {hint}")


def join(section: str, name: str) -> str:
    """Return the full name of a key of a section; the top of the file has no name."""
    return f"{section}.{name}" if section else name


def _fields(cls: Any) -> list["attrs.Attribute[Any]"]:
    return [field for field in attrs.fields(cls) if field.init]


def _read_scalar(node: ScalarNode, kind: type) -> Any:
    if kind is bool:
        return _CONSTRUCTOR.construct_yaml_bool(node)
    if kind is int:
        return _CONSTRUCTOR.construct_yaml_int(node)
    if kind is float:
        return float(_CONSTRUCTOR.construct_yaml_float(node))
    return kind(node.value)


def _expectation(error: Exception) -> str:
    """Return what a validator expected: its text, or the heart of one of attrs' own."""
    text = str(error.args[0]) if error.args else str(error)
    if heart := re.fullmatch(r"'\w+' must be (.*?)(?:: | \(got ).*", text, re.DOTALL):
        return f"a value {heart[1]}"
    return text
