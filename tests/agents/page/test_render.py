"""A monitoring page is one safe document, whatever text it is given."""

import re
from html import unescape
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.page import (
    CONTENT_SECURITY_POLICY,
    Badge,
    Bars,
    Branch,
    Curve,
    Field,
    Figures,
    Form,
    LinkTo,
    Log,
    Network,
    Node,
    Note,
    Page,
    Progress,
    Series,
    Table,
    Tree,
    document,
    render,
    to_data,
)

TEXT = st.text(max_size=30) | st.sampled_from(
    ["<script>alert(1)</script>", '"><img src=x>', "\x00"]
)
CELL = (
    TEXT
    | st.integers()
    | st.floats()
    | st.none()
    | st.booleans()
    | st.builds(LinkTo, TEXT, TEXT)
    | st.builds(Badge, TEXT, st.sampled_from(["good", "warning", "bad", "quiet"]))
    | st.builds(Progress, st.floats(), TEXT)
)
SECTION = (
    st.builds(Figures, TEXT, st.dictionaries(TEXT, CELL, max_size=3))
    | st.builds(Table, TEXT, st.lists(TEXT, max_size=3), st.lists(st.lists(CELL, max_size=3)))
    | st.builds(Curve, TEXT, st.lists(st.tuples(st.floats(), st.floats()), max_size=5), TEXT)
    | st.builds(Log, TEXT, st.lists(TEXT, max_size=3))
    | st.builds(Note, TEXT, TEXT)
    | st.builds(Bars, TEXT, st.lists(st.tuples(TEXT, st.integers(0, 9)), max_size=3), TEXT)
    | st.builds(
        Form,
        TEXT,
        TEXT,
        TEXT,
        st.lists(st.builds(Field, TEXT, TEXT, TEXT, st.lists(st.tuples(TEXT, TEXT)), TEXT)),
        st.dictionaries(TEXT, TEXT, max_size=2),
        TEXT,
    )
    | st.builds(
        Network,
        TEXT,
        st.lists(st.builds(Node, TEXT, TEXT, st.just("good"), st.floats(0, 1), TEXT), max_size=3),
        st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 9)), max_size=3),
        st.dictionaries(st.just("good"), TEXT),
        TEXT,
        TEXT,
        TEXT,
    )
    | st.builds(Tree, TEXT, st.builds(Branch, CELL, TEXT, st.just([Branch("leaf")])))
)
PAGE = st.builds(
    Page, TEXT, TEXT, TEXT, st.lists(SECTION, max_size=4), st.lists(st.builds(LinkTo, TEXT, TEXT))
)


class Outline(HTMLParser):
    """Collects the elements of a document, and every attribute of them."""

    def __init__(self, source: bytes) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(source.decode())
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes.extend(attrs)


@settings(max_examples=60, deadline=None)
@given(PAGE)
def test_no_text_becomes_markup(page: Page) -> None:
    """Any text in any cell leaves our scripts, no image, no event handler and no foreign scheme."""
    outline = Outline(render(page))
    drawn = any(isinstance(section, Network) for section in page.sections)
    assert outline.tags.count("script") == 1 + drawn
    assert "img" not in outline.tags
    assert not [name for name, _ in outline.attributes if name.startswith("on")]
    links = [value or "" for name, value in outline.attributes if name == "href"]
    assert not [link for link in links if re.match(r"\s*(javascript|vbscript):", link, re.I)]


@settings(max_examples=60, deadline=None)
@given(PAGE)
def test_a_page_is_values_too(page: Page) -> None:
    """Every page has a form that status.json can give."""
    assert to_data(page)["title"] == page.title


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "data:text/html,x", "http://[", "java\tscript:x", "\x01http://a"]
)
def test_a_link_of_a_dangerous_scheme_is_plain_text(url: str) -> None:
    """A cell whose URL is not http(s) or relative shows its text without a link."""
    page = render(Page("t", "k", "n", [Figures("f", {"a": LinkTo("here", url)})]))
    assert "<a " not in page.decode() and "here" in page.decode()


