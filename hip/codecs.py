"""The two serializers: MessagePack between agents of one language, YAML for any other.

Both carry None, booleans, integers, floats, text, bytes, lists and dictionaries; attrs values
go as dictionaries.
"""

from typing import Any, Protocol

import msgpack
import msgspec
import yaml

from hip.errors import ProtocolError, TooLarge

DEPTH = 100  # levels of nesting

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_Dumper: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


class Codec(Protocol):
    """Turns values into bytes and back.

    Attributes:
        name: as the greeting offers it.
    """

    name: str

    def encode(self, value: object) -> bytes:
        """Return the bytes of a value.

        Raises:
            TooLarge: the value has a part that the codec cannot carry.
        """

    def decode(self, data: bytes) -> Any:
        """Return the value of bytes from a peer that is not trusted.

        Raises:
            ProtocolError: they are not one value.
        """


def plain(value: object) -> Any:
    """Return a value made of the types that both codecs carry.

    Raises:
        TypeError: a part of it has no such form.
    """
    return msgspec.to_builtins(value, builtin_types=(bytes,), str_keys=False)


class MessagePackCodec:
    """The native serializer."""

    name = "msgpack"

    def encode(self, value: object) -> bytes:
        """Return the bytes of a value."""
        try:
            packed: bytes = msgpack.packb(value, default=plain)
        except (TypeError, ValueError, OverflowError, RecursionError) as error:
            raise TooLarge(f"MessagePack cannot carry this value: {error}") from None
        return packed

    def decode(self, data: bytes) -> Any:
        """Return the value of bytes."""
        try:
            return msgpack.unpackb(data, strict_map_key=False)
        except (ValueError, TypeError, msgpack.UnpackException, RecursionError) as error:
            words = str(error)[:200] or type(error).__name__
            raise ProtocolError(f"not a MessagePack value: {words}") from None


class YamlCodec:
    """The serializer for agents of other languages, and of every greeting."""

    name = "yaml"

    def encode(self, value: object) -> bytes:
        """Return the bytes of a value."""
        try:
            text: bytes = yaml.dump(
                plain(value),
                Dumper=_NoAliases,
                encoding="utf-8",
                allow_unicode=True,
                sort_keys=False,
            )
        except (yaml.YAMLError, TypeError, ValueError, RecursionError) as error:
            raise TooLarge(f"YAML cannot carry this value: {error}") from None
        return text

    def decode(self, data: bytes) -> Any:
        """Return the value of bytes; anchors and aliases are refused, since they multiply."""
        try:
            if _may_be_dangerous(data):
                _check_events(data)
            return yaml.load(data, Loader=_Loader)  # noqa: S506 - it is the safe loader, in C
        except Exception as error:  # a bad `!!int` is an IndexError to PyYAML, and so on
            words = " ".join(str(error).split())[:200]
            raise ProtocolError(f"not a YAML value: {words}") from None


class _NoAliases(_Dumper):  # type: ignore[misc]
    """Writes a value that occurs twice twice."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def _may_be_dangerous(data: bytes) -> bool:
    """Tell whether the text could have aliases or be nested deeply; cheap, and often no.

    Each level of nesting needs one of these characters, so few of them mean few levels.
    """
    openers = sum(map(data.count, (b"[", b"{", b"-", b"?", b":")))
    return openers > DEPTH or b"&" in data or b"*" in data


def _check_events(data: bytes) -> None:
    """Refuse what the C loader does not survive (it recurses) or what multiplies (aliases)."""
    depth = 0
    for event in yaml.parse(data, Loader=_Loader):
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise ValueError("anchors and aliases are not accepted")
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > DEPTH:
                raise ValueError(f"nested more than {DEPTH} deep")
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


MESSAGEPACK = MessagePackCodec()
YAML = YamlCodec()
CODECS: dict[str, Codec] = {codec.name: codec for codec in (MESSAGEPACK, YAML)}
