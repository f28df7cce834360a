"""Fault contents say what is missing, in each format, whatever the URL contains."""

import json
import re
import struct
import zlib

import pytest
import tinycss2
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree, html

from agents.consultation.faults.contents import fault_headers, render_fault
from agents.consultation.faults.fault import Fault, missing_content, unknown_url, unreachable

DATE = "20261121073000000000"
HOSTILE = st.text(max_size=60) | st.sampled_from(
    ["</script><script>alert(1)</script>", '"><img src=x>', "\\22 ;}*{", "'--></style>", "\u2028"]
)
FAULT = st.builds(unknown_url, HOSTILE)


@pytest.mark.parametrize(
    "fault", [unknown_url("http://a/x", DATE), unreachable("http://a/x", "", "no")]
)
@pytest.mark.parametrize("kind", ["html", "svg", "css", "javascript", "json", "text"])
def test_a_text_says_which_url(fault: Fault, kind):
    """Every format that can hold text names the URL."""
    assert b"http://a/x" in render_fault(fault, kind)[1]


def test_a_page_says_the_date_and_where_to_go():
    """The HTML fault names the reader's date and links to the harbor."""
    page = render_fault(missing_content("http://a/", DATE, "f" * 64), "html")[1].decode()
    assert "2026-11-21 07:30:00 UTC" in page
    assert "http://dlweb/captures?url=http%3A%2F%2Fa%2F" in page
    assert "f" * 64 in page


@given(FAULT)
def test_html_cannot_be_broken_out_of(fault):
    """No URL becomes an element."""
    tree = html.fromstring(render_fault(fault, "html")[1])
    assert not tree.xpath("//img | //script")


@given(FAULT)
def test_svg_is_always_well_formed(fault):
    """No URL breaks the image, and none becomes an element."""
    tree = etree.fromstring(render_fault(fault, "svg")[1])
    assert {element.tag.partition("}")[2] for element in tree} == {"title", "rect", "text"}


@given(FAULT)
def test_css_is_always_one_rule(fault):
    """No URL ends the string or the rule."""
    rules = tinycss2.parse_stylesheet(render_fault(fault, "css")[1].decode(), skip_whitespace=True)
    assert [rule.type for rule in rules] == ["qualified-rule"]
    assert not [token for token in rules[0].content if token.type == "error"]


@given(FAULT)
def test_javascript_holds_one_string(fault):
    """The message is one string literal that a page's end tag cannot end."""
    script = render_fault(fault, "javascript")[1].decode()
    literal = re.fullmatch(
        r'if \(typeof console !== "undefined"\) console.warn\((".*")\);\n', script
    )
    assert literal and isinstance(json.loads(literal[1]), str)
    assert "<" not in script and script.isascii()


@given(FAULT)
def test_json_is_always_json(fault):
    """Any URL fits in."""
    assert json.loads(render_fault(fault, "json")[1])["fault"] == "unknown-url"


def test_png_is_a_whole_image():
    """The PNG's chunks have their lengths and checksums."""
    data = render_fault(unknown_url("http://a/"), "png")[1]
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    position, kinds = 8, []
    while position < len(data):
        (length,) = struct.unpack(">I", data[position : position + 4])
        chunk = data[position + 4 : position + 8 + length]
        (checksum,) = struct.unpack(">I", data[position + 8 + length : position + 12 + length])
        assert zlib.crc32(chunk) == checksum
        kinds.append(chunk[:4])
        position += 12 + length
    assert kinds == [b"IHDR", b"PLTE", b"IDAT", b"IEND"]


def test_gif_is_an_image():
    """The GIF begins and ends as one."""
    data = render_fault(unknown_url("http://a/"), "gif")[1]
    assert data[:6] == b"GIF89a" and data[-1:] == b";"


def test_headers_keep_a_fault_out_of_caches():
    """A fault is gone at the next request; what to do with 503 and 405 is said."""
    fields = dict(fault_headers(unreachable("http://a/", "", "no"), b"text/html"))
    assert fields[b"Cache-Control"] == b"no-store" and fields[b"Retry-After"] == b"5"
    assert dict(fault_headers(Fault(405, "read-only", "", ""), b"text/plain"))[b"Allow"]
