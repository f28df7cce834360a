"""Base of the parsers of JSON formats, and ways through JSON values."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

import msgspec

from agents.parsers.link import Found
from agents.parsers.whole import WholeParser

NODE_LIMIT = 500_000  # values of one document that are looked at

_BREATH = 200  # values after which others get their turn


class JsonDocument(WholeParser):
    """Decodes a document; a subclass says what its value links to.

    The limit keeps the time of decoding at about 15 ms, in which nothing else runs.
    """

    limit: ClassVar[int] = 2 * 1024 * 1024

    def parse(self, body: bytes) -> Iterator[Found]:
        """Yield what the document holds; nothing, if it is not JSON."""
        value = decoded(body)
        if value is not None:
            yield from self.links(value)

    @classmethod
    @abstractmethod
    def recognises(cls, value: Any) -> bool:
        """Tell by its value whether a document is of this format."""

    @abstractmethod
    def links(self, value: Any) -> Iterable[Found]:
        """Return what a value links to."""

    def words(self, text: object) -> str:
        """Return the text of a link, if it is one and is wanted."""
        return text if self.source.text and isinstance(text, str) else ""


def decoded(body: bytes) -> Any:
    """Return the value of a document; None if it is none, or nested too deeply.

    What servers put before a value so that no script can read it is taken off.
    """
    body = body.removeprefix(b"\xef\xbb\xbf").lstrip()
    for guard in (b")]}',", b")]}'", b"for(;;);", b"while(1);"):
        body = body.removeprefix(guard)
    try:
        return msgspec.json.decode(body.lstrip())
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return None


def texts(value: Any, key: str = "") -> Iterator[tuple[str, str] | None]:
    """Yield all strings within a value, with their keys; None stands for some work.

    The key of a string in a list is that of the list. Strings come in the order of the document.
    """
    ahead = [(key, value)]
    for count in range(NODE_LIMIT):
        if not ahead:
            return
        key, value = ahead.pop()
        if isinstance(value, str):
            yield key, value
        elif isinstance(value, dict):
            ahead += reversed(value.items())
        elif isinstance(value, list):
            ahead += [(key, item) for item in reversed(value)]
        if count % _BREATH == 0:
            yield None


def objects(value: Any) -> Iterator[dict[str, Any]]:
    """Yield the objects of a list, or the value if it is one itself."""
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, dict):
            yield item


def text_of(value: dict[str, Any], *keys: str) -> str:
    """Return the first of some members that is a text; empty if none is."""
    for key in keys:
        found = value.get(key)
        if isinstance(found, str) and found:
            return found
    return ""
