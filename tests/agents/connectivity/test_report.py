"""Reading reports, which hold text from the web."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.connectivity import elements as module
from agents.connectivity.elements import NESTING, BadReport, elements
from agents.connectivity.report import read_report, read_urls
from agents.crawler.findings import Findings
from agents.crawler.report import report
from agents.crawler.text_summary import Summary as Texts
from agents.judgement import LEVELS, LevelUpdate, Update
from agents.order import CrawlFigures, Order
from agents.summary import Format, Language, Summary, Term

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
TOLD = {
    "documents": 3, "characters": 100, "words": 20, "chunks": 8, "update": 0.25,
    "languages": [["fr", 2, 70], ["en", 1, 30]],
    "keywords": [["dépôt légal", 40]],
    "terms": [["a & b", 7, 2, ["http://a.example/"]]],
    "levels": [[0, 1, 2, 0.5], [1, 2, 6, None]],
}  # fmt: skip


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the report is."""
    return tmp_path / "report.xml"


def test_what_a_report_tells(path: Path) -> None:
    """Links are counted, with those that were cut; feeds, streams and figures are named."""
    path.write_text(REPORT)
    found = read_report(path, 10_000).findings
    assert (found.external_links, found.external_hosts) == (7, 3)
    assert found.feeds == ["http://a.example/feed"]
    assert found.streams == ["http://a.example/live.m3u"]
    assert found.statistics == {"captures": "3", "seconds": "1.5"}
    assert found.languages == ["fr"]
    assert found.problem == ""
    assert list(read_urls(path, 10_000)) == [
        ("link", "http://b.example/", 2),
        ("link", "http://c.example/<", 1),
        ("feed", "http://a.example/feed", 1),
        ("stream", "http://a.example/live.m3u", 1),
    ]


def test_the_likeliest_streams_are_the_sample(tmp_path: Path) -> None:
    """One radio may be named after hundreds of files; a URL that is too long is left out whole."""
    files = [f"http://a.example/{number}.mp3" for number in range(200)]
    radio, long = "http://a.example/live.pls", f"http://a.example/{'a' * 3000}.pls"
    streams = "".join(f'<stream url="{url}"/>' for url in [*files, radio, long])
    path = tmp_path / "report.xml"
    path.write_text(f"<report><streams>{streams}</streams></report>")
    assert read_report(path, 10**6).findings.streams == [radio, *files[:99]]


def test_what_a_crawler_writes_is_read_whole(path: Path) -> None:
    """All that a site is judged by, and all that is new in it, comes through the report."""
    findings = Findings()
    findings.answer(200, "text/html", 1000, 0, "new")
    findings.answer(404, "text/plain", 10, 2, "new")
    findings.external("http://b.example/?a=1&b=2", 4)
    figures = CrawlFigures(
        captures=5, pages=4, bytes_received=6, urls_new=3, urls_changed=2, urls_unchanged=1
    )
    order = Order("c", "s", "u", "e")
    path.write_bytes(report(order, figures, findings, TOLD, urls_gone=9, requests=7))
    read = read_report(path, 100_000)
    assert read.summary == Summary(
        captures=5, pages=4, documents=3, characters=100, words=20,
        languages=(Language("fr", 2, 70), Language("en", 1, 30)),
        terms=(Term("a & b", 7, 2),),
        keywords=(("dépôt légal", 40),),
        formats=(Format("text/html", 1, 1000), Format("text/plain", 1, 10)),
    )  # fmt: skip
    levels = (LevelUpdate(0, 1, 1, 2, 0.5), LevelUpdate(1, 0, 2, 6, None), LevelUpdate(2, 1))
    assert read.update == Update(0.25, 3, 8, levels, 3, 2, 1, 9, requests=7, bytes=6)
    assert list(read_urls(path, 100_000)) == [("link", "http://b.example/?a=1&b=2", 4)]
    assert set(TOLD) == set(Texts().told())  # the crawler tells nothing else


