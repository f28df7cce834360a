"""The report of a crawl as XML; its schema is docs/reference/report.xsd (*INA §1.4.5*). Pure."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from attrs import asdict
from lxml import etree

from agents.crawler.findings import Findings, Listing
from agents.order import CrawlFigures, Order

VERSION = "1"
_NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_Element = Any  # lxml's elements have no useful public type


def report(
    order: Order,
    figures: CrawlFigures,
    findings: Findings,
    texts: Mapping[str, Any] | None = None,
    **more: int,
) -> bytes:
    """Return the report of a finished crawl.

    Args:
        order: what was collected.
        figures: the final counts.
        findings: the rest.
        texts: what was worked out of texts (`agents.crawler.text_summary`), if anything was.
        more: further named figures.
    """
    root = etree.Element("report", version=VERSION, crawl=order.crawl, site=_text(order.site))
    _delimitation(root, order)
    _statistics(root, figures, more)
    _counts(root, "statuses", "status", "code", sorted(findings.statuses.items()))
    _counts(root, "levels", "level", "depth", sorted(findings.levels.items()))
    formats = etree.SubElement(root, "formats")
    for kind, (answers, size) in sorted(findings.formats.items()):
        entry = {"type": _text(kind), "count": str(answers), "bytes": str(size)}
        etree.SubElement(formats, "format", entry)
    _external(root, findings)
    _graph(root, findings)
    _listing(root, "feeds", "feed", "page", findings.feeds)
    _listing(root, "streams", "stream", "page", findings.streams)
    _listing(root, "failures", "failure", "reason", findings.failures)
    _counts(root, "limits", "limit", "kind", sorted(findings.trap_kinds.items()))
    _listing(root, "traps", "trap", "reason", findings.traps)
    _listing(root, "sessions", "session", "followed", findings.sessions)
    _listing(root, "excluded", "url", "reason", findings.excluded)
    if texts is not None:
        _texts(root, texts)
    etree.indent(root)
    return bytes(etree.tostring(root, xml_declaration=True, encoding="utf-8")) + b"\n"


def _delimitation(root: _Element, order: Order) -> None:
    names = ("start_url", "accept", "reject", "maximum_depth")
    etree.SubElement(
        root, "delimitation", {name: _text(str(getattr(order, name))) for name in names}
    )


def _statistics(root: _Element, figures: CrawlFigures, more: Mapping[str, int]) -> None:
    parent = etree.SubElement(root, "statistics")
    values = asdict(figures)
    del values["waiting_for"], values["waiting_until"], values["queued"]
    for name, value in {**values, **more}.items():
        text = f"{value:.3f}" if isinstance(value, float) else str(value)
        etree.SubElement(parent, "figure", name=name, value=text)


def _counts(
    root: _Element, name: str, child: str, attribute: str, counts: Iterable[tuple[Any, int]]
) -> None:
    parent = etree.SubElement(root, name)
    for key, count in counts:
        etree.SubElement(parent, child, {attribute: str(key), "count": str(count)})


def _texts(root: _Element, texts: Mapping[str, Any]) -> None:
    """Tell what was worked out of the texts of the site; rates are left out when unknown."""
    names = ("documents", "characters", "words", "chunks", "update")
    parent = etree.SubElement(root, "texts", _known({name: texts[name] for name in names}))
    for name, pages, characters in texts["languages"]:
        told = {"name": name, "pages": pages, "characters": characters}
        etree.SubElement(parent, "language", _known(told))
    for name, count in texts["keywords"]:
        etree.SubElement(parent, "keyword", text=_text(name), count=str(count))
    for name, count, pages, urls in texts["terms"]:
        told = {"text": _text(name), "count": count, "pages": pages}
        term = etree.SubElement(parent, "term", _known(told))
        for url in urls:
            etree.SubElement(term, "page", url=url)
    for depth, documents, chunks, update in texts["levels"]:
        told = {"depth": depth, "documents": documents, "chunks": chunks, "update": update}
        etree.SubElement(parent, "level", _known(told))


def _known(values: Mapping[str, Any]) -> dict[str, str]:
    return {name: str(value) for name, value in values.items() if value is not None}


def _external(root: _Element, findings: Findings) -> None:
    parent = etree.SubElement(root, "external", cut=str(findings.externals.cut))
    for url, count in _most(findings.externals.counts):
        etree.SubElement(parent, "link", url=url, count=str(count))
    hosts = etree.SubElement(root, "hosts", cut=str(findings.hosts.cut))
    for host, count in _most(findings.hosts.counts):
        etree.SubElement(hosts, "host", name=host, count=str(count))


def _graph(root: _Element, findings: Findings) -> None:
    parent = etree.SubElement(root, "graph", cut=str(findings.edges_cut))
    for (source, destination), count in sorted(findings.edges.items()):
        edge = {"from": _text(source), "to": _text(destination), "links": str(count)}
        etree.SubElement(parent, "edge", edge)


def _listing(root: _Element, name: str, child: str, attribute: str, listing: Listing) -> None:
    parent = etree.SubElement(root, name, cut=str(listing.cut))
    for url, remark in listing.entries.items():
        etree.SubElement(parent, child, {"url": _text(url), attribute: _text(remark)})


def _most(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _text(text: str) -> str:
    """Return text without the characters that XML can't hold."""
    return _NOT_XML.sub("\ufffd", text)
