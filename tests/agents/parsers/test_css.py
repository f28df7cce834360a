"""Links of style sheets, with tinycss2 as the oracle."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
import tinycss2
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from timing import processor_seconds

from agents.parsers import Found, Link, Source
from agents.parsers.css import BUFFER_LIMIT, CssParser, Scanner, scan


def links(sheet: bytes, step: int | None = None, **known: str) -> list[str]:
    """Return the links of a sheet fed `step` bytes at a time, each once."""
    parser = CssParser(Source(**known))
    found: list[Found] = []
    for start in range(0, len(sheet), step or len(sheet) or 1):
        found += parser.feed(sheet[start : start + (step or len(sheet))])
    found += parser.close()
    links = [link for link in dict.fromkeys(found) if isinstance(link, Link)]
    assert all(link.kind == "component" and link.requisite for link in links)
    return [link.url for link in links]


@pytest.mark.parametrize(
    ("text", "urls"),
    [
        ("a{background:url(x.png)}", ["x.png"]),
        ("a{background:URL( 'x.png' )}", ["x.png"]),
        ('a{background:url("x.png" )}', ["x.png"]),
        ("@import 'a.css'; @import url(b.css) screen;", ["a.css", "b.css"]),
        ("@import/**/ \"a.css\"", ["a.css"]),
        ("@IMPORT\n'a.css'", ["a.css"]),
        ("@imports 'a.css'", []),
        ("/* url(a) */ url(b)", ["b"]),
        ("/* url(a)", []),
        ("content:'url(a)'", []),
        ("content:'url(a)\n;b:url(c)", ["c"]),
        ("my-url(a) url(b)", ["b"]),
        ("#url(a) @url(b) 1url(c)", []),
        ("u\\72l(a) \\55 rl(b)", ["a", "b"]),
        ("\\61 url(a)", []),
        ("url(a\\)b)", ["a)b"]),
        ("url('a\\'b\\\nc')", ["a'bc"]),
        ("url(a b) url(c)", ["c"]),
        ("url(a'b) url(c)", ["c"]),
        ("url(a", ["a"]),
        ("url('a", ["a"]),
        ("url() url('') url( )", []),
        ("url(data:image/png;base64,AAAA)", ["data:image/png;base64,AAAA"]),
        ("image-set('a.png' 1x, \"b.png\" type('image/png') 2x, url(c.png)) 'd'",
         ["a.png", "b.png", "c.png"]),
        ("@namespace svg url(http://www.w3.org/2000/svg); url(a)", ["a"]),
        ("@font-face{src:url(a.woff2) format('woff2'),url(b.woff)}", ["a.woff2", "b.woff"]),
        ("src: src('x')", ["x"]),
        ("\\\"url(a)", []),
        ("\\\" url(a)", ["a"]),
    ],
)  # fmt: skip
def test_scan(text: str, urls: list[str]) -> None:
    """The scan finds what a browser would fetch, and nothing in strings or comments."""
    assert list(scan(text)) == urls


def oracle(nodes: Any) -> Iterator[str]:
    """Yield the same as `scan` from the tokens of tinycss2."""
    nodes = [node for node in nodes or () if node.type not in ("whitespace", "comment")]
    for position, node in enumerate(nodes):
        before = nodes[position - 1] if position else None
        if node.type == "url" and node.value:
            yield node.value
        elif node.type == "string" and before is not None and node.value:
            if before.type == "at-keyword" and before.lower_value == "import":
                yield node.value
        elif node.type == "function":
            inside = [one for one in node.arguments if one.type not in ("whitespace", "comment")]
            quoted = bool(inside) and inside[0].type == "string" and inside[0].value
            if node.lower_name in ("url", "src") and quoted:
                yield quoted
            yield from oracle(node.arguments)
        elif hasattr(node, "content") and not isinstance(node.content, str):
            yield from oracle(node.content)


PIECES = st.sampled_from(
    ["url(", "URL(", "src(", ")", "'", '"', "\\", "\n", " ", "/*", "*/", "@import", "a", "é", "-",
     "1", "#", "@", "{", "}", ";", ",", "(", "x.png", "u\\72 l(", "\\61 ", "*", "/", "\\)", "\f"]
)  # fmt: skip


@settings(max_examples=600)
@given(st.lists(PIECES, max_size=14).map("".join))
def test_scan_agrees_with_the_oracle(text: str) -> None:
    """Any text of CSS pieces gives the URLs that tinycss2's tokens hold."""
    # An escape cut off by the end or a line's end: not a URL, whatever the oracle makes of it.
    assume(not re.search(r"\\(\Z|[\n\f])", text))
    expected = list(oracle(tinycss2.parse_component_value_list(text)))
    assert list(scan(text)) == expected


