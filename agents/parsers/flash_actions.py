"""Links in the code of ActionScript 1 and 2: a sequence of actions on a stack of values.

The code is not run. A `getURL` with its address in it is certain; one that takes it from the stack
is when the address was pushed right before. Other constants are links if they look like one, which
finds `loadMovie`, `XML.load` and `NetStream.play`.
"""

from collections.abc import Callable, Iterator
from struct import unpack_from

from agents.parsers.flash_links import address_links, guessed_links, loads
from agents.parsers.link import Found

_GET_URL, _CONSTANTS, _PUSH, _GET_URL_2 = 0x83, 0x88, 0x96, 0x9A
_WITH_RECORD = 0x80  # actions from this code on have a length and a record
_INTO_MOVIE = 0xC0  # flags of `getURL` from the stack: it loads a movie, or variables
_STRING, _BYTE_CONSTANT, _WORD_CONSTANT = 0, 8, 9
# Bytes of a value on the stack, by its type.
_SIZES = {1: 4, 2: 0, 3: 0, 4: 1, 5: 1, 6: 8, 7: 4, _BYTE_CONSTANT: 1, _WORD_CONSTANT: 2}
_BREATH = 100  # actions after which others get their turn

_Decode = Callable[[bytes], str]


def links(code: bytes, decode: _Decode) -> Iterator[Found]:
    """Yield the links in a sequence of actions; the bodies of functions are part of it."""
    constants: list[bytes] = []
    stack: list[str] = []  # what was pushed since the last action of another kind
    position = count = 0
    while position < len(code):
        action, record = code[position], b""
        position += 1
        if action >= _WITH_RECORD:
            (length,) = unpack_from("<H", code, position)
            record = code[position + 2 : position + 2 + length]
            position += 2 + length
        count += 1
        if count % _BREATH == 0:
            yield None
        if action == _PUSH:
            for number, value in enumerate(_pushed(record, constants)):
                text = decode(value)
                stack = [*stack, text][-2:]
                yield from guessed_links(text)
                if number % _BREATH == 0:
                    yield None
            continue
        if action == _CONSTANTS:
            constants = record[2:].split(b"\0")
            yield None
            continue
        if action == _GET_URL:
            url, target = (decode(text) for text in (record + b"\0\0").split(b"\0")[:2])
            yield from address_links(url, loads(target))
        elif action == _GET_URL_2 and len(stack) == 2:
            loaded = bool(record and record[0] & _INTO_MOVIE) or loads(stack[1])
            yield from address_links(stack[0], loaded)
        stack = []


def _pushed(record: bytes, constants: list[bytes]) -> Iterator[bytes]:
    """Yield the values of a push; those that are no text as empty text."""
    position = 0
    while position < len(record):
        kind = record[position]
        position += 1
        if kind == _STRING:
            end = record.index(b"\0", position)
            yield record[position:end]
            position = end + 1
            continue
        size = _SIZES.get(kind)
        if size is None:
            return  # no such type
        number = int.from_bytes(record[position : position + size], "little")
        position += size
        constant = kind in (_BYTE_CONSTANT, _WORD_CONSTANT) and number < len(constants)
        yield constants[number] if constant else b""
