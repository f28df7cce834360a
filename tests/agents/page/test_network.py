"""A network is bounded, and each node leads where it says."""

import re

from agents.page import Network, Node, Page, render
from agents.page.network import LINK_LIMIT, NODE_LIMIT


def drawn(nodes: list[Node], links: list[tuple[int, int, int]]) -> str:
    """Return a page with a network."""
    network = Network("Sites", nodes, links, {"good": "member"}, "/graph", "site")
    return render(Page("t", "k", "n", [network], live=False)).decode()


def test_links_join_the_nodes_they_name() -> None:
    """A link goes from one node to another; one to a node that is not there is left out."""
    nodes = [Node("a", "/a", "good", 1.0, "first"), Node("b", "/b")]
    page = drawn(nodes, [(0, 1, 5), (1, 7, 5), (1, 1, 5)])
    assert re.findall(r'data-ends="(\d+ \d+)"', page) == ["0 1"]
    assert '<a href="/a" class="node good labelled" data-name="a"' in page
    assert "<title>a: first</title>" in page and "2 nodes, 1 links" in page


def test_a_picture_is_bounded() -> None:
    """However many nodes and links there are, some hundreds and thousands are drawn."""
    nodes = [Node(f"n{number}", "/") for number in range(NODE_LIMIT + 100)]
    links = [(a, b, 1) for a in range(100) for b in range(100)]
    page = drawn(nodes, links)
    assert page.count('class="node') == NODE_LIMIT
    assert page.count("<line ") == LINK_LIMIT


def test_the_greater_is_drawn_the_larger() -> None:
    """Size shows in the radius; the foremost node is drawn last, on top of the others."""
    page = drawn([Node("big", "/", size=1.0), Node("small", "/", size=0.0)], [])
    radii = [float(each) for each in re.findall(r'<circle r="([\d.]+)"', page)]
    assert radii == sorted(radii) and radii[0] < radii[1]


def test_without_nodes_it_says_so() -> None:
    """No node gives words instead of a picture."""
    assert "<line" not in drawn([], []) and "Nothing yet." in drawn([], [])
