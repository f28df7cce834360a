"""A network as inline SVG; its script lays it out, and lets a person search, zoom and move it.

Without the script the nodes stand on a spiral, the foremost in the middle.
"""

from math import cos, pi, sin, sqrt

from agents.page.cells import leads, text_html
from agents.page.text import human_number
from agents.page.values import Network, Node

WIDTH, HEIGHT = 1000, 640
NODE_LIMIT = 500
LINK_LIMIT = 5000
_GOLDEN = pi * (3 - sqrt(5))  # an angle by which no two places of a spiral meet
_LABELLED = 24  # of the foremost nodes; the others when somebody points at them
_LABEL = 28  # characters of a name


def network_html(network: Network) -> str:
    """Return the figure of a network, without its section."""
    nodes = network.nodes[:NODE_LIMIT]
    if not nodes:
        return f'<p class="empty">{text_html(network.empty)}</p>'
    links = [link for link in network.links if max(link[:2]) < len(nodes) and link[0] != link[1]]
    links = sorted(links, key=lambda link: -link[2])[:LINK_LIMIT]
    places = [_place(number, len(nodes)) for number in range(len(nodes))]
    words = f"{human_number(len(nodes))} nodes, {human_number(len(links))} links"
    return (
        f'<figure class="network" data-key="network">{_search(network)}'
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="group" '
        f'aria-label="{text_html(network.title)}: {text_html(words)}"><g>'
        + "".join(
            f'<line data-ends="{source} {target}" x1="{places[source][0]:.1f}" '
            f'y1="{places[source][1]:.1f}" x2="{places[target][0]:.1f}" '
            f'y2="{places[target][1]:.1f}"/>'
            for source, target, _ in links
        )
        + "</g><g>"
        + "".join(  # the foremost last, and so on top
            _node(nodes[number], number, *places[number]) for number in reversed(range(len(nodes)))
        )
        + f"</g></svg><figcaption>{_legend(network)}<span>{text_html(words)}</span></figcaption>"
        "</figure>"
    )


def _search(network: Network) -> str:
    path, name, value = (text_html(text) for text in (network.path, network.name, network.value))
    return (
        f'<form action="{path}"><label for="network-search">Site</label>'
        f'<input id="network-search" name="{name}" value="{value}" type="search">'
        "<button>Show its neighbours</button><span>"
        '<button type="button" data-zoom="0.7" aria-label="Zoom in">+</button>'
        '<button type="button" data-zoom="1.4" aria-label="Zoom out">−</button>'
        '<button type="button" data-zoom="0" aria-label="Show all">all</button></span></form>'
    )


def _legend(network: Network) -> str:
    return "".join(
        f'<span class="legend"><i class="dot {text_html(tone)}"></i>{text_html(words)}</span>'
        for tone, words in network.legend.items()
    )


def _place(number: int, count: int) -> tuple[float, float]:
    share = sqrt((number + 0.5) / count)
    angle = number * _GOLDEN
    return (
        WIDTH / 2 + share * cos(angle) * WIDTH * 0.46,
        HEIGHT / 2 + share * sin(angle) * HEIGHT * 0.46,
    )


def _node(node: Node, number: int, x: float, y: float) -> str:
    radius = 4 + 14 * sqrt(min(1.0, max(0.0, node.size)))
    short = node.name if len(node.name) <= _LABEL else node.name[: _LABEL - 1] + "…"
    note = f": {node.note}" if node.note else ""
    where = f' href="{text_html(node.url)}"' if leads(node.url) else ""
    kind = " labelled" if number < _LABELLED else ""
    return (
        f'<a{where} class="node {text_html(node.tone)}{kind}" '
        f'data-name="{text_html(node.name)}" transform="translate({x:.1f} {y:.1f})">'
        f"<title>{text_html(node.name)}{text_html(note)}</title>"
        f'<circle r="{radius:.1f}"/><text y="{-radius - 4:.1f}">{text_html(short)}</text></a>'
    )
