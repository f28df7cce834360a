"""YAML, for agents of other languages, and for every greeting.

What is written reads the same in YAML 1.1 and 1.2: JSON, but for two tags (`!!binary`,
`!!timestamp`) and three floats (`.inf`, `-.inf`, `.nan`). What is read is the part of YAML that
both versions understand alike; all else that is not quoted (`yes`, `0o17`, `12:30`, `2026-11-21`)
is text. Anchors, aliases and other tags are refused: they multiply, or make objects.
"""

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from math import inf, isfinite, nan
from typing import Any

import msgspec
import yaml

from hip.codecs.codec import DEPTH, INTEGER_BITS, is_key, refuse
from hip.errors import CannotCarry
from hip.messages import Message

_Parser: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TAG = "tag:yaml.org,2002:"
_BUILTIN = (bytes, bytearray, memoryview, datetime)  # what msgspec need not make plainer
_DIGITS = len(str(-(2**INTEGER_BITS)))
_SHORT_KEY = 1000  # characters; YAML wants a mark before a key that has more than 1,024
# What ends a line in YAML, and the directive that libyaml takes ever longer to read.
_TAG_DIRECTIVE = re.compile(b"(?:^|[\r\n]|\xc2\x85|\xe2\x80[\xa8\xa9])%TAG")
# Characters that JSON leaves as they are and YAML takes only escaped.
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_NULLS = {"", "~", "null", "Null", "NULL"}
_BOOLEANS = {"true": True, "True": True, "TRUE": True}
_BOOLEANS |= {"false": False, "False": False, "FALSE": False}
_ENDLESS = {".inf": inf, "+.inf": inf, "-.inf": -inf, ".nan": nan}
_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_FLOAT = re.compile(r"[-+]?([0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))([eE][-+]?[0-9]+)?")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[-+]\d\d:\d\d)")


class YamlCodec:
    """The serializer that every agent speaks."""

    name = "yaml"

    def encode(self, value: object) -> bytes:
        """Return the bytes of a value."""
        return _encode(value, 0)

    def decode(self, data: bytes | memoryview, kind: Any = Any) -> Any:
        """Return the value of bytes, as one of `kind`."""
        try:
            value = _Builder(bytes(data)).document()
            return value if kind is Any else msgspec.convert(value, kind)
        except (yaml.YAMLError, ValueError, TypeError, OverflowError, RecursionError) as error:
            raise refuse("not a YAML value that HIP knows", error) from None

    def reader(self, kind: Any) -> Callable[[bytes | memoryview], Any]:
        """Return what decodes values of `kind`."""
        return partial(self.decode, kind=kind)

    def begin(self, buffer: bytearray, kind: str) -> None:
        """Write the beginning of a frame."""
        buffer += b'["%s", [' % kind.encode()

    def add(self, buffer: bytearray, message: Message) -> None:
        """Write one message, on a line of its own."""
        buffer += _encode(message, 2) + b",\n"

    def end(self, buffer: bytearray, start: int, kind: str, count: int) -> None:
        """Write the end of a frame; YAML takes the comma after the last message."""
        buffer += b"]]"


def _encode(value: object, depth: int) -> bytes:
    try:
        plain = msgspec.to_builtins(value, builtin_types=_BUILTIN, str_keys=False)
        return _text(plain, depth).encode()
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise CannotCarry(f"YAML cannot carry this value: {error}") from None


def _text(value: Any, depth: int) -> str:
    """Return a value made of plain types as YAML.

    Raises:
        ValueError: it is nested too deep, or has an integer or a key that HIP does not know.
    """
    match value:
        case str():
            quoted = json.dumps(value, ensure_ascii=False)
            return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", quoted)
        case dict() | list() | tuple() if depth >= DEPTH:
            raise ValueError(f"nested more than {DEPTH} deep")
        case dict():
            pairs = (f"{_key(key)}: {_text(part, depth + 1)}" for key, part in value.items())
            return "{" + ", ".join(pairs) + "}"
        case list() | tuple():
            return "[" + ", ".join(_text(part, depth + 1) for part in value) + "]"
        case None | bool():
            return json.dumps(value)
        case int():
            if value.bit_length() >= INTEGER_BITS:
                raise ValueError(f"an integer of more than {INTEGER_BITS} bits")
            return str(value)
        case float():
            return _float(value)
        case bytes() | bytearray() | memoryview():
            return f'!!binary "{b64encode(value).decode()}"'
    return _moment(value)


def _key(key: Any) -> str:
    if not is_key(key):
        raise ValueError(f"{key!r:.40} is no key: use text, bytes, or an integer of 64 bits")
    text = _text(key, 0)
    return text if len(text) <= _SHORT_KEY else f"? {text} "


