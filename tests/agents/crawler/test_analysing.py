"""Texts of new contents are analysed in a worker process while a crawl goes on."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
import pytest_twisted
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import Deferred

from agents.crawler import analysing
from agents.crawler.analysing import Analysing, Text
from agents.crawler.former_texts import FormerTexts
from agents.order import Analysis
from anet.http import Response
from anet.processes import Processes

ENGLISH = " ".join(
    f"All human beings are born free and equal in dignity and rights, said article number {n}."
    for n in ("one", "two", "three", "four", "five", "six")
)
FRENCH = " ".join(
    f"Tous les êtres humains naissent libres et égaux en dignité et en droits, dit l'article {n}."
    for n in ("un", "deux", "trois", "quatre", "cinq", "six")
)


@pytest.fixture
def processes() -> Iterator[Processes]:
    """Workers."""
    pool = Processes(reactor, 1, name="texts")
    pool.startService()
    yield pool
    pytest_twisted.blockon(Deferred.fromCoroutine(pool.stopService()))


@ensureDeferred
async def test_a_site_in_two_languages(web: Any, crawl: Any, processes: Processes) -> None:
    """The report tells languages and keywords; the next crawl tells how much of it is new."""
    web.pages = {
        "/": f"<p>{ENGLISH}<a href=/fr>français</a><a href=/image>",
        "/fr": Response.html(200, f"<p>{FRENCH}"),
        "/image": Response(200, [(b"Content-Type", b"image/png")], b"no text"),
    }
    wanted = Analysis(keywords=("born free", "naissent libres", "nowhere"))
    first = await crawl(web.url, processes=processes, analysis=wanted)
    assert first.found("texts/language", "name") == ["fr", "en"]
    assert dict(
        zip(first.found("texts/term", "text"), first.found("texts/term", "count"), strict=True)
    ) == {"born free": "6", "naissent libres": "6"}
    assert first.found("texts/term/page") == [web.url, web.url + "fr"]
    lines = [msgspec.json.decode(line) for line in (first.directory / "analysis").open("rb")]
    assert [line["url"] for line in lines] == [web.url, web.url + "fr"]
    web.pages["/"] = f"<p>{ENGLISH}<a href=/fr>français</a> Now with two words more."
    second = await crawl(
        web.url, name="second", processes=processes, analysis=wanted, former=str(first.directory)
    )
    assert set(second.found("texts/language", "name")) == {"fr", "en"}
    assert 0 < float(second.report.find("texts").get("update")) < 0.5


@ensureDeferred
async def test_new_keywords_are_looked_for_in_what_was_known(
    web: Any, crawl: Any, processes: Processes
) -> None:
    """Text that has not changed is analysed again for other keywords, and for the same is not."""
    web.pages = {"/": f"<p>{ENGLISH}"}
    former, stored = None, []
    for name, keywords in (
        ("a", ("born",)),
        ("b", ("born", "dignity")),
        ("c", ("dignity", "born")),
    ):
        done = await crawl(
            web.url, name=name, processes=processes, analysis=Analysis(keywords=keywords),
            former=former,
        )  # fmt: skip
        former = str(done.directory)
        assert set(done.found("texts/term", "text")) == set(keywords)
        lines = map(msgspec.json.decode, (done.directory / "structure").open("rb"))
        stored += [line["new"] for line in lines if line["url"] == web.url]
        updates = done.report.find("texts").get("update")
    assert stored == [True, True, False]
    assert float(updates) == 0


@ensureDeferred
async def test_a_text_that_cannot_be_analysed(tmp_path: Path, processes: Processes) -> None:
    """One bad content does no harm to the others of its batch, even if it kills the worker."""
    (tmp_path / "good").write_bytes(ENGLISH.encode())
    texts = Analysing(processes, tmp_path / "analysis", FormerTexts(), ())
    for name in ("good", "gone"):
        texts.add(Text(b"\0" * 32, tmp_path / name, 0, 999, f"http://a/{name}", 0, "raw", None, ""))
    await texts.finish()
    assert (texts.summary.documents, texts.failures) == (1, 1)


@ensureDeferred
async def test_the_crawl_waits_for_the_analysis(
    tmp_path: Path, processes: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When too many contents wait, there is room again only once some are done."""
    monkeypatch.setattr(analysing, "WAITING_LIMIT", 40)
    (tmp_path / "good").write_bytes(ENGLISH.encode())
    texts = Analysing(processes, tmp_path / "analysis", FormerTexts(), ())
    while not texts.full:
        texts.add(Text(b"\0" * 32, tmp_path / "good", 0, 999, "http://a/", 0, "raw", None, ""))
    await texts.room()
    assert len(texts) < 40
    texts.close()


@ensureDeferred
async def test_a_full_disk(tmp_path: Path, processes: Processes) -> None:
    """What cannot be written ends the crawl, and not only the analysis."""
    (tmp_path / "good").write_bytes(ENGLISH.encode())
    texts = Analysing(processes, Path("/dev/full"), FormerTexts(), ())
    for _ in range(3):
        texts.add(Text(b"\0" * 32, tmp_path / "good", 0, 999, "http://a/", 0, "raw", None, ""))
    with pytest.raises(OSError, match="No space"):
        await texts.finish()
    texts.close()
