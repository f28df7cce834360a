"""Links and text of OpenDocument."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reading import assert_linear, damaged, read, sample, zipped

from agents.parsers.odf import OdfParser


def content(inside: str) -> str:
    """Return the content of a document."""
    return (
        '<office:document-content xmlns:office="o" xmlns:text="t" xmlns:draw="d" xmlns:xlink="x">'
        f"<office:body>{inside}</office:body></office:document-content>"
    )


def test_a_document_of_an_office() -> None:
    """All links of a document of LibreOffice are found with what they show."""
    reading = read(OdfParser, sample("links.odt"))
    assert [(link.url, link.text, link.kind) for link in reading.links] == [
        ("http://example.org/page.html?a=1&b=2", "la page d’exemple", "page"),
        ("https://example.com/", "un autre site", "page"),
        ("http://example.org/ru", "ссылка", "page"),
        ("ftp://ftp.example.org/file.zip", "file", "page"),
    ]
    assert reading.text.startswith("Dépôt légal du web\nVoir la page d’exemple et un autre site.\n")


@pytest.mark.parametrize(
    ("inside", "links"),
    [
        ('<text:a xlink:href="../b.html">c</text:a>', [("b.html", "page")]),
        ('<draw:a xlink:href="b"><draw:image xlink:href="Pictures/c.png"/></draw:a>',
         [("b", "page")]),
        ('<draw:image xlink:href="../c.png"/>', [("c.png", "component")]),
        ('<draw:image xlink:href="http://a/c.png"/>', [("http://a/c.png", "component")]),
        ('<draw:object xlink:href="./Object 1"/>', []),
        ('<text:a xlink:href="#here">c</text:a>', []),
        ('<text:a xlink:href="b">c<text:a xlink:href="d">', [("b", "page"), ("d", "page")]),
    ],
)  # fmt: skip
def test_links(inside: str, links: list[tuple[str, str]]) -> None:
    """Links lead out of the document, which is a folder of its own."""
    whole = content(f"<text:p>{inside}</text:p>")
    for body in (zipped({"content.xml": whole}), whole.encode()):
        reading = read(OdfParser, body)
        assert [(link.url, link.kind) for link in reading.links] == links


def test_text() -> None:
    """Text is that of paragraphs and headings, with its spaces."""
    inside = "<x>no</x><text:p>a<text:s/>b<text:tab/>c</text:p><text:h>d</text:h>"
    assert read(OdfParser, content(inside).encode()).text == "a b\tc\nd\n"
    assert read(OdfParser, content(inside).encode(), text=False).text == ""


@settings(max_examples=60)
@given(damaged(sample("links.odt")))
def test_damaged_documents(body: bytes) -> None:
    """No damage raises."""
    read(OdfParser, body)


@given(st.text("<>/text:pa xlink:href=\"'&;\0", max_size=200))
def test_any_content(inside: str) -> None:
    """No content raises."""
    read(OdfParser, content(inside).encode())


@pytest.mark.parametrize(
    "piece", ["<text:p>", "<text:a xlink:href='a'>b", "<text:p>b</text:p>", "<text:s/>", "<", "&"]
)
def test_hostile_documents_stay_linear(piece: str) -> None:
    """Four times the document takes about four times the time."""
    assert_linear(OdfParser, lambda size: content(piece * (size // len(piece))).encode(), 100_000)
