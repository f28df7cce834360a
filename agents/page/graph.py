"""A graph as inline SVG: nodes on a circle, links as curves through it."""

from collections import Counter
from collections.abc import Mapping
from math import cos, log2, pi, sin

from agents.page.cells import text_html
from agents.page.text import human_number
from agents.page.values import Graph

WIDTH, HEIGHT, RADIUS = 760, 460, 170
NODE_LIMIT = 28  # drawn; the rest is counted
EDGE_LIMIT = 300
_LABEL = 30  # characters of a name

_Place = tuple[float, float]


def graph_html(graph: Graph) -> str:
    """Return the figure of a graph, without its section."""
    weights = _weights(graph.edges)
    if not weights:
        return f'<p class="empty">{text_html(graph.empty)}</p>'
    shown = [name for name, _ in weights.most_common(NODE_LIMIT)]
    angles = {name: 2 * pi * place / len(shown) for place, name in enumerate(sorted(shown))}
    places = {name: _at(angle, RADIUS) for name, angle in angles.items()}
    edges = sorted(graph.edges.items(), key=lambda edge: -edge[1])
    drawn = [edge for edge in edges if edge[0][0] in places and edge[0][1] in places][:EDGE_LIMIT]
    rest = len(weights) - len(shown)
    more = f"; {human_number(rest)} more are not drawn" if rest else ""
    words = f"{human_number(len(weights))} {graph.unit}{more}"
    return (
        f'<figure class="graph"><svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{text_html(graph.title)}: {text_html(words)}">'
        + "".join(_edge(*pair, count, places) for pair, count in drawn)
        + "".join(_node(name, angles[name], weights[name]) for name in shown)
        + f"</svg><figcaption>{text_html(words)}</figcaption></figure>"
    )


def _weights(edges: Mapping[tuple[str, str], int]) -> Counter[str]:
    """Return the links that lead to or from each node."""
    weights: Counter[str] = Counter()
    for (source, destination), count in edges.items():
        weights[source] += count
        weights[destination] += count if destination != source else 0
    return weights


def _at(angle: float, radius: float) -> _Place:
    return WIDTH / 2 + radius * cos(angle), HEIGHT / 2 + radius * sin(angle)


def _edge(source: str, destination: str, count: int, places: Mapping[str, _Place]) -> str:
    if source == destination:
        return ""
    (x, y), (to_x, to_y) = places[source], places[destination]
    title = f"{source} → {destination}: {human_number(count)}"
    return (
        f'<path d="M{x:.1f} {y:.1f}Q{WIDTH / 2} {HEIGHT / 2} {to_x:.1f} {to_y:.1f}" '
        f'stroke-width="{0.6 + log2(1 + count) / 4:.2f}"><title>{text_html(title)}</title></path>'
    )


def _node(name: str, angle: float, weight: int) -> str:
    x, y = _at(angle, RADIUS)
    size = min(10.0, 2.5 + log2(1 + weight) / 2)
    label_x, label_y = _at(angle, RADIUS + 14)
    side = "start" if cos(angle) >= 0 else "end"
    short = name if len(name) <= _LABEL else "…" + name[1 - _LABEL :]
    title = f"{name}: {human_number(weight)}"
    return (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size:.1f}"><title>{text_html(title)}</title>'
        f'</circle><text x="{label_x:.1f}" y="{label_y + 4:.1f}" text-anchor="{side}">'
        f"{text_html(short)}</text>"
    )
