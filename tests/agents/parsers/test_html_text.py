"""Text of pages and of their links: the same however they are cut."""

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st
from timing import processor_seconds

from agents.parsers import Found, Link, Source
from agents.parsers.html import HtmlParser, XmlParser
from agents.parsers.html_text import LINK_TEXT_LIMIT


def findings(
    document: str, step: int = 65536, parser: type[HtmlParser] = HtmlParser
) -> list[Found]:
    """Return all that is found where text is wanted, the document fed `step` bytes at a time."""
    parsing, data = parser(Source(charset="utf-8", text=True)), document.encode()
    found: list[Found] = []
    for start in range(0, len(data), step):
        found += parsing.feed(data[start : start + step])
    return found + list(parsing.close())


def text_of(found: list[Found]) -> str:
    """Return the text among the findings."""
    return "".join(piece for piece in found if isinstance(piece, str))


def links_of(found: list[Found]) -> list[Link]:
    """Return the links among the findings."""
    return [link for link in found if isinstance(link, Link)]


@pytest.mark.parametrize(
    ("document", "text"),
    [
        ("<p>a  b\n c</p>", "a b c"),
        ("a<p>b<div>c</div>d", "a\nb\nc\nd"),
        ("a<b>b</b><span class='x'>c</span> <i>d</i>", "abc d"),
        ("a<BR>b<br/>c", "a\nb\nc"),
        ("<title> a &amp; b </title><body>c", "a & b\nc"),
        ("<script>a</script><style>b</style><template><p>c</p>d</template>e", "e"),
        ("a<!-- b -->c<?d?>e<!f>g", "aceg"),
        ("<img alt='a b'><p title=c>d</p>", "a b\nc d"),
        ("&eacute;&#233;&#xe9;&eacute&nbsp;&copy;&nonsense;&", "éééé ©&nonsense;&"),
        ("<td>a<td>b<li>c", "a\nb\nc"),
        ("1 < 2 <3", "1 < 2 <3"),
        ("<textarea>a</textarea><xmp><b></xmp>", "a\n<b>"),
        ("<a href=x>a</a>b", "ab"),
        ("<p class='a>b'>c", "c"),
    ],
)  # fmt: skip
def test_text(document: str, text: str) -> None:
    """The text is what is printed, white space collapsed, a line for each block."""
    assert text_of(findings(document)) == text


@pytest.mark.parametrize(
    ("document", "url", "text"),
    [
        ("<a href=x>a <b>b</b>\nc</a> d", "x", "a b c"),
        ("<a href=x title=t>a</a>", "x", "t a"),
        ("<a href=x><img src=i alt='a b' title=c></a>", "x", "c a b"),
        ("<a href=x>a<a href=y>b", "y", "b"),
        ("<a href=x>a<p>b</p></a>", "x", "a b"),
        ("<area href=x alt=a>", "x", "a"),
        ("<link rel=next href=x title=a>", "x", "a"),
        ("<a href=x>&lt;&eacute", "x", "<é"),
        ("<a href=x></a>a", "x", ""),
        ("<a href=x><script>a</script>b</a>", "x", "b"),
        ("<a href=x>" + "a" * 5000 + "</a>", "x", "a" * LINK_TEXT_LIMIT),
    ],
)
@pytest.mark.parametrize("step", [65536, 1])
def test_text_of_links(document: str, url: str, text: str, step: int) -> None:
    """The text of a link is what is printed of it, and its tool tips."""
    found = {link.url: link for link in links_of(findings(document, step))}
    assert found[url].text == text


PIECES = st.sampled_from(
    ["<a href=x>", "</a>", "a", " ", "\n", "b c", "&amp;", "&am", "p;", "&#6", "5;", "&eacute", "é",
     "<p>", "</p>", "<b>", "</b>", "<span class='x y'>", "<img alt='q r' src=i>", "<title>",
     "</title>", "<template>", "</template>", "<!--", "-->", "<script>", "</script>", "<textarea>",
     "</textarea>", "<", ">", "'", '"', "<br>", "\0", "<svg><![CDATA[", "]]>", "<a title='t",
     "&" * 50, "&#" + "1" * 60, "\xa0", "<abbr>"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=16).map("".join), st.integers(1, 9))
def test_chunks_do_not_matter(document: str, step: int) -> None:
    """Any cut of any document gives the same text and links, of the same text."""
    whole, cut = findings(document), findings(document, step)
    assert text_of(cut) == text_of(whole)
    assert links_of(cut) == links_of(whole)


@given(st.lists(PIECES, max_size=16).map("".join))
def test_the_same_links_with_text_and_without(document: str) -> None:
    """Wanting text changes no link."""
    parser = HtmlParser(Source(charset="utf-8"))
    found = [*parser.feed(document.encode()), *parser.close()]
    with_text = {link._replace(text="") for link in links_of(findings(document))}
    assert with_text == set(links_of(found))


def test_xml() -> None:
    """Documents of XML have text too."""
    document = "<svg><title>a</title><text>b <tspan>c</tspan></text><style/><text>d</text></svg>"
    assert text_of(findings(document, parser=XmlParser)) == "a\nb c\nd"


@pytest.mark.parametrize(
    "hostile", ["&", "<b>", "<a href=x>", "<p>", " ", "&#1", "\0", "<img alt=x>"]
)
def test_hostile_documents_stay_linear(hostile: str) -> None:
    """Four times the bytes take about four times the time."""

    def seconds(size: int) -> float:
        document = hostile * (size // len(hostile))
        return processor_seconds(lambda: findings(document, 32768))

    assert seconds(400_000) < 10 * max(seconds(100_000), 0.03)


def test_long_tags_are_not_remembered() -> None:
    """Tags of a hundred kilobytes, each another, leave nothing behind in memory."""
    tracemalloc.start()
    for number in range(100):
        findings(f"<img title='{number}' x='{100_000 * 'x'}'>")
    left, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert left < 2_000_000
