"""The graph of sites as a picture: the foremost ones, or a site and its neighbours."""

from agents.page import Network, Node, Section
from agents.page.values import Tone
from agents.portion import SiteGraph
from agents.scheduler.pages.cells import rank, site_path

SIZE = 200  # sites in the picture
# Candidates have the accent's colour, so that they and what is dormant are told apart.
_TONES: dict[str, Tone | str] = {
    "member": "good",
    "temporary": "warning",
    "blacklisted": "bad",
    "dormant": "quiet",
}
_LEGEND = {
    "good": "member",
    "warning": "being judged",
    "": "candidate",
    "bad": "blacklisted",
    "quiet": "dormant",
}


def sections_of(graph: SiteGraph, site: str) -> list[Section]:
    """Return the page's sections.

    Args:
        graph: what is shown.
        site: whose neighbours these are; empty for the foremost sites.
    """
    most = max((node.authority for node in graph.nodes), default=0.0) or 1.0
    nodes = [
        Node(
            node.site,
            site_path(node.site),
            _TONES.get(node.standing, ""),  # type: ignore[arg-type]
            node.authority / most,
            f"{node.standing}, authority {rank(node.authority)}, hub {rank(node.hub)}, "
            f"relevance {rank(node.relevance)}",
        )
        for node in graph.nodes
    ]
    title = f"{site} and its neighbours" if site else "The foremost sites by authority"
    return [Network(title, nodes, graph.links, _LEGEND, "/graph", "site", site)]  # type: ignore[arg-type]
