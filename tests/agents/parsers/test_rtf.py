"""Links and text of RTF."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reading import assert_linear, damaged, read, sample

from agents.parsers.rtf import DEPTH_LIMIT, RtfParser

_SAMPLE = sample("links.rtf")
_LINK = rb'{\field{\*\fldinst HYPERLINK "http://a/b"}{\fldrslt shown}}'


def document(inside: bytes) -> bytes:
    """Return a document."""
    return rb"{\rtf1\ansi\ansicpg1252\deff0 " + inside + b"}"


def test_a_document_of_an_office() -> None:
    """All links of a document of LibreOffice are found with what they show."""
    reading = read(RtfParser, _SAMPLE)
    assert [(link.url, link.text, link.kind) for link in reading.links] == [
        ("http://example.org/page.html?a=1&b=2", "la page d’exemple", "page"),
        ("https://example.com/", "un autre site", "page"),
        ("http://example.org/ru", "ссылка", "page"),
        ("ftp://ftp.example.org/file.zip", "file", "page"),
    ]
    assert "Dépôt légal du web\nVoir la page d’exemple et un autre site." in reading.text
    assert "Liberation" not in reading.text


@pytest.mark.parametrize(
    ("inside", "urls"),
    [
        (_LINK, ["http://a/b"]),
        (rb'{\field{\fldinst{\b HYPER}{LINK "http://a/b"}}{\fldrslt x}}', ["http://a/b"]),
        (b'{\\field{\\*\\fldinst HYPERLINK "http://a/\r\nb"}}', ["http://a/b"]),
        (rb'{\field{\*\fldinst HYPERLINK "..\\\\b"}}', ["..\\b"]),
        (rb'{\field{\*\fldinst HYPERLINK "\'68ttp://a/\'e9"}}', ["http://a/é"]),
        (rb'{\field{\*\fldinst HYPERLINK "http://a/\u233\'3f\u233 ?"}}', ["http://a/éé"]),
        (rb'{\field{\*\fldinst HYPERLINK "http://a/{\uc2\u233 ??}b"}}', ["http://a/éb"]),
        (rb'{\field{\*\fldinst HYPERLINK "http://a/\u-10179 ?\u-8704 ?"}}', ["http://a/😀"]),
        (rb'{\field{\*\fldinst INCLUDEPICTURE "a.png" \\d}}', ["a.png"]),
        (rb"{\*\shpinst{\sp{\sn x}{\sv {\*\hl{\hlfr f}{\hlsrc http://a/}}}}}", ["http://a/"]),
        (rb"{\*\unknown{\field{\*\fldinst HYPERLINK u}}}", ["u"]),
        (rb"{\bin5 }}}}}" + _LINK, ["http://a/b"]),
        (rb'{\field{\*\fldinst HYPERLINK "http://a/b"', ["http://a/b"]),
        (rb"{\pict ffd8ff}{\info{\title HYPERLINK x}}", []),
    ],
)
def test_links(inside: bytes, urls: list[str]) -> None:
    """Links are found however they are written, and however the document is cut."""
    for step in (0, 1, 2, 3, 7):
        assert read(RtfParser, document(inside), step).urls == urls


@pytest.mark.parametrize(
    ("inside", "text"),
    [
        (rb"a\par b\tab c\line\~d", "a\nb\tc\n\xa0d"),
        (b"a\r\nb\\\nc", "ab\nc"),
        (rb"\{a\}\\", "{a}\\"),
        (rb"\'e9\u8364 ?\emdash ", "é€—"),
        (rb"{\fonttbl{\f1\fcharset204 Arial;}}\f1\'cf{\f9\'e9}\plain\'e9", "Пéé"),
        (rb"{\colortbl;\red1;}{\*\generator x}{\stylesheet s}a", "a"),
        (rb"\ansicpg1251\'cf\ansicpg99999\'e9", "Пé"),
        (_LINK, "shown"),
        (rb"\'4\'zz\ab123c", "4zzc"),
    ],
)
def test_text(inside: bytes, text: str) -> None:
    """Text is decoded by the font's charset, without what the document does not show."""
    assert read(RtfParser, document(inside)).text == text
    assert read(RtfParser, document(inside), text=False).text == ""


def test_base() -> None:
    """The document may say what its links are relative to."""
    reading = read(RtfParser, document(rb"{\info{\hlinkbase http://a/}}"))
    assert reading.parser.base == "http://a/"


@given(st.integers(1, 64))
def test_cut_anywhere(step: int) -> None:
    """A document gives the same however it is cut."""
    assert read(RtfParser, _SAMPLE, step).links == read(RtfParser, _SAMPLE).links
    assert read(RtfParser, _SAMPLE, step).text == read(RtfParser, _SAMPLE).text


@given(
    damaged(_SAMPLE)
    | st.lists(
        st.sampled_from([b"{", b"}", b"\\", b"'", b"\\u5", b"\\field", b"\\fldinst ", b"\\bin3",
                         b"HYPERLINK a", b"\\*", b"\\f1", b"\\fcharset204", b"\xff", b"\\fldrslt"])
    ).map(b"".join),
    st.integers(0, 5),
)  # fmt: skip
def test_any_bytes(body: bytes, step: int) -> None:
    """No bytes raise, and where they are cut changes nothing."""
    assert read(RtfParser, body, step).links == read(RtfParser, body).links


@pytest.mark.parametrize(
    "piece",
    [b"{", b"}", b"\\", b"\\'", b"\\u1 ", b"\\u-9216", b"\\'41", b"a", b"{\\field", b"\\field ",
     b"\\a1", b"{\\field{\\fldinst a", b"\\*", b"\\f1\\'41", _LINK, b"{\\fonttbl\\f1\\fcharset1 "],
)  # fmt: skip
def test_hostile_documents_stay_linear(piece: bytes) -> None:
    """Four times the document takes about four times the time."""
    assert_linear(RtfParser, lambda size: document(piece * (size // len(piece))), 100_000)


def test_deep_groups() -> None:
    """Groups deeper than the limit are read as the deepest one."""
    body = document(b"{" * 5 * DEPTH_LIMIT + _LINK + b"}" * 5 * DEPTH_LIMIT + b"end")
    reading = read(RtfParser, body)
    assert reading.text.endswith("end")
