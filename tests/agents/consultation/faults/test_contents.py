"""Fault contents say what is missing, in each format, whatever the URL contains."""

import json
import re
import struct
import wave
import zlib
from io import BytesIO
from zipfile import ZipFile

import pytest
import tinycss2
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree, html
from pypdfium2 import PdfDocument
from reading import read

from agents.consultation.faults.contents import KINDS, fault_answer, fault_headers, render_fault
from agents.consultation.faults.documents import nearby
from agents.consultation.faults.fault import Fault, missing_content, unknown_url, unreachable
from agents.consultation.faults.words import sentence
from agents.parsers.flash import FlashParser
from agents.parsers.odf import OdfParser
from agents.parsers.ooxml import OoxmlParser
from agents.parsers.rtf import RtfParser
from anet.http import Headers, Request

DATE = "20261121073000000000"
HOSTILE = st.text(max_size=60) | st.sampled_from(
    ["</script><script>alert(1)</script>", '"><img src=x>', "\\22 ;}*{", "'--></style>", "\u2028"]
)
FAULT = st.builds(unknown_url, HOSTILE)


@pytest.mark.parametrize(
    "fault", [unknown_url("http://a/x", DATE), unreachable("http://a/x", "", "no")]
)
@pytest.mark.parametrize("kind", KINDS)
def test_every_format_says_which_url(fault: Fault, kind):
    """Whatever is shown, what is missing is in the bytes; in fonts as UTF-16, as names are."""
    content = render_fault(fault, kind)[1]
    assert ("http://a/x".encode("utf-16-be") if kind == "font" else b"http://a/x") in content
    assert len(content) < 20_000


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
    assert kinds == [b"IHDR", b"PLTE", b"iTXt", b"IDAT", b"IEND"]


def test_gif_is_an_image():
    """The GIF begins and ends as one."""
    data = render_fault(unknown_url("http://a/"), "gif")[1]
    assert data[:6] == b"GIF89a" and data[-1:] == b";"


def test_headers_keep_a_fault_out_of_caches():
    """A fault is gone at the next request; what to do with 503 and 405 is said."""
    fields = dict(fault_headers(unreachable("http://a/", "", "no"), b"text/html"))
    assert fields[b"Cache-Control"] == b"no-store" and fields[b"Retry-After"] == b"5"
    assert dict(fault_headers(Fault(405, "read-only", "", ""), b"text/plain"))[b"Allow"]


def letters(text):
    """Return what of a text is neither space nor control: parsers gather the rest."""
    return "".join(sign for sign in text if not sign.isspace() and sign.isprintable())


@pytest.mark.parametrize(
    ("kind", "parser"), [("rtf", RtfParser), ("docx", OoxmlParser), ("odt", OdfParser)]
)
def test_word_documents_are_read_by_our_own_parsers(kind, parser):
    """The text is the sentence, and there is no link in it."""
    for url in ("http://a/x", "http://a/{\\b}é<w:t>&amp;\U0001f600"):
        found = read(parser, render_fault(unknown_url(url), kind)[1])
        assert letters(found.text) == letters(sentence(unknown_url(url)))


@given(FAULT)
def test_documents_cannot_be_broken_out_of(fault):
    """No URL ends a string, a group, an element or a page."""
    pdf = PdfDocument(render_fault(fault, "pdf")[1])
    assert len(pdf) == 1
    assert "Not in the archive" in pdf[0].get_textpage().get_text_range()
    assert render_fault(fault, "rtf")[1].count(b"\\par}\n") == 1
    for kind, member in (("docx", "word/document.xml"), ("odt", "content.xml")):
        with ZipFile(BytesIO(render_fault(fault, kind)[1])) as archive:
            assert archive.testzip() is None
            assert len([*etree.fromstring(archive.read(member)).iter()]) == 5 - (kind == "odt")


