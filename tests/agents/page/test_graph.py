"""A graph shows who links to whom."""

from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from agents.page.graph import EDGE_LIMIT, NODE_LIMIT, graph_html
from agents.page.values import Graph

names = st.text(max_size=40)


def test_nodes_and_links() -> None:
    """Each node has its name, and each pair a line that tells how many links it stands for."""
    html = graph_html(Graph("Site", {("a/", "b/"): 1200, ("b/", "b/"): 3}, unit="folders"))
    assert html.count("<circle") == 2 and html.count("<path") == 1
    assert "a/ → b/: 1,200" in html and "2 folders" in html


def test_an_empty_graph() -> None:
    """Without links there is a word instead of a picture."""
    assert "<svg" not in graph_html(Graph("Site", {}))


def test_a_large_graph_is_cut() -> None:
    """The nodes with most links are drawn, and the number of the others told."""
    edges = {(f"n{i}", f"n{j}"): i + j for i in range(50) for j in range(50)}
    html = graph_html(Graph("Site", edges))
    assert html.count("<circle") == NODE_LIMIT and html.count("<path") <= EDGE_LIMIT
    assert "n49" in html and "22 more are not drawn" in html


@given(st.dictionaries(st.tuples(names, names), st.integers(1, 10**9), max_size=20))
def test_any_names_give_a_picture(edges: dict[tuple[str, str], int]) -> None:
    """Whatever folders are called, the picture is well-formed."""
    etree.fromstring(graph_html(Graph("<&>", edges)))
