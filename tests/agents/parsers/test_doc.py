"""Links and text of DOC, and links of other compound files."""

import struct

import pytest
from compound import compound, moniker, word
from hypothesis import given, settings
from hypothesis import strategies as st
from reading import assert_linear, damaged, read, sample

from agents.parsers.doc import DocParser

_LINK = '\x13 HYPERLINK "http://a/b" \x01\x14shown\x15'


def test_a_document_of_an_office() -> None:
    """All links of a DOC of LibreOffice are found with what they show."""
    reading = read(DocParser, sample("links.doc"))
    assert [(link.url, link.text) for link in reading.links if link.text] == [
        ("http://example.org/page.html?a=1&b=2", "la page d’exemple"),
        ("https://example.com/", "un autre site"),
        ("http://example.org/ru", "ссылка"),
        ("ftp://ftp.example.org/file.zip", "file"),
    ]
    assert len(reading.urls) == 4
    assert reading.text.startswith("Dépôt légal du web\nVoir la page d’exemple et un autre site.\n")
    assert not reading.parser.truncated


def test_a_table_of_an_office() -> None:
    """Links of XLS are found."""
    urls = ["http://example.org/ru", "ftp://ftp.example.org/file.zip"]
    assert read(DocParser, sample("links.xls")).urls == urls


def test_fields() -> None:
    """Links are fields; instructions and marks are no text."""
    reading = read(DocParser, compound(word("a", _LINK, "\x07b\rc\x02")))
    assert [(link.url, link.text) for link in reading.links] == [("http://a/b", "shown")]
    assert reading.text == "ashown\tb\nc"
    assert read(DocParser, compound(word("a", _LINK)), text=False).text == ""


def test_monikers() -> None:
    """Links of pictures and shapes are in streams of data, and of folders in the file."""
    streams = {**word("a"), "Data": moniker("http://a/b") + moniker("c.html#d")}
    assert read(DocParser, compound(streams)).urls == ["http://a/b", "c.html"]


def test_presentations() -> None:
    """What looks like a URL is one in files that are not of Word."""
    wide = "\x05https://example.org/x?y=é".encode("utf-16-le")
    assert read(DocParser, compound({"PowerPoint Document": wide})).urls == [
        "https://example.org/x?y="
    ]
    assert read(DocParser, compound({**word("a"), "Data": wide})).urls == []


def test_what_is_no_compound_file() -> None:
    """DOCX, RTF and HTML open in Word under the name of a DOC, and are read likewise here."""
    assert len(read(DocParser, sample("links.docx")).urls) == 4
    assert len(read(DocParser, sample("links.rtf")).urls) == 4
    reading = read(DocParser, b"<html><base href='http://a/'><a href=b>c</a>")
    assert reading.urls == ["b"]
    assert reading.parser.base == "http://a/"
    assert not read(DocParser, b"something else").findings


@settings(max_examples=100)
@given(st.sampled_from(["links.doc", "links.xls"]).flatmap(lambda name: damaged(sample(name))))
def test_damaged_documents(body: bytes) -> None:
    """No damage raises."""
    read(DocParser, body)


@given(st.binary(max_size=300))
def test_any_bytes(body: bytes) -> None:
    """No bytes raise."""
    read(DocParser, body)
    read(DocParser, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + body)


@pytest.mark.parametrize("piece", ["\x13", "\x14", "\x15", _LINK, '\x13HYPERLINK "', "a"])
def test_hostile_documents_stay_linear(piece: str) -> None:
    """Four times the text takes about four times the time."""
    assert_linear(DocParser, lambda size: compound(word(piece * (size // len(piece)))), 60_000)


@pytest.mark.parametrize(
    "piece", [moniker("a"), moniker("")[:-6], b"h\0t\0t\0p\0:\0/\0/\0", b"a\0"]
)
def test_hostile_streams_stay_linear(piece: bytes) -> None:
    """Four times a stream takes about four times the time."""
    assert_linear(DocParser, lambda size: compound({"a": piece * (size // len(piece))}), 200_000)


def test_chains_in_a_circle() -> None:
    """Sectors that follow each other in a circle come to an end."""
    body = bytearray(compound({"a": b"x" * 5000}))
    table = body.rindex(struct.pack("<I", 1))
    body[table : table + 4] = struct.pack("<I", 0)
    read(DocParser, bytes(body))