def _float(value: float) -> str:
    if not isfinite(value):
        return ".nan" if value != value else ".inf" if value > 0 else "-.inf"
    text = repr(value)
    return text if "." in text else text.replace("e", ".0e")  # YAML 1.1 wants the point


def _moment(value: datetime) -> str:
    if value.tzinfo is None:
        return f'"{value.isoformat()}"'  # no moment, since it has no zone, but text
    text = value.astimezone(UTC).replace(tzinfo=None).isoformat()
    return f'!!timestamp "{text}Z"'


class _Builder:
    """Makes a value of the events of libyaml's parser, in one pass and within limits."""

    def __init__(self, data: bytes) -> None:
        if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
            raise ValueError("it is not UTF-8")
        if b"%TAG" in data and _TAG_DIRECTIVE.search(data):
            raise ValueError("%TAG directives are not accepted")
        self._parser = _Parser(data)
        self._next = self._parser.get_event

    def document(self) -> Any:
        """Return the one value of the text.

        Raises:
            yaml.YAMLError: it is no YAML.
            ValueError: it is YAML that HIP does not take.
        """
        try:
            self._next()  # the stream begins
            if not isinstance(self._next(), yaml.DocumentStartEvent):
                raise ValueError("it is empty")
            value = self._value(self._next(), 0)
            self._next()  # the document ends
            if not isinstance(self._next(), yaml.StreamEndEvent):
                raise ValueError("it is more than one document")
            return value
        finally:
            self._parser.dispose()

    def _value(self, event: Any, depth: int) -> Any:
        if isinstance(event, yaml.AliasEvent) or event.anchor is not None:
            raise ValueError("anchors and aliases are not accepted")
        if isinstance(event, yaml.ScalarEvent):
            return _scalar(event)
        if depth >= DEPTH:
            raise ValueError(f"nested more than {DEPTH} deep")
        if isinstance(event, yaml.SequenceStartEvent):
            _expect(event.tag, "seq")
            return self._list(depth + 1)
        _expect(event.tag, "map")
        return self._mapping(depth + 1)

    def _list(self, depth: int) -> list[Any]:
        values = []
        while not isinstance(event := self._next(), yaml.SequenceEndEvent):
            values.append(self._value(event, depth))
        return values

    def _mapping(self, depth: int) -> dict[Any, Any]:
        mapping: dict[Any, Any] = {}
        while not isinstance(event := self._next(), yaml.MappingEndEvent):
            if not isinstance(event, yaml.ScalarEvent):
                raise ValueError("a key is neither a list nor a mapping")
            key = self._value(event, depth)
            if not is_key(key):
                raise ValueError("a key is text, bytes, or an integer of 64 bits")
            if key in mapping:
                raise ValueError(f"the key {str(key)[:40]!r} is there twice")
            mapping[key] = self._value(self._next(), depth)
        return mapping


def _expect(tag: str | None, kind: str) -> None:
    if tag not in (None, "!", _TAG + kind):
        raise ValueError(f"the tag {tag[:60] if tag else tag!r} is not accepted")


def _scalar(event: Any) -> Any:
    text, tag = event.value, event.tag
    if tag is None:
        return _plain(text) if event.implicit[0] else text
    read = _READERS.get(tag)
    if read is None:
        raise ValueError(f"the tag {tag[:60]!r} is not accepted")
    return read(text)


def _plain(text: str) -> Any:
    """Return what a scalar without quotes means."""
    if text in _NULLS:
        return None
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    if _INTEGER.fullmatch(text):
        return _read_integer(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    return _ENDLESS.get(text.lower(), text)


def _read_integer(text: str) -> int:
    if len(text) <= _DIGITS and _INTEGER.fullmatch(text):
        value = int(text)
        if value.bit_length() < INTEGER_BITS:
            return value
    raise ValueError(f"{text[:40]!r} is no integer of up to {INTEGER_BITS} bits")


def _read_float(text: str) -> float:
    return _ENDLESS[text.lower()] if text.lower() in _ENDLESS else float(text)


def _read_other(text: str) -> Any:
    value = _plain(text)
    if value is not None and not isinstance(value, bool):
        raise ValueError(f"{text[:40]!r} is neither null nor a boolean")
    return value


def _read_moment(text: str) -> datetime:
    if not _MOMENT.fullmatch(text):
        raise ValueError(f"{text[:40]!r} is no moment: write 2026-11-21T10:25:51.123456Z")
    return datetime.fromisoformat(text).astimezone(UTC)


_READERS: dict[str, Any] = {
    "!": str,
    _TAG + "str": str,
    _TAG + "int": _read_integer,
    _TAG + "float": _read_float,
    _TAG + "bool": _read_other,
    _TAG + "null": _read_other,
    _TAG + "binary": lambda text: b64decode("".join(text.split()), validate=True),
    _TAG + "timestamp": _read_moment,
}
