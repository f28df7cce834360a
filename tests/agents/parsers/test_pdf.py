"""Links and text of PDF."""

import pytest
from pages import document, link, pdf, stream, uri
from reading import assert_linear, read, sample

from agents.parsers.pdf import PdfParser


def found(body: bytes) -> list[tuple[str, str]]:
    """Return URLs and texts of the links in a document."""
    return [(one.url, one.text) for one in read(PdfParser, body).links]


def test_a_document_of_an_office() -> None:
    """All links of a document of LibreOffice are found with what they show."""
    reading = read(PdfParser, sample("links.pdf"))
    assert sorted((link.url, link.text) for link in reading.links) == [
        ("ftp://ftp.example.org/file.zip", "file"),
        ("http://example.org/page.html?a=1&b=2", "la page d’exemple"),
        ("http://example.org/ru", "ссылка"),
        ("https://example.com/", "un autre site"),
    ]
    assert "Voir la page d’exemple et un autre site." in reading.text
    assert "Русский текст, ссылка." in reading.text
    assert {link.kind for link in reading.links} == {"page"}


@pytest.mark.parametrize(
    ("action", "url"),
    [
        (uri("http://a/b#c"), "http://a/b"),
        (uri("relative.html"), "relative.html"),
        ("<</S/GoToR/F(other.pdf)/D[0/Fit]>>", "other.pdf"),
        ("<</S/Launch/F(other.doc)>>", "other.doc"),
    ],
)
def test_actions(action: str, url: str) -> None:
    """Actions that lead out of the document are links."""
    assert found(document(link(action))) == [(url, "Hello")]
    assert found(document(outline=action)) == [(url, "chapter")]


@pytest.mark.parametrize("action", ["<</S/GoTo/D[4 0 R/Fit]>>", "<</S/JavaScript/JS(x)>>", "<<>>"])
def test_other_actions(action: str) -> None:
    """Others are none."""
    assert found(document(link(action))) == []


def test_written_links() -> None:
    """A URL that is only written is a link too, unless it begins one that is."""
    assert found(document(text="see http://example.org/a b")) == [("http://example.org/a", "")]
    whole = document(link(uri("http://example.org/ab")), text="http://example.org/a")
    assert found(whole) == [("http://example.org/ab", "http://example.org/a")]


def test_no_text() -> None:
    """Text and texts of links come only when wanted."""
    reading = read(PdfParser, document(link(uri("http://a/"))), text=False)
    assert not reading.text
    assert [link.text for link in reading.links] == [""]


def test_without_its_end() -> None:
    """A document that was cut is read as far as it goes."""
    body = document(link(uri("http://a/")))
    assert found(body[: body.rindex(b"xref")]) == [("http://a/", "Hello")]


@pytest.mark.parametrize("body", [b"", b"%PDF-1.7", b"no", pdf("<</Type/Catalog>>")])
def test_no_document(body: bytes) -> None:
    """What can't be read holds nothing, and is said to be cut short."""
    reading = read(PdfParser, body)
    assert not reading.links
    assert reading.parser.truncated


def test_circles() -> None:
    """Pages and bookmarks that lead back to themselves come to an end."""
    read(
        PdfParser, pdf("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 9/Kids[2 0 R 2 0 R]>>")
    )
    first = "<</Title(a)/Parent 3 0 R/Next 4 0 R/First 4 0 R>>"
    read(
        PdfParser,
        pdf(
            "<</Type/Catalog/Pages 2 0 R/Outlines 3 0 R>>",
            "<</Type/Pages/Count 1/Kids[5 0 R]>>",
            "<</First 4 0 R/Last 4 0 R>>",
            first,
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>",
        ),
    )


def test_deep() -> None:
    """Ten thousand values within each other are survived."""
    deep = "[" * 10_000 + "]" * 10_000
    read(PdfParser, pdf(f"<</Type/Catalog/Pages 2 0 R/A {deep}>>", "<</Type/Pages/Count 0>>"))
    nested = stream(b"q " * 10_000 + b"<<" * 10_000)
    page = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R>>"
    read(
        PdfParser, pdf("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]>>", page, nested)
    )


def test_time() -> None:
    """Four times the pages and links take about four times the time."""
    links = [link(uri(f"http://a/{number}")) for number in range(50)]
    assert_linear(PdfParser, lambda size: document(*links, pages=size), 50)
    assert_linear(PdfParser, lambda size: document(*(links * size)), 10)
