"""The right parser reads each document, and every finding goes where it belongs."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from twisted.internet.defer import Deferred

from agents.crawler.findings import Findings
from agents.crawler.reading.heavy import Extract
from agents.crawler.reading.link_reader import LinkReader
from agents.crawler.strategy.frontier import Frontier, Task
from agents.crawler.strategy.judge import Judge
from agents.delimitation import Delimitation
from agents.parsers import COMPONENT, PAGE, Link, Source
from anet.errors import WorkerTooSlow

HERE = "http://a.org/dir/page"


class Heavy:
    """Runs heavy parsers as the test says, and notes what it is asked for."""

    def __init__(self, answer: Callable[[], Extract]) -> None:
        self.answer = answer
        self.asked: list[Any] = []

    async def parse(self, name: str, source: Source, body: bytes) -> Extract:
        self.asked.append((name, body))
        return self.answer()

    async def run_scripts(self, url: str, scripts: list[str]) -> Extract:
        self.asked.append(("scripts", scripts))
        return self.answer()


class Read:
    """Reads one document."""

    def __init__(self, path: Path, kind: str, body: bytes, url: str = HERE, **how: Any) -> None:
        self.frontier, self.findings = Frontier(path, 1000), Findings()
        judge = Judge(Delimitation.parse("//a.org"), 10, self.frontier, self.findings)
        task = Task(url, PAGE, False, 3)
        reader = LinkReader(judge, task, kind, Source(url, "utf-8"), **how)
        for steps in (*(reader.feed(body[i : i + 100]) for i in range(0, len(body), 100)),):
            self._wait(steps)
        self._wait(reader.close())

    @staticmethod
    def _wait(steps: Iterator[object]) -> None:
        for step in steps:
            if isinstance(step, Deferred):
                assert step.called

    @property
    def taken(self) -> dict[str, str]:
        """The URLs that are followed, with the kind of each."""
        found = {}
        while (task := self.frontier.next()) is not None:
            found[task.url] = task.kind
        return found


@pytest.mark.parametrize(
    ("kind", "url", "body"),
    [
        ("text/html", HERE, b"<a href=/x>"),
        ("", HERE, b"<!doctype html><a href=/x>"),
        ("", HERE, b"<!doctype html>" + b" " * 600 + b"<a href=/x>"),
        (
            "application/octet-stream",
            HERE + ".xspf",
            b"<playlist><trackList><track><info>/x</info>",
        ),
        ("text/plain", HERE, b"See http://a.org/x."),
        ("application/vnd.some+json", HERE, b'{"url": "http://a.org/x"}'),
        ("application/xml", HERE, b"<urlset><url><loc>http://a.org/x</loc></url></urlset>"),
    ],
)
def test_the_parser_is_found(tmp_path: Path, kind: str, url: str, body: bytes) -> None:
    """By the media type, by the name, by the first bytes, or by what the format is written in."""
    assert "http://a.org/x" in Read(tmp_path, kind, body, url).taken


def test_pieces_in_other_formats(tmp_path: Path) -> None:
    """They are read by their parsers, relative to the base of the page that holds them."""
    page = b"""<base href=/other/><script type=application/ld+json>
    {"@type": "Article", "url": "/story.html", "image": "shown.jpg"}</script>"""
    taken = Read(tmp_path, "text/html", page).taken
    assert taken == {
        "http://a.org/other/shown.jpg": COMPONENT,
        "http://a.org/story.html": PAGE,
    }


def test_scripts_of_a_page(tmp_path: Path) -> None:
    """Those that may link to anything go to a worker together; what it finds is followed."""
    heavy = Heavy(lambda: Extract((Link("made.html", PAGE, False),)))
    page = b"<script>document.write(a)</script><script>n++</script><script>open('x')</script>"
    taken = Read(tmp_path, "text/html", page, heavy=heavy).taken
    assert heavy.asked == [("scripts", ["document.write(a)", "open('x')"])]
    assert taken == {"http://a.org/dir/made.html": PAGE}
    assert not Read(tmp_path, "text/html", page, heavy=heavy, scripts=False).taken


def test_heavy_documents(tmp_path: Path) -> None:
    """They are read whole in a worker; scripts only if scripts are wanted."""
    heavy = Heavy(lambda: Extract((Link("/x", PAGE, False),)))
    body = b"let a = 1;" * 50
    assert Read(tmp_path, "text/javascript", body, heavy=heavy).taken == {"http://a.org/x": PAGE}
    assert heavy.asked == [("javascript", body)]
    assert not Read(tmp_path, "text/javascript", body, heavy=heavy, scripts=False).taken
    assert not Read(tmp_path, "text/javascript", body).taken


def test_a_worker_that_fails(tmp_path: Path) -> None:
    """The links of the document are lost, and the report says why."""

    def fail() -> Extract:
        raise WorkerTooSlow("it took more than 30 s")

    read = Read(tmp_path, "text/javascript", b"while (1);", heavy=Heavy(fail))
    assert not read.taken
    assert "it took more than 30 s" in read.findings.traps.entries[HERE]


def test_page_links_left_aside(tmp_path: Path) -> None:
    """Of an error page, and of formats that are not to be followed, components only."""
    page = b"<a href=/x><img src=/i>"
    assert Read(tmp_path, "text/html", page, components_only=True).taken == {
        "http://a.org/i": COMPONENT
    }
    feed = b"<rss><channel><item><link>http://a.org/x</link></item></channel></rss>"
    assert Read(tmp_path, "text/xml", feed).taken == {"http://a.org/x": PAGE}
    assert not Read(tmp_path, "text/xml", feed, left_aside=frozenset(["feed"])).taken
