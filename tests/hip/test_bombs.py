"""Small frames that would grow: each is refused, or costs what its size costs."""

import contextlib
import tracemalloc
from collections.abc import Callable

import pytest
from timing import processor_seconds

from hip.codecs import MESSAGEPACK, YAML, Codec
from hip.errors import ProtocolError
from hip.messages import Frame

SIZE = 64 * 1024  # bytes; what is quadratic shows at sixteen times as many


def cost(codec: Codec, data: bytes) -> float:
    """Return the seconds of this processor that a value takes to read, or to refuse."""

    def read() -> None:
        with contextlib.suppress(ProtocolError):
            codec.decode(data)

    return processor_seconds(read)


YAML_BOMBS: dict[str, Callable[[int], bytes]] = {
    "brackets": lambda size: b"[" * size,
    "closed brackets": lambda size: b"[" + b"[]," * (size // 3) + b"]",
    "dashes": lambda size: b"- " * (size // 2),
    "questions": lambda size: b"? " * (size // 2),
    "steps": lambda size: b"\n".join(b" " * n + b"a:" for n in range(int((2 * size) ** 0.5))),
    "small integers": lambda size: b"[" + b"1," * (size // 2) + b"]",
    "a large integer": lambda size: b"1" * size,
    "a large float": lambda size: b"1." + b"1" * size,
    "a large exponent": lambda size: b"1e" + b"9" * size,
    "nearly a float": lambda size: b"1" * size + b"e",
    "a large moment": lambda size: b"!!timestamp '" + b"2026-11-21T" * (size // 11) + b"'",
    "large integers of one hash as keys": lambda size: (
        b"{" + b",".join(b"%d: 1" % (n * (2**61 - 1)) for n in range(size // 24)) + b"}"
    ),
    "keys": lambda size: b"{" + b",".join(b"%d: 1" % n for n in range(size // 10)) + b"}",
    "a large key": lambda size: b'{? "' + b"a" * size + b'" : 1}',
    "comments": lambda size: b"#\n" * (size // 2) + b"1",
    "one comment": lambda size: b"#" + b"a" * size + b"\n1",
    "empty lines": lambda size: b"\n" * size + b"1",
    "documents": lambda size: b"--- 1\n" * (size // 6),
    "directives": lambda size: (
        b"".join(b"%%TAG !%x! tag:a\n" % n for n in range(size // 18)) + b"--- 1"
    ),
    "directives after odd line ends": lambda size: (
        "".join(f"%TAG !{n:x}! tag:a\u2028" for n in range(size // 18)).encode() + b"--- 1"
    ),
    "anchors": lambda size: b"&a " * (size // 3),
    "aliases": lambda size: b"[&a [1]," + b"*a," * (size // 3) + b"]",
    "laughs": lambda size: b"a: &a [x,x]\n" + b"b: &b [*a,*a]\n" * (size // 14),
    "a tag": lambda size: b"!<" + b"%41" * (size // 3) + b"> 1",
    "possible keys": lambda size: b"[" + b"'a' " * (size // 4),
    "escapes": lambda size: b'"' + b"\\U0001F600" * (size // 10) + b'"',
    "folded lines": lambda size: b">\n" + b" a\n\n" * (size // 4),
}


@pytest.mark.parametrize("bomb", YAML_BOMBS.values(), ids=YAML_BOMBS)
def test_yaml_takes_time_in_proportion_to_its_size(bomb):
    """Sixteen times the bytes take about sixteen times as long, never hundreds of times."""
    small, large = bomb(SIZE), bomb(16 * SIZE)
    assert cost(YAML, large) < 80 * max(cost(YAML, small), 0.0005)


@pytest.mark.parametrize(
    "header",
    [b"\xdd", b"\xdf", b"\xc6", b"\xdb", b"\xc9", b"\x92\xdd\xff\xff\xff\xff\x91\xdf"],
    ids=["list", "mapping", "bytes", "text", "extension", "lists in lists"],
)
def test_messagepack_keeps_no_room_for_what_does_not_come(header):
    """A header that promises four milliards of elements costs nothing."""
    tracemalloc.start()
    with pytest.raises(ProtocolError):
        MESSAGEPACK.decode(header + b"\xff\xff\xff\xff\x01")
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 100_000


@pytest.mark.parametrize("header", [b"\x91", b"\x81\x01", b"\x92\xc0", b"\xdc\x00\x01"])
def test_a_tower_of_messagepack_is_refused(header):
    """Nesting has an end."""
    with pytest.raises(ProtocolError):
        MESSAGEPACK.decode(header * 100_000 + b"\xc0")


def test_large_integers_of_one_hash_are_no_keys_in_messagepack_either():
    """They would be compared with each other, millions of times."""
    keys = [(n * (2**61 - 1)).to_bytes(16, "big") for n in range(9, 60_000)]
    data = b"\xdf" + len(keys).to_bytes(4, "big")
    data += b"".join(b"\xc7\x10\x01" + key + b"\xc0" for key in keys)
    assert cost(MESSAGEPACK, data) < 1
    with pytest.raises(ProtocolError):
        MESSAGEPACK.decode(data)


@pytest.mark.parametrize(
    ("element", "most"),
    [(b"\x80", 76), (b"\x90", 76), (b"\x91\xc0", 48), (b"\x81\x01\x01", 80), (b"\xc0", 9)],
    ids=["mappings", "lists", "lists of one", "mappings of one", "none"],
)
def test_memory_that_a_frame_of_messagepack_may_take(element, most):
    """A frame of empty containers takes up to eighty times its bytes, which its limit bounds."""
    count = SIZE // len(element)
    data = b"\x92\xa8response\x91\x92\x01\xdd" + count.to_bytes(4, "big") + element * count
    tracemalloc.start()
    value = MESSAGEPACK.decode(data, Frame)
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert value is not None
    assert taken < most * len(data) + 50_000
