"""Links out of books."""

from hypothesis import given, settings
from reading import damaged, read, zipped

from agents.parsers.epub import EpubParser

_BOOK = zipped(
    {
        "mimetype": "application/epub+zip",
        "OEBPS/one.xhtml": '<html><body><a href="two.xhtml">2</a><img src="http://a/b.png"/>'
        '<a href="http://example.org/">out</a></body></html>',
        "OEBPS/two.html": '<html><body><a href="//example.com/x">out</a></body></html>',
        "OEBPS/style.css": "a{background:url(http://no/)}",
    }
)


def test_links() -> None:
    """Pages that chapters link to, but for other chapters."""
    reading = read(EpubParser, _BOOK)
    assert reading.urls == ["http://example.org/", "//example.com/x"]
    assert {link.kind for link in reading.links} == {"page"}


@settings(max_examples=60)
@given(damaged(_BOOK))
def test_damaged_books(body: bytes) -> None:
    """No damage raises."""
    read(EpubParser, body)
