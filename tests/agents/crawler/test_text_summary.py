"""The texts of a site are summed up, and compared with those of its former crawl."""

from hashlib import sha256
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.analysis.analyse import Analysis, analyse
from agents.analysis.terms import Terms
from agents.crawler import former_texts as former_module
from agents.crawler.errors import BadFormer
from agents.crawler.former_texts import FormerTexts, Line
from agents.crawler.text_summary import PAGES, Summary
from tests.agents.analysis import samples

TERMS = Terms(["droit", "right"])
FIRST = FormerTexts()


def line(text: str, depth: int = 0, url: str = "http://example.org/") -> Line:
    """Return the line of a document."""
    return Line(sha256(text.encode()).hexdigest(), url, depth, analyse(text, TERMS))


def crawl(path: Path, *lines: Line) -> FormerTexts:
    """Write the file of a crawl, and read it as that of a former crawl."""
    path.write_bytes(b"".join(msgspec.json.encode(each) + b"\n" for each in lines))
    return FormerTexts.load(path)


def test_a_site() -> None:
    """Its languages, keywords, special keywords and levels are told."""
    summary = Summary()
    summary.add(line(samples.TEXTS["fr"]), FIRST)
    for number in range(20):
        summary.add(line(samples.TEXTS["en"], 1, f"http://example.org/{number}"), FIRST)
    told = summary.told()
    assert told["documents"] == 21
    assert [language[:2] for language in told["languages"]] == [["en", 20], ["fr", 1]]
    assert told["keywords"][0][0] in ("rights", "article everyone", "shall")
    terms = {term: (pages, first) for term, _, pages, first in told["terms"]}
    assert terms["droit"] == (1, ["http://example.org/"])
    assert terms["right"] == (20, [f"http://example.org/{number}" for number in range(PAGES)])
    assert [level[:2] for level in told["levels"]] == [[0, 1], [1, 20]]
    assert told["update"] == 1.0
    msgspec.json.encode(told)


def test_an_empty_site() -> None:
    """There is nothing to tell."""
    assert Summary().told()["update"] is None


def test_the_rate_of_new_text(tmp_path: Path) -> None:
    """A page with another date is as it was; a new page is new; one that grew is in between."""
    pages = [samples.TEXTS[name] for name in ("fr", "de", "es")]
    former = crawl(tmp_path / "analysis", *map(line, pages))
    summary = Summary()
    summary.add(line("22/09/2005 " + pages[0], 0), former)
    summary.add(line(pages[1] + pages[1].upper()[:10] + samples.TEXTS["it"], 1), former)
    summary.add(line(samples.TEXTS["en"], 2), former)
    rates = {depth: rate for depth, _, _, rate in summary.told()["levels"]}
    assert rates[0] == 0
    assert rates[1] == pytest.approx(0.5, abs=0.1)
    assert rates[2] == 1
    assert 0.4 < summary.told()["update"] < 0.8


def test_the_former_lines(tmp_path: Path) -> None:
    """The line of a content that is not analysed again is found."""
    lines = [line(text) for text in samples.TEXTS.values()]
    former = crawl(tmp_path / "analysis", *lines)
    assert former.line(bytes.fromhex(lines[7].content)) == lines[7]
    assert former.line(bytes.fromhex(lines[0].content)) == lines[0]
    assert former.line(bytes(32)) is None
    former.close()
    assert former.line(bytes.fromhex(lines[7].content)) is None


def test_a_first_crawl(tmp_path: Path) -> None:
    """There is no former file, and everything is new."""
    former = FormerTexts.load(tmp_path / "none")
    assert former.line(bytes(32)) is None
    assert former.compare(line(samples.TEXTS["fr"]).signatures()) == (189, 189)


@pytest.mark.parametrize("bad", [b"{}\n", b"no", b'{"content": "zz"}\n', b"\xff\n"])
def test_bad_former_files(tmp_path: Path, bad: bytes) -> None:
    """They are refused."""
    (tmp_path / "analysis").write_bytes(bad)
    with pytest.raises(BadFormer):
        FormerTexts.load(tmp_path / "analysis")


def test_great_former_crawls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of those only a sample is kept, and the rate is about what it would be of all."""
    monkeypatch.setattr(former_module, "_CHUNKS", 1500)
    texts = list(samples.TEXTS.values())
    former = crawl(tmp_path / "analysis", *map(line, texts[:30]))
    summary = Summary()
    for text in texts[20:40]:
        summary.add(line(text), former)
    assert sum(former.compare(line(text).signatures())[0] for text in texts[:30]) < 1600
    assert summary.told()["update"] == pytest.approx(0.5, abs=0.12)


analyses = st.builds(
    Analysis,
    characters=st.integers(0, 100),
    words=st.integers(0, 100),
    languages=st.lists(st.tuples(st.sampled_from("ab"), st.just(0.5), st.just(0.5)), max_size=2),
    chunks=st.integers(1, 9),
    signatures=st.sampled_from(["", "0" * 16, "0" * 15 + "1" + "f" * 16]),
    keywords=st.lists(st.tuples(st.sampled_from("xyz"), st.integers(2, 9)), max_size=3),
    terms=st.dictionaries(st.sampled_from("pq"), st.integers(1, 5), max_size=2),
)
documents = st.lists(st.builds(Line, st.just("00"), st.text("u/"), st.integers(0, 3), analyses))


@given(documents, documents)
def test_merging(first: list[Line], second: list[Line]) -> None:
    """Two summaries become that of all documents."""
    one, other, both = Summary(), Summary(), Summary()
    for each in first:
        one.add(each, FIRST)
        both.add(each, FIRST)
    for each in second:
        other.add(each, FIRST)
        both.add(each, FIRST)
    one.merge(other)
    told, expected = one.told(), both.told()
    for name in ("languages", "keywords", "terms"):
        told[name], expected[name] = sorted(told[name]), sorted(expected[name])
    assert told == expected


def test_the_summary_is_bounded() -> None:
    """However many keywords and levels a site has."""
    summary = Summary()
    for number in range(3000):
        keywords = [(f"word {number} {part}", 2) for part in range(20)]
        text = Analysis(1, 1, [("en", 1.0, 1.0)], 1, "0" * 16, keywords, {"right": 1})
        summary.add(Line("00", "http://example.org/", number, text), FIRST)
    assert len(msgspec.json.encode(summary.told())) < 60_000
    assert len(summary._keywords) <= 20_020