def test_a_link_leads_where_it_says() -> None:
    """A link keeps its URL, escaped."""
    page = render(Page("t", "k", "n", [], [LinkTo("a & b", "/urls?after=a&limit=2")]))
    assert '<a href="/urls?after=a&amp;limit=2">a &amp; b</a>' in page.decode()


def test_sections_show_in_order_with_their_titles() -> None:
    """Each section is a landmark named by its heading."""
    page = render(Page("t", "k", "n", [Log("First", ["old", "new"]), Note("Second", "n")])).decode()
    assert re.findall(r"<h2[^>]*>(\w+)</h2>", page) == ["First", "Second"]
    assert page.index(">new<") < page.index(">old<")


def test_numbers_of_a_table_stand_to_the_right() -> None:
    """A column of numbers has its heading and cells to the right, with thousands apart."""
    page = render(Page("t", "k", "n", [Table("T", ["host", "pages"], [["a", 12345]])])).decode()
    assert '<th scope="col" class="number">pages</th>' in page
    assert '<td class="number">12,345</td>' in page


@pytest.mark.parametrize(
    "figure",
    ["1.60 s", "2 min 05 s", "1 h 59 min", "54.6 MB", "12 bytes", "554 / 4", "1,204", "0.3/s", "7%",
     "19.6 MB/s", "-3 ms", "40.0 µs"],
)  # fmt: skip
def test_quantities_of_a_table_stand_to_the_right_unbroken(figure: str) -> None:
    """A figure with its unit is set as a number is; its column may have empty cells."""
    rows = [["a", figure], ["b", ""]]
    page = render(Page("t", "k", "n", [Table("T", ["host", "took"], rows)])).decode()
    assert '<th scope="col" class="number">took</th>' in page
    assert f'<td class="number">{figure}</td><' in page


@pytest.mark.parametrize("text", ["127.0.0.1", "crawler-1", "2026-11-21 09:07", "7101", "1 crawl"])
def test_short_texts_are_not_broken(text: str) -> None:
    """Names, addresses and dates stay in one line; only long texts break, with room to do so."""
    rows = [[LinkTo(text, "/"), "word " * 20]]
    page = render(Page("t", "k", "n", [Table("T", ["name", "note"], rows)])).decode()
    assert f'<td class="short"><a href="/">{text}</a>' in page
    assert '<td class="long">word' in page


def test_a_table_without_rows_says_so() -> None:
    """No row gives the sentence chosen for it."""
    page = render(Page("t", "k", "n", [Table("T", ["a"], [], empty="No crawl runs.")])).decode()
    assert "No crawl runs." in page and "<table" not in page


def test_a_deep_tree_ends() -> None:
    """A tree deeper than the limit is cut, and gives no error."""
    branch = Branch("leaf")
    for _ in range(200):
        branch = Branch("level", children=[branch])
    assert render(Page("t", "k", "n", [Tree("T", branch)])).count(b"level") == 33


def test_a_curve_has_a_description_and_scales() -> None:
    """A curve says in words what it draws, and its scale in people's units."""
    series = Series()
    series.add(0.0, 0.0)
    series.add(90.0, 1_500_000.0)
    page = unescape(render(Page("t", "k", "n", [Curve("Received", series, "bytes/s")])).decode())
    assert 'aria-label="Received: 1.50 MB/s now, at most 1.50 MB/s in 1 min 30 s"' in page
    assert "<span>2 MB/s</span>" in page and "1 min 30 s ago" in page


def test_only_live_pages_refresh() -> None:
    """A monitoring page refreshes with and without script; a plain document does not."""
    live = render(Page("t", "k", "n")).decode()
    assert '<noscript><meta http-equiv="refresh"' in live and "<script>" in live
    still = document("t", "<p>x</p>").decode()
    assert "refresh" not in still and "<script>" not in still


def test_the_policy_allows_only_our_script_and_style() -> None:
    """The Content-Security-Policy names scripts and the style by hash, and no wildcard."""
    assert CONTENT_SECURITY_POLICY.count("'sha256-") == 3
    assert "unsafe" not in CONTENT_SECURITY_POLICY and "*" not in CONTENT_SECURITY_POLICY