def test_bytes_one_at_a_time() -> None:
    """The parser is reentrant to one byte, whatever the encoding."""
    sheet = '@import "é.css"; a{b:url(ü.png)}'.encode("utf-16le")
    assert links(b"\xff\xfe" + sheet, 1) == ["é.css", "ü.png"]
    assert links("a{b:url(é)}".encode("latin-1"), 1, charset="iso-8859-1") == ["é"]
    assert links(b'@charset "windows-1251"; url(\xe9)', 1) == ["й"]
    undeclared = "/* 背景の画像はここで指定する */ a{background:url(背景.png)}"
    assert links(undeclared.encode("euc-jp"), 1) == links(undeclared.encode(), 1) == ["背景.png"]
    assert links(b"url(\xe9)", environment="koi8-r") == ["И"]


@given(st.binary(max_size=300), st.integers(1, 40))
def test_any_bytes_in_any_chunks(sheet: bytes, step: int) -> None:
    """Chunks do not change the result, and no bytes raise."""
    assert links(sheet, step) == links(sheet)


@pytest.mark.parametrize(
    "hostile",
    ["/*", "'" + "\\", "url(" * 3, "\\", "url(" + "\\a", "@import/**/", "image-set(((", "/**/", "*",
     "u\\72 ", "image-set('", "@namespace "],
)  # fmt: skip
def test_hostile_sheets_stay_linear(hostile: str) -> None:
    """Repetitions that would send a careless expression back and forth cost no more than others."""

    def seconds(size: int) -> float:
        sheet = hostile * (size // len(hostile))
        return processor_seconds(lambda: list(scan(sheet)))

    assert seconds(400_000) < 10 * max(seconds(100_000), 0.02)


@settings(max_examples=600)
@given(st.lists(PIECES, max_size=14).map("".join), st.integers(1, 5))
def test_pieces_do_not_matter(text: str, step: int) -> None:
    """A sheet scanned in pieces gives the URLs of the whole."""
    scanner = Scanner()
    found: list[str] = []
    for start in range(0, len(text), step):
        found += scanner.feed(text[start : start + step])
    found += scanner.feed("", final=True)
    assert list(dict.fromkeys(filter(None, found))) == list(dict.fromkeys(scan(text)))


def test_long_sheets_are_scanned_as_they_come() -> None:
    """A long sheet gives all its links; one rule without an end is read as it stands, and told."""
    parser = CssParser(Source())
    rule = b"a{b:url(x%d)}" + b" " * 1000
    found: set[Found] = set()
    for number in range(2 * BUFFER_LIMIT // 1000):
        found.update(parser.feed(rule % number))
    found.update(parser.close())
    assert not parser.truncated
    assert len(found - {None}) == 2 * BUFFER_LIMIT // 1000
    endless = CssParser(Source())
    list(endless.feed(b"url(" + b"x" * (BUFFER_LIMIT + 10)))
    assert endless.truncated
    rest = [*endless.feed(b"a{b:url(c)}"), *endless.close()]
    assert [link.url for link in rest if isinstance(link, Link)] == ["c"]
