"""URLs in plain text, as people write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.parsers.raw import WINDOW, trimmed, urls_in

NOTICE = """\
Mosaic for X version 2.6 -- see http://www.ncsa.uiuc.edu/SDG/Software/XMosaic/ for help.

The archive (ftp://ftp.example.org/pub/README;type=a) moved; ask www.example.org/faq, or
<URL:http://example.org/a?b=1&c=2>. German: "https://de.wikipedia.org/wiki/Perl_(Sprache)"!
Our radio:
rtsp://radio.example.org:554/live
Mail webmaster@www.example.org, or read [http://example.org/list[1]].
"""


def test_a_notice(read) -> None:
    """A text gives all it links to, the text before each link, and itself."""
    found = read("raw", NOTICE)
    assert found.pages == [
        "http://www.ncsa.uiuc.edu/SDG/Software/XMosaic/",
        "ftp://ftp.example.org/pub/README;type=a",
        "http://www.example.org/faq",
        "http://example.org/a?b=1&c=2",
        "https://de.wikipedia.org/wiki/Perl_(Sprache)",
        "http://example.org/list[1]",
    ]
    assert found.streams == [("rtsp://radio.example.org:554/live", "Our radio:")]
    words = found.texts
    assert words["http://www.ncsa.uiuc.edu/SDG/Software/XMosaic/"] == (
        "Mosaic for X version 2.6 -- see"
    )
    assert words["https://de.wikipedia.org/wiki/Perl_(Sprache)"].endswith("German:")
    assert found.text == NOTICE


@pytest.mark.parametrize(
    ("text", "urls"),
    [
        ("http://a.example.", ["http://a.example"]),
        ("(http://a.example/)", ["http://a.example/"]),
        ("see http://a.example/b_(c)).", ["http://a.example/b_(c)"]),
        ("http://a.example/b),", ["http://a.example/b"]),
        ("**https://a.example/b**", ["https://a.example/b"]),
        ("[x](https://a.example/b)", ["https://a.example/b"]),
        ("https://a.example/b…", ["https://a.example/b"]),
        ("「https://a.example/日本」。", ["https://a.example/日本"]),
        ("HTTP://A.EXAMPLE/B", ["HTTP://A.EXAMPLE/B"]),
        ("http://[2001:db8::1]/a", ["http://[2001:db8::1]/a"]),
        ("xhttp://a.example/b", []),
        ("http:// http://. http://- www. www..", []),
        ("awww.a.example /www.b.example c@www.d.example", []),
        ("a,http://a.example/?x=http://b.example/", ["http://a.example/?x=http://b.example/"]),
        ("http://a.example/b#c", ["http://a.example/b"]),
    ],
)
def test_how_people_write_urls(text: str, urls: list[str]) -> None:
    """Punctuation of the sentence is left out, brackets only when they opened before the URL."""
    assert [link.url for link in urls_in(text)] == urls


def test_the_window_is_bounded(read) -> None:
    """The text of a link is no longer than the window, and does not reach over another link."""
    found = read("raw", "x" * 1000 + " http://a.example/ and http://b.example/\n")
    assert len(found.texts["http://a.example/"]) <= WINDOW
    assert found.texts["http://b.example/"] == "and"


def test_charsets(read) -> None:
    """A text is decoded as it says, or as it proves to be."""
    assert read("raw", b"caf\xe9 http://a.example/\xe9").text == "café http://a.example/é\n"
    assert read("raw", b"\xff\xfe" + "é http://a.example/".encode("utf-16le")).pages
    assert read("raw", b"\xe9 www.a.example", charset="koi8-r").text == "И www.a.example\n"


@given(st.text(alphabet="().,[]'a/", max_size=40))
def test_trimming(text: str) -> None:
    """What is trimmed begins the text, and trimming it again changes nothing."""
    found = trimmed(text)
    assert text.startswith(found)
    assert trimmed(found) == found
    assert not found or found[-1] not in ".,'"


def test_the_country_of_a_text(read) -> None:
    """Where a text lies helps to guess the encoding that it does not tell."""
    text = "Смотрите http://a.example/ и другие страницы нашего сайта".encode("koi8-r")
    assert "Смотрите" in read("raw", text, url="http://example.ru/a.txt").text
