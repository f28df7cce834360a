"""Links of style sheets, with tinycss2 as the oracle."""

import re
import time
from collections.abc import Iterator
from typing import Any

import pytest
import tinycss2
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from agents.crawler.parsers.css import BUFFER_LIMIT, CssParser, scan


def links(sheet: bytes, step: int | None = None, **options: str) -> list[str]:
    """Return the links of a sheet fed `step` bytes at a time."""
    parser = CssParser(**options)
    for start in range(0, len(sheet), step or len(sheet) or 1):
        parser.feed(sheet[start : start + (step or len(sheet))])
    parser.close()
    assert all(link.kind == "component" and link.requisite for link in parser.links)
    return [link.url for link in parser.links]


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
    times = []
    for size in (100_000, 400_000):
        start = time.process_time()
        list(scan(hostile * (size // len(hostile))))
        times.append(time.process_time() - start)
    assert times[1] < 10 * max(times[0], 0.02)


def test_long_sheet_is_scanned_in_parts() -> None:
    """A sheet past the limit still gives its links, and says that some may be missing."""
    parser = CssParser()
    rule = b"a{b:url(x%d)}" + b" " * 1000
    for number in range(BUFFER_LIMIT // 1000 + 10):
        parser.feed(rule % number)
    parser.close()
    assert parser.truncated
    assert len(parser.links) > BUFFER_LIMIT // 1010
