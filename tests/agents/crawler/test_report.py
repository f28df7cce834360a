"""The report is valid XML whatever was met, and bounded."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from agents.crawler import findings as module
from agents.crawler.findings import Findings, Listing, Tally
from agents.crawler.report import report
from agents.order import CrawlFigures, Order

SCHEMA = etree.XMLSchema(etree.parse(Path(__file__).parents[3] / "docs/reference/report.xsd"))
ANY = st.text(max_size=20)


@given(ANY, ANY, ANY, st.integers(0, 999), st.floats(0, 1e9))
def test_any_text_gives_a_valid_report(
    url: str, remark: str, kind: str, status: int, seconds: float
) -> None:
    """Control characters, markup, lone surrogates: the schema holds."""
    findings = Findings()
    findings.answer(status, kind, 10, 3, "new")
    findings.external("http://a.org/x", 2)
    findings.edge("a.org/", url, 1)
    for listing in (findings.feeds, findings.streams, findings.failures, findings.traps):
        listing.add(url, remark)
    order = Order("c", remark, url, kind)
    text = report(order, CrawlFigures(seconds=seconds), findings, urls_gone=3)
    root = etree.fromstring(text)
    SCHEMA.assertValid(root)
    assert root.find("external/link").get("count") == "2"
    assert root.find("statistics/figure[@name='urls_gone']").get("value") == "3"


def test_tally_and_listing_are_bounded() -> None:
    """What does not fit is counted as cut."""
    tally, listing = Tally(2), Listing(2)
    for name in "abcab":
        tally.add(name)
        listing.add(name)
    assert (tally.counts, tally.cut) == ({"a": 2, "b": 2}, 1)
    assert (list(listing.entries), listing.cut, len(listing)) == (["a", "b"], 1, 3)


def test_formats_and_edges_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Servers that invent media types or folders can't fill the memory."""
    monkeypatch.setattr(module, "HOST_LIMIT", 2)
    monkeypatch.setattr(module, "EDGE_LIMIT", 2)
    findings = Findings()
    for number in range(5):
        findings.answer(200, f"x/{number}", 1, 0, "new")
        findings.edge("a", str(number), 1)
    assert findings.formats == {"x/0": [1, 1], "x/1": [1, 1], "other": [3, 3]}
    assert len(findings.edges) == 2
    assert findings.edges_cut == 3
