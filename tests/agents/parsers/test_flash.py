"""Links of Flash movies."""

import struct
import tracemalloc
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from movies import action, constants, get_url, get_url_2, movie, push, script_3, tag
from reading import Reading, assert_linear, damaged, sample
from reading import read as read_with

from agents.parsers import Embedded
from agents.parsers.flash import FlashParser
from agents.parsers.flash_tags import COUNT_LIMIT, INFLATED_LIMIT, TAG_LIMIT

_PAGE = "http://example.org/page.html"
_CODE = get_url(_PAGE, "_blank")
_PACKED = sample("ZeroClipboard.swf")
_UNPACKED = b"FWS" + _PACKED[3:8] + zlib.decompress(_PACKED[8:])
_MATRIX = b"\xca\x80\0\x24\x68\0"  # scaled, not rotated


def read(body: bytes, step: int = 0) -> Reading:
    """Read a movie, so many bytes at a time."""
    return read_with(FlashParser, body, step)


def found(*tags: bytes, version: int = 6) -> list[tuple[str, str]]:
    """Return URLs and kinds of the links in a movie of some tags."""
    return [(link.url, link.kind) for link in read(movie(*tags, version=version)).links]


@pytest.mark.parametrize("packed", ["F", "C", "Z"])
@pytest.mark.parametrize("step", [0, 1, 5])
def test_compressed_or_not(packed: str, step: int) -> None:
    """A movie gives its links in each of the three compressions, however it is cut."""
    body = movie(tag(9, b"\xff\xff\xff"), tag(12, _CODE), tag(1), packed=packed)
    reading = read(body, step)
    assert [(link.url, link.kind, link.requisite) for link in reading.links] == [
        (_PAGE, "page", False)
    ]
    assert not reading.parser.truncated


def test_a_movie_of_action_script_2() -> None:
    """A real movie: a script that it calls, and another movie that it loads."""
    reading = read(sample("expressInstall.swf"))
    assert reading.embedded == [Embedded("text/javascript", "swfobject.expressInstallCallback();")]
    (link,) = reading.links
    assert link.url.startswith("http://fpdownload.macromedia.com/pub/flashplayer/update/")
    assert (link.kind, link.requisite) == ("component", True)


def test_a_movie_of_action_script_3() -> None:
    """A real movie, compressed: what is in its metadata, and not the namespaces of its code."""
    reading = read(sample("ZeroClipboard.swf"))
    assert reading.urls == ["http://www.adobe.com/products/flex"]
    assert not reading.parser.truncated


@pytest.mark.parametrize(
    ("code", "links"),
    [
        (get_url("a.html"), [("a.html", "page")]),
        (get_url("a.html#b"), [("a.html", "page")]),
        (get_url("a.swf", "_level5"), [("a.swf", "component")]),
        (get_url("fscommand:quit"), []),
        (push("a.php", "_self") + get_url_2(), [("a.php", "page")]),
        (push("a.php", "clip") + get_url_2(0x40), [("a.php", "component")]),
        (push("a.php", "") + get_url_2(0x80), [("a.php", "component")]),
        (constants("x", "a.php", "_top") + push(1) + push(2) + get_url_2(), [("a.php", "page")]),
        (constants("x") + push(7, 8) + get_url_2(), []),
        (push("a.php") + action(0x47) + push("_self") + get_url_2(), []),
        (constants("http://a.org/b", "hello", "a.b.c"), []),
        (push("http://a.org/b", "hello", "a.b.c", ".swf"), [("http://a.org/b", "page")]),
        (push("clip/a-1.swf") + action(0x52), [("clip/a-1.swf", "component")]),
        (push("http://a.org/b.flv?c"), [("http://a.org/b.flv?c", "component")]),
        (action(0x9B, b"f\0\0\0\x07\0") + _CODE, [(_PAGE, "page")]),
        (get_url("é"), [("é", "page")]),
        (b"\x83\xff\xff" + _PAGE.encode(), [(_PAGE, "page")]),
        (action(0x96, b"\x63abc") + _CODE, [(_PAGE, "page")]),
    ],
)
def test_code(code: bytes, links: list[tuple[str, str]]) -> None:
    """Addresses in code, or pushed right before their use; others if they look like one."""
    assert found(tag(12, code)) == links