@given(FAULT)
def test_feeds_and_xml_are_well_formed(fault):
    """No URL becomes an element."""
    assert len([*etree.fromstring(render_fault(fault, "rss")[1]).iter()]) == 9
    assert len([*etree.fromstring(render_fault(fault, "xml")[1]).iter()]) == 1


@given(FAULT)
def test_tracks_and_playlists_are_of_one_line(fault):
    """No URL begins another cue, or names a stream."""
    track = render_fault(fault, "vtt")[1].decode()
    assert track.count("-->") == 1 and len(track.split("\n")) == 5
    playlist = render_fault(fault, "m3u8")[1].decode().splitlines()
    assert all(line.startswith("#") for line in playlist) and playlist[-1] == "#EXT-X-ENDLIST"


@given(FAULT)
def test_a_movie_is_cut_into_its_tags(fault):
    """Our own parser finds a whole movie of six tags, and no link."""
    data = render_fault(fault, "flash")[1]
    assert struct.unpack_from("<I", data, 4) == (len(data),)
    position, codes = 8 + 9 + 4, []
    while position < len(data):
        code, size = struct.unpack_from("<HI", data, position)
        codes.append(code >> 6)
        position += 6 + size
    assert (codes, position) == ([69, 77, 9, 37, 26, 1, 0], len(data))
    found = read(FlashParser, data)
    assert not found.urls and not found.parser.truncated


@given(FAULT)
def test_sound_is_a_whole_wav(fault):
    """The standard library plays it: a quarter of a second."""
    with wave.open(BytesIO(render_fault(fault, "audio")[1])) as sound:
        assert sound.getnframes() / sound.getframerate() == 0.25


@given(FAULT)
def test_a_font_has_its_tables_where_it_says(fault):
    """Each table has its checksum, and the whole file the one that OpenType prescribes."""
    data = render_fault(fault, "font")[1]
    (count,) = struct.unpack_from(">H", data, 4)
    whole = data + bytes(-len(data) % 4)
    assert sum(struct.unpack(f">{len(whole) // 4}I", whole)) & 0xFFFFFFFF == 0xB1B0AFBA
    for number in range(count):
        tag, _, start, size = struct.unpack_from(">4sIII", data, 12 + 16 * number)
        assert start % 4 == 0 and start + size <= len(data), tag


@given(st.text(max_size=80) | st.just("https://e.org/a/b/c/d/e.html?x=1"))
def test_what_is_near_is_above(url):
    """At most four URLs, each a beginning of the one that is missing."""
    near = nearby(url)
    assert len(near) <= 4 and all(url.startswith(each) and each != url for each in near)


def test_what_is_near_ends_at_the_site():
    """The same without parameters first, the beginning of the site last."""
    assert nearby("https://e.org/a/b/c/d/e.html?x=1") == [
        "https://e.org/a/b/c/d/e.html",
        "https://e.org/a/b/c/d/",
        "https://e.org/a/b/c/",
        "https://e.org/",
    ]
    assert nearby("https://e.org/") == []


def test_a_page_speaks_the_readers_language():
    """French where it is asked for, English where it is not known."""
    page = render_fault(unknown_url("http://a/x"), "html", "fr")[1].decode()
    assert "aucune capture" in page and 'lang="fr"' in page
    ordered = Fault(451, "takedown", "Kept back", "…", "http://a/x", reason="Sur {ordre}.")
    page = render_fault(ordered, "html", "fr")[1].decode()
    assert "ne la montre pas : Sur {ordre}." in page and 'lang="fr"' in page
    assert "no capture" in render_fault(unknown_url("http://a/x"), "html", "xx")[1].decode()


def test_an_answer_speaks_as_the_browser_prefers():
    """And as its reader chose, if they did."""
    fields = [(b"Accept", b"text/html"), (b"Accept-Language", b"fr-CA,en;q=0.5")]
    request = Request("GET", "http://a/x", Headers(fields))
    assert b'lang="fr"' in fault_answer(request, unknown_url("http://a/x")).body
    assert b'lang="en"' in fault_answer(request, unknown_url("http://a/x"), "en").body
