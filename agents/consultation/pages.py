"""The monitoring page: what the consultation agent is doing."""

from collections.abc import Sequence

from agents import dates
from agents.consultation.faults.missing import Hole
from agents.consultation.harbor.parts import captures_path
from agents.consultation.measures import Measures
from agents.page import (
    Badge,
    Branch,
    Cell,
    Curve,
    Figures,
    LinkTo,
    Page,
    Section,
    Table,
    Tree,
    human_bytes,
    human_seconds,
)
from agents.urls import readable

_LOOKUPS = {
    "multicast": "Captures are looked up by multicast.",
    "index": "Captures are looked up by the index node.",
    "auto": "Captures are looked up by the index node until multicast proves itself.",
}


def monitoring_page(
    *,
    name: str,
    now: float,
    started: float,
    proxy: str,
    lookup: str,
    measures: Measures,
    readers: int,
    holes: Sequence[Hole],
    links: Sequence[tuple[str, str]],
    notes: Sequence[Section] = (),
    rooms: Sequence[Section] = (),
) -> Page:
    """Return the page.

    Args:
        name: the agent's name.
        now: seconds since the Unix epoch.
        started: the same, when the agent started.
        proxy: `host:port` of the proxy.
        lookup: how captures are looked up now.
        measures: the agent's figures.
        readers: how many readers chose a date.
        holes: what was asked for in vain, newest first.
        links: the agent's masters and the state of the link to each.
        notes: what people must know first.
        rooms: what each part of the agent says of itself.
    """
    sections: list[Section] = [
        *notes,
        Figures("Now", _figures(now, started, lookup, measures, readers)),
        Curve("Answers", measures.requests_curve, "/s"),
        Curve("Time to the first byte", measures.latency_curve, "s"),
        Table("Answers by outcome", ["outcome", "answers", "meaning"], _outcomes(measures)),
        _holes(holes),
        *rooms,
        Tree(
            "Place in the tree",
            Branch(name, "this agent", [Branch(f"slave of {to}", state) for to, state in links]),
        ),
    ]
    return Page(
        title="Consultation",
        kind="consultation",
        name=name,
        sections=sections,
        links=[
            LinkTo("Harbor", "/harbor"),
            LinkTo("Status as JSON", "/status.json"),
            LinkTo("Metrics", "/metrics"),
        ],
        summary=f"Giving the archived web back through the proxy {proxy}. {_LOOKUPS[lookup]}",
    )


def _figures(
    now: float, started: float, lookup: str, measures: Measures, readers: int
) -> dict[str, Cell]:
    return {
        "answers": measures.total,
        "answers a second": round(measures.rate.per_second(now), 1),
        "contents given": human_bytes(measures.bytes.total),
        "contents a second": f"{human_bytes(measures.bytes.per_second(now))}/s",
        "readers with a date": readers,
        "running for": human_seconds(now - started),
        "lookup": Badge(lookup, "quiet" if lookup == "auto" else "good"),
    }


_MEANINGS = {
    "hit": "given from the archive",
    "unknown": "404: no capture of the URL",
    "kept-back": "451: an access rule does not let it be shown",
    "missing": "500: captures or content are missing",
    "unreachable": "503: index or storage nodes do not answer",
    "refused": "no credential, other methods, and what is no request",
    "harbor": "pages of http://dlweb/",
    "preflight": "204: a page may ask another origin",
    "live": "given from the live web",
    "tunnel": "200: CONNECT, behind which https:// URLs are asked for",
}


def _outcomes(measures: Measures) -> list[list[Cell]]:
    return [[name, count, _MEANINGS[name]] for name, count in measures.outcomes.items()]


def _holes(holes: Sequence[Hole]) -> Table:
    rows: list[list[Cell]] = [
        [
            dates.to_words(hole.date),
            hole.status,
            LinkTo(readable(hole.url), captures_path(hole.url)),
            hole.times,
            "yes" if hole.reported else "",
            dates.to_words(hole.found) if hole.found else "",
        ]
        for hole in holes
    ]
    return Table(
        "Recently missing",
        ["last asked (UTC)", "fault", "URL", "times", "told the scheduler", "given since (UTC)"],
        rows,
        empty="Nothing was asked for in vain yet.",
    )
