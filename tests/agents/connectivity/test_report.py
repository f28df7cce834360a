"""Reading reports, which hold text from the web."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.connectivity.report import read_report

REPORT = """<?xml version="1.0" encoding="utf-8"?>
<report version="1" crawl="c" site="s">
  <statistics><figure name="captures" value="3"/><figure name="seconds" value="1.5"/></statistics>
  <external cut="5">
    <link url="http://b.example/" count="2"/><link url="http://c.example/&lt;" count="1"/>
  </external>
  <hosts cut="1"><host name="b.example" count="2"/><host name="c.example" count="1"/></hosts>
  <feeds cut="0"><feed url="http://a.example/feed" page="http://a.example/"/></feeds>
  <streams cut="0"><stream url="http://a.example/live.m3u" page="http://a.example/"/></streams>
<texts documents="2"><language name="fr" pages="2" characters="90"/></texts>
</report>
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the report is."""
    return tmp_path / "report.xml"


def test_what_a_report_tells(path: Path) -> None:
    """Links are counted, with those that were cut; feeds, streams and figures are named."""
    path.write_text(REPORT)
    found = read_report(path, 10_000)
    assert (found.external_links, found.external_hosts) == (7, 3)
    assert found.feeds == ["http://a.example/feed"]
    assert found.streams == ["http://a.example/live.m3u"]
    assert found.statistics == {"captures": "3", "seconds": "1.5"}
    assert found.languages == ["fr"]
    assert found.problem == ""


def test_a_report_is_not_trusted(path: Path, tmp_path: Path) -> None:
    """Entities are not followed, floods are bounded, and what is cut short says so."""
    (tmp_path / "secret").write_text("the secret")
    path.write_text(
        f'<!DOCTYPE report [<!ENTITY x SYSTEM "file://{tmp_path}/secret">]>'
        '<report><feeds><feed url="a">&x;</feed></feeds></report>'
    )
    assert "secret" not in str(read_report(path, 10_000))
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    path.write_text(
        f'<!DOCTYPE report [<!ENTITY l0 "ha">{laughs}]>'
        '<report><statistics><figure name="a" value="&l11;"/></statistics></report>'
    )
    assert len(str(read_report(path, 10_000))) < 5000
    feeds = '<feed url="u"/>' * 1000
    path.write_text(f"<report><feeds>{feeds}</feeds></report>")
    assert len(read_report(path, 100_000).feeds) == 100
    assert "larger" in read_report(path, 1000).problem
    path.write_text(REPORT[:400])
    cut_short = read_report(path, 10_000)
    assert cut_short.problem and cut_short.statistics
    assert "cannot be read" in read_report(tmp_path / "none.xml", 1000).problem


@given(st.binary(max_size=300))
def test_any_bytes_give_findings(tmp_path_factory: pytest.TempPathFactory, garbage: bytes) -> None:
    """A damaged report never stands in the way of a deposit."""
    path = tmp_path_factory.mktemp("r") / "report.xml"
    path.write_bytes(garbage)
    assert read_report(path, 1000).external_links == 0