def test_old_movies() -> None:
    """Before version 6, text is in the encoding of the author's system."""
    code = action(0x83, b"caf\xe9.html\0\0")
    assert found(tag(12, code), version=5) == [("café.html", "page")]


def test_scripts_of_pages() -> None:
    """A script that `getURL` runs in the page is for the parser of scripts."""
    reading = read(movie(tag(12, get_url("javascript:open('a%20b')"))))
    assert reading.embedded == [Embedded("text/javascript", "open('a b')")]


def test_streams() -> None:
    """Streams are told apart."""
    (link,) = read(movie(tag(12, push("rtmp://a.org/live")))).links
    assert link.stream


def _button_2() -> bytes:
    looks = b"\x01" + struct.pack("<HH", 1, 1) + _MATRIX + b"\0" + b"\0"
    first = struct.pack("<HH", 4 + len(_CODE), 8) + _CODE
    last = struct.pack("<HH", 0, 1) + get_url("last.html") + b"\0"
    return struct.pack("<HBH", 2, 0, 2 + len(looks)) + looks + first + last


def _placement(version: int, effects: bytes = b"") -> bytes:
    events, key = ("<I", 1 << 17) if version > 5 else ("<H", 1)
    code = (b"\x0d" if version > 5 else b"") + _CODE
    clip = struct.pack(events, key) + struct.pack("<I", len(code)) + code + struct.pack(events, 0)
    flags = 0x80 | 0x40 | 0x20 | 0x10 | 0x08 | 0x04 | 0x02
    head = bytes([flags]) + effects[:1] + struct.pack("<HH", 1, 2) + _MATRIX
    colour = bytes([0b01_0100_00, 0, 0, 0])[:3]
    middle = colour + struct.pack("<H", 3) + b"name\0" + struct.pack("<H", 4) + effects[1:]
    return head + middle + b"\0\0" + struct.pack(events, key) + clip


_SMALL = [
    movie(tag(12, _CODE), tag(37, b"<a href=b>"), tag(34, _button_2()), packed=packed)
    for packed in "FCZ"
]


@pytest.mark.parametrize(
    ("code", "body", "version"),
    [
        (59, b"\x01\0" + _CODE, 6),
        (7, b"\x01\0" + b"\x01\x01\0\x01\0" + _MATRIX + b"\0" + _CODE + b"\0", 3),
        (34, _button_2(), 6),
        (26, _placement(6), 6),
        (26, _placement(5), 5),
        (70, _placement(8, b"\x26\x01\x01\x01"), 8),
    ],
)
def test_where_code_is(code: int, body: bytes, version: int) -> None:
    """Code is found in sprites, in buttons and with the clips that are placed."""
    assert (_PAGE, "page") in found(tag(code, body), version=version)


def test_within_sprites() -> None:
    """The tags of a sprite are read; its end is not the movie's."""
    sprite = tag(39, b"\x01\0\x01\0" + tag(12, _CODE) + tag(1) + tag(0))
    assert found(sprite, tag(12, get_url("b"))) == [(_PAGE, "page"), ("b", "page")]
    assert found(tag(0), tag(12, _CODE)) == []


def test_text_imports_and_metadata() -> None:
    """Links in text that is marked up, movies that parts are taken from, and what it is about."""
    text = b'\x01\0x<p><A HREF="a?b&amp;c" TARGET=""><A HREF=\'asfunction:f\'>'
    assert found(tag(37, text)) == [("a?b&c", "page")]
    assert found(tag(57, b"lib.swf\0\x01\0")) == [("lib.swf", "component")]
    assert found(tag(71, b"lib.swf\0\x01\0")) == [("lib.swf", "component")]
    metadata = b'<rdf xmlns="http://no/"><dc:publisher>http://a.org/b</dc:publisher></rdf>'
    assert found(tag(77, metadata)) == [("http://a.org/b", "page")]