def test_a_crawl_without_texts_tells_of_none(path: Path) -> None:
    """Nothing was compared, so no rate is known; a rate that is none is not either."""
    path.write_text("<report><statistics/></report>")
    assert read_report(path, 1000).update == Update()
    for nonsense in ("nan", "inf", "", "much"):
        path.write_text(f'<report><texts documents="1" update="{nonsense}"/></report>')
        assert read_report(path, 1000).update == Update(documents=1)
    path.write_text('<report><texts update="7"/></report>')
    assert read_report(path, 1000).update.rate == 1


def test_a_report_is_not_trusted(path: Path, tmp_path: Path) -> None:
    """Entities are refused with their DOCTYPE, floods are bounded, what is cut short says so."""
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
    assert "DOCTYPE" in read_report(path, 10_000).problem
    assert list(read_urls(path, 10_000)) == []
    feeds = '<feed url="u"/>' * 1000
    path.write_text(f"<report><feeds>{feeds}</feeds></report>")
    assert len(read_report(path, 100_000).feeds) == 100
    assert sum(1 for _ in read_urls(path, 100_000)) == 1000
    assert "larger" in read_report(path, 1000).problem
    path.write_text(REPORT[:400])
    cut_short = read_report(path, 10_000)
    assert cut_short.problem and cut_short.statistics
    assert "cannot be read" in read_report(tmp_path / "none.xml", 1000).problem


@pytest.mark.parametrize("lists", ["terms", "formats", "languages", "keywords"])
def test_every_list_is_bounded(path: Path, lists: str) -> None:
    """A report of any length gives a summary of a size that can be told beforehand."""
    one = "format" if lists == "formats" else lists[:-1]
    around = "formats" if lists == "formats" else "texts"
    many = f'<{one} name="x"/>' * 10_500
    path.write_text(f"<report><{around}>{many}</{around}></report>")
    assert 0 < len(getattr(read_report(path, 2**20), lists)) <= 10_000


@pytest.mark.parametrize("around", ["texts", "levels"])
def test_levels_are_bounded(path: Path, around: str) -> None:
    """However deep a site says it is."""
    many = "".join(f'<level depth="{depth}"/>' for depth in range(3000))
    path.write_text(f"<report><{around}>{many}</{around}></report>")
    assert len(read_report(path, 2**20).update.levels) == LEVELS


@pytest.mark.parametrize("name", ["foo", "utf-7", "rot13", "idna", "undefined", "unicode_escape"])
def test_a_report_is_utf_8_whatever_it_declares(path: Path, name: str) -> None:
    """No codec is looked up by a name that a file gives."""
    text = f"<?xml version='1.0' encoding='{name}'?><feeds><feed url='http://é/'/></feeds>"
    path.write_text(text, encoding="utf-8")
    assert list(read_urls(path, 1000)) == [("feed", "http://é/", 1)]


def test_deep_and_wide_elements_are_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither nesting nor one endless tag fills the memory."""
    path.write_text("<a>" * (NESTING + 1))
    with pytest.raises(BadReport, match="deep"):
        list(elements(path, 10_000))
    path.write_text("<report><a/>" + "<b " + " " * 2_000_000)
    found = []
    with pytest.raises(BadReport, match="a tag of more"):
        for each in elements(path, 10_000_000):
            found.append(each[1])
    assert found == ["report", "a"]
    monkeypatch.setattr(module, "_READ", 7)  # tags lie across reads
    path.write_text(REPORT)
    assert read_report(path, 10_000).findings.external_links == 7


@given(st.binary(max_size=300) | st.text(max_size=100).map(lambda text: f"<r>{text}".encode()))
def test_any_bytes_give_findings(tmp_path_factory: pytest.TempPathFactory, garbage: bytes) -> None:
    """A damaged report never stands in the way of a deposit."""
    path = tmp_path_factory.mktemp("r") / "report.xml"
    path.write_bytes(garbage)
    assert read_report(path, 1000).external_links == 0
    assert list(read_urls(path, 1000)) == []
