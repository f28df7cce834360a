"""Links among the constants of ActionScript 3 (AVM2 overview, 4.2 and 4.3)."""

import re
from collections.abc import Generator, Iterator
from itertools import islice

from agents.parsers.flash_links import LENGTH_LIMIT, guessed_links
from agents.parsers.link import Found

_NUMBER = re.compile(rb"[\x80-\xff]{0,4}+[\x00-\xff]", re.DOTALL)  # seven bits a byte
_BREATH = 500  # constants after which others get their turn
_DOUBLE = 8


def constant_links(body: bytes, position: int) -> Iterator[Found]:
    """Yield what looks like an address among the strings that are no names of namespaces.

    Args:
        body: of the tag.
        position: where the version of the format begins.

    Raises:
        IndexError: the constants go on behind the end.
    """
    position += 4
    for _ in range(2):  # whole numbers, with a sign and without
        count, position = _number(body, position)
        position = yield from _pass_numbers(body, position, count - 1)
    count, position = _number(body, position)
    position += _DOUBLE * max(0, count - 1)
    count, position = _number(body, position)
    strings: dict[int, bytes] = {}
    for number in range(1, count):
        if number % _BREATH == 0:
            yield None
        length, position = _number(body, position)
        # Without a point it can't be an address.
        if length <= LENGTH_LIMIT and b"." in (string := body[position : position + length]):
            strings[number] = string
        position += length
    yield from _without_namespaces(body, position, strings)
    for string in strings.values():
        yield None
        yield from guessed_links(string.decode("utf-8", "replace"))


def _without_namespaces(body: bytes, position: int, strings: dict[int, bytes]) -> Iterator[None]:
    """Take the names of namespaces out of the strings."""
    count, position = _number(body, position)
    for number in range(1, min(count, len(body))):
        if number % _BREATH == 0:
            yield None
        name, position = _number(body, position + 1)  # behind the kind of the namespace
        strings.pop(name, None)


def _number(body: bytes, position: int) -> tuple[int, int]:
    """Return a number and where it ends."""
    found = _NUMBER.match(body, position)
    if found is None:
        raise IndexError
    parts = (byte & 0x7F for byte in found[0])
    return sum(part << (7 * place) for place, part in enumerate(parts)), found.end()


def _pass_numbers(body: bytes, position: int, count: int) -> Generator[None, None, int]:
    for passed, found in enumerate(islice(_NUMBER.finditer(body, position), max(0, count))):
        position = found.end()
        if passed % _BREATH == 0:
            yield None
    return position
