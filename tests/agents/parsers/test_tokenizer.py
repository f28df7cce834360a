"""Tags as the HTML standard finds them, with libxml2's tokenizer as the oracle."""

import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from agents.parsers.html_rules import ATTRIBUTES
from agents.parsers.tags import attributes_of
from agents.parsers.tokenizer import ANCHOR, COMMENT, START, Tokenizer

DOCUMENTATION = Path("/usr/share/doc/python3.11-doc/html")
STANDARD = etree.LIBXML_VERSION >= (2, 14)  # follows the standard from there on
Tag = tuple[str, str, str]


class Oracle:
    """Takes tags from libxml2."""

    def __init__(self) -> None:
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.comments: list[str] = []

    def start(self, tag: str, attributes: Any) -> None:
        self.tags.append((tag, dict(attributes)))

    def comment(self, text: str) -> None:
        self.comments.append(text)

    def close(self) -> None:
        pass


def expected(document: str) -> Oracle:
    """Return what libxml2 finds."""
    oracle = Oracle()
    parser = etree.HTMLParser(target=oracle, encoding="utf-8", huge_tree=True)
    parser.feed(document.encode("utf-8"))
    with suppress(etree.LxmlError):  # an empty document
        parser.close()
    return oracle


def found(document: str, step: int = 65536) -> list[tuple[str, str, str]]:
    """Return our tokens, with the document fed `step` characters at a time."""
    tokenizer = Tokenizer()
    tokens = []
    for start in range(0, len(document), step):
        tokens += tokenizer.feed(document[start : start + step])
    return tokens + list(tokenizer.feed("", final=True))


COLOUR = re.compile(r"rgba?\(")  # what may stand in a style besides URLs


def linking(tags: list[tuple[str, dict[str, str]]]) -> set[Tag]:
    """Return the attributes that may link."""
    return {
        (tag, name, value.partition("#")[0] if (tag, name) == ("a", "href") else value)
        for tag, attributes in tags
        for name, value in attributes.items()
        if name in ATTRIBUTES
        and not (name == "href" and value[:1] == "#")
        and not (name == "style" and "(" not in COLOUR.sub("", value))
    }


def ours(document: str, step: int = 65536) -> set[Tag]:
    """Return the attributes that may link, as our tokenizer finds them."""
    tokens = found(document, step)
    anchors = {("a", "href", url) for kind, _, url in tokens if kind == ANCHOR}
    return anchors | linking(
        [(name, attributes_of(text)) for kind, name, text in tokens if kind == START]
    )


PIECES = st.sampled_from(
    ["<a href=x>", "<A HREF='y z' href=w>", "<img src=\"q\"", " src=a/", "/>", ">", "'", '"', "=",
     " ",
     "<!--", "-->", "--!>", "-", "!", "<!", "<!DOCTYPE html>", "</", "<", "</a", "</a href=x>",
     "<?",
     "<style>", "</style>", "</style ", "<script>", "</script>", "<title>", "</title>",
     "<textarea>",
     "</TEXTAREA>", "<xmp>", "</xmp/>", "<noscript>", "<iframe src=f>", "</iframe>", "é", "&amp;",
     "<a href='?a=1&copy=2&copy;&lt&#x41;&#65'>", "<p class=\"c\" style='s'>", "<plaintext>", "\n",
     "<svg>", "</svg>", "<b class=\"x\">", "<base href=b>", "<a\thref\n=\nx\f>", "<a/href=x>", "x"]
)  # fmt: skip


@pytest.mark.skipif(not STANDARD, reason="this libxml2 has its own idea of tags")
@settings(max_examples=500)
@given(st.lists(PIECES, max_size=12).map("".join))
def test_agrees_with_the_oracle(document: str) -> None:
    """Any text of HTML pieces has the linking attributes that libxml2 finds."""
    assert ours(document) == linking(expected(document).tags)


@given(st.lists(PIECES, max_size=14).map("".join), st.integers(1, 7))
def test_pieces_do_not_matter(document: str, step: int) -> None:
    """Any cut of any text gives the same tags and comments."""
    assert ours(document, step) == ours(document)
    comments = [text for kind, _, text in found(document) if kind == COMMENT]
    assert [text for kind, _, text in found(document, step) if kind == COMMENT] == comments


@pytest.mark.slow
@pytest.mark.skipif(not (STANDARD and DOCUMENTATION.is_dir()), reason="needs python3.11-doc")
def test_agrees_on_the_documentation_of_python() -> None:
    """The same on real pages, over five hundred of them."""
    pages = [path.read_text("utf-8") for path in DOCUMENTATION.rglob("*.html")]
    assert len(pages) > 500
    for page in pages:
        assert ours(page) == linking(expected(page).tags)


@pytest.mark.parametrize(
    ("document", "comments"),
    [
        ("<!-->a<!--->b<!-- c -->d", [" c "]),
        ("<!--a--!>b<!--c", ["a", "c"]),
        ("<!--!>x-->", ["!>x"]),
        ("<!a><?b c?></ d>", ["?b c?"]),
    ],
)
def test_comments(document: str, comments: list[str]) -> None:
    """Comments end where the standard says."""
    assert [text for kind, _, text in found(document) if kind == COMMENT] == comments


@pytest.mark.parametrize(
    ("document", "tags"),
    [
        ("<script><!--<script></script><a href=x></script>--></script><a href=y>", ["script", "a"]),
        ("<script><!--<a href=x></script><a href=y>", ["script", "a"]),
        ("<script><!--><script></script><a href=y>", ["script", "a"]),
        ("<script>'</scripts>'</script><a href=y>", ["script", "a"]),
        ("<plaintext></plaintext><a href=x>", ["plaintext"]),
        ("<svg><script/><a href=x></svg>", ["svg", "script", "a"]),
        ("<![CDATA[ <a href=x> ]]>", []),
        ("<svg><![CDATA[ <a href=x><a href=y> ]]><a href=z>", ["svg", "a"]),
    ],
)
@pytest.mark.parametrize("step", [1, 5, 1000])
def test_raw_text(document: str, tags: list[str], step: int) -> None:
    """Scripts hide their own end as the standard has it; SVG follows the rules of XML."""
    assert [name for kind, name, _ in found(document, step) if kind in (START, ANCHOR)] == tags


def test_attributes() -> None:
    """The first of a name counts; references are read as they are in attributes."""
    tag = "<a HREF='?a=1&copy=2&copy;' href=x b c = d/ e=\"&lt;&#65;&nonsense;\"/>"
    assert attributes_of(tag) == {"href": "?a=1&copy=2©", "b": "", "c": "d/", "e": "<A&nonsense;"}


def test_reference_of_thousands_of_digits() -> None:
    """A character reference with too many digits stands for no character, and is no fault."""
    tag = f"<a href='&#{5000 * '9'};' b='&#x{5000 * '9'};' c=d>"
    assert attributes_of(tag) == {"href": "\ufffd", "b": "\ufffd", "c": "d"}
