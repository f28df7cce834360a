"""Reads what a crawl's report tells the scheduler (schema: `docs/reference/report.xsd`).

The report holds text from the web, so it is read as hostile: no entities, no network, one element
at a time, and everything that is kept is bounded.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from attrs import define, field
from lxml import etree

from agents.deposit import Findings

_SAMPLE = 100  # feeds, streams, languages and statistics that are kept
_TEXT_LIMIT = 2000  # characters of one of them


@define
class _Found:
    """What has been read so far."""

    external_links: int = 0
    external_hosts: int = 0
    feeds: list[str] = field(factory=list)
    streams: list[str] = field(factory=list)
    languages: list[str] = field(factory=list)
    statistics: dict[str, str] = field(factory=dict)


def read_report(path: Path, limit: int) -> Findings:
    """Return what a report tells; it blocks.

    A report that cannot be read gives what was read up to there and says what is wrong: the
    deposit of a crawl does not depend on it.

    Args:
        path: of the report.
        limit: bytes past which it is not read at all.
    """
    found = _Found()
    try:
        if path.stat().st_size > limit:
            return Findings(problem=f"the report is larger than {limit} bytes")
        _read(path, found)
    except (etree.XMLSyntaxError, OSError) as error:
        return _findings(found, f"the report cannot be read: {error}"[:_TEXT_LIMIT])
    return _findings(found, "")


def _read(path: Path, found: _Found) -> None:
    with path.open("rb") as file:
        events = etree.iterparse(
            file,
            events=("end",),
            resolve_entities=False,
            no_network=True,
            load_dtd=False,
            huge_tree=False,
            remove_comments=True,
            remove_pis=True,
        )
        for _, element in events:
            parent = element.getparent()
            if parent is not None:
                take = _TAKE.get((_name(parent), _name(element)))
                if take is not None:
                    take(found, element)
                element.clear()
                while element.getprevious() is not None:
                    del parent[0]


def _link(found: _Found, _: Any) -> None:
    found.external_links += 1


def _host(found: _Found, _: Any) -> None:
    found.external_hosts += 1


def _links_cut(found: _Found, element: Any) -> None:
    found.external_links += _count(element.get("cut"))


def _hosts_cut(found: _Found, element: Any) -> None:
    found.external_hosts += _count(element.get("cut"))


def _count(text: str | None) -> int:
    """Return a count that an attribute holds; 0 for what is none."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 16 else 0


def _sampled(kept: Callable[[_Found], list[str]], attribute: str) -> Callable[[_Found, Any], None]:
    def take(found: _Found, element: Any) -> None:
        value = element.get(attribute)
        if value and len(kept(found)) < _SAMPLE:
            kept(found).append(value[:_TEXT_LIMIT])

    return take


def _figure(found: _Found, element: Any) -> None:
    name, value = element.get("name"), element.get("value")
    if name and value is not None and len(found.statistics) < _SAMPLE:
        found.statistics[name[:_TEXT_LIMIT]] = value[:_TEXT_LIMIT]


_TAKE: dict[tuple[str, str], Callable[[_Found, Any], None]] = {
    ("external", "link"): _link,
    ("report", "external"): _links_cut,
    ("hosts", "host"): _host,
    ("report", "hosts"): _hosts_cut,
    ("feeds", "feed"): _sampled(lambda found: found.feeds, "url"),
    ("streams", "stream"): _sampled(lambda found: found.streams, "url"),
    ("texts", "language"): _sampled(lambda found: found.languages, "name"),
    ("statistics", "figure"): _figure,
}


def _name(element: Any) -> str:
    """Return the name of an element without its namespace."""
    return str(etree.QName(element).localname) if isinstance(element.tag, str) else ""


def _findings(found: _Found, problem: str) -> Findings:
    return Findings(
        external_links=found.external_links,
        external_hosts=found.external_hosts,
        feeds=found.feeds,
        streams=found.streams,
        languages=found.languages,
        statistics=found.statistics,
        problem=problem,
    )