def test_constants_of_action_script_3() -> None:
    """Strings that look like addresses are links, unless they name a namespace."""
    strings = ["http://a.org/b", "http://adobe.com/AS3/builtin", "hello.world", "c/d.swf", "é.b"]
    body = script_3(strings, [2])
    links = [("http://a.org/b", "page"), ("c/d.swf", "component")]
    assert found(tag(82, b"\x01\0\0\0frame1\0" + body)) == links
    assert found(tag(72, body)) == links


@given(
    st.sampled_from([sample("expressInstall.swf"), _PACKED, _UNPACKED, *_SMALL]).flatmap(damaged),
    st.integers(1, 3000),
)
def test_damaged_movies(body: bytes, step: int) -> None:
    """No damage raises, and where the movie is cut changes nothing."""
    assert read(body, step).links == read(body).links


@given(st.sampled_from([7, 12, 26, 34, 37, 39, 57, 59, 70, 72, 77, 82]), st.binary(max_size=80))
def test_any_tag(code: int, body: bytes) -> None:
    """No tag raises."""
    read(movie(tag(code, body)))


@given(st.binary(max_size=100), st.sampled_from([b"", b"FWS\x06", b"CWS\x06", b"ZWS\x0d"]))
def test_any_bytes(body: bytes, beginning: bytes) -> None:
    """No bytes raise."""
    read(beginning + body, 1)


@pytest.mark.parametrize("piece", [
    tag(1), tag(12, _CODE), tag(12, b""), tag(39, b"\0" * 4), tag(26, _placement(6)), tag(34, b""),
])  # fmt: skip
def test_hostile_movies_stay_linear(piece: bytes) -> None:
    """Four times the tags take about four times the time."""
    assert_linear(FlashParser, lambda size: movie(piece * (size // len(piece))), 100_000)


@pytest.mark.parametrize("piece", [
    b"\x01\0", b"\0", b"\x83\0\0", b"\x96\x04\0\0a.\0", b"\x88\0\0", b"\x9a\x01\0\0", b"\xff",
    b"<a ", b"<a href=b>", b">a",
])  # fmt: skip
@pytest.mark.parametrize("code", [7, 12, 26, 34, 37, 70, 77, 82])
def test_hostile_tags_stay_linear(code: int, piece: bytes) -> None:
    """Four times the tag takes about four times the time."""
    assert_linear(
        FlashParser, lambda size: movie(tag(code, b"\x80" + piece * (size // len(piece)))), 20_000
    )


def test_a_tag_that_is_too_long() -> None:
    """Of a tag over the limit the beginning is read."""
    reading = read(movie(tag(12, _CODE + b"\0" * TAG_LIMIT), tag(12, get_url("b"))), 10_000)
    assert reading.urls == [_PAGE, "b"]
    assert reading.parser.truncated


def test_bombs() -> None:
    """A movie that inflates without end, or has tags without end, is left at a limit."""
    tracemalloc.start()
    try:
        body = (
            b"CWS\x06"
            + b"\0" * 4
            + zlib.compress(
                b"\x08" + b"\0" * 5 + tag(9, b"\0" * 2 * INFLATED_LIMIT) + tag(12, _CODE)
            )
        )
        tracemalloc.reset_peak()
        before, _ = tracemalloc.get_traced_memory()
        reading = read(body)
        assert tracemalloc.get_traced_memory()[1] - before < 2_000_000
    finally:
        tracemalloc.stop()
    assert reading.parser.truncated
    assert not reading.urls
    assert read(movie(tag(1) * (COUNT_LIMIT + 1), tag(12, _CODE), packed="C")).parser.truncated


def test_much_code() -> None:
    """A small movie of very much code costs no more than the limit of code."""
    code = tag(12, b"\x01" * 1_000_000)
    reading = read(movie(*[code] * 9, tag(12, _CODE), packed="C"))
    assert reading.parser.truncated
    assert not reading.urls


def test_turns() -> None:
    """Others get their turn within a movie that fits in one chunk."""
    reading = read(movie(*[tag(1)] * 10_000, packed="C"))
    assert reading.findings.count(None) >= 50
