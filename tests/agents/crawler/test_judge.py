"""What becomes of links, by the delimitation, their kind and the limits."""

from pathlib import Path

import pytest

from agents.crawler.findings import Findings, folder
from agents.crawler.frontier import Frontier, Task
from agents.crawler.judge import Judge
from agents.crawler.link_reader import LinkReader
from agents.crawler.parsers import COMPONENT, PAGE, Link, Source
from agents.crawler.traps import CHAIN_LIMIT
from agents.delimitation import Delimitation

HERE = "http://a.org/dir/page.html"


class Judged:
    """A judge with its frontier and findings."""

    def __init__(self, path: Path, depth: int = 10) -> None:
        self.frontier, self.findings = Frontier(path, 1000), Findings()
        delimitation = Delimitation.parse("//a.org", "//a.org/no/")
        self.judge = Judge(delimitation, depth, self.frontier, self.findings)

    def read(self, html: bytes, url: str = HERE, chain: int = 0, charset: str = "utf-8") -> None:
        """Judge the links of a document."""
        task, source = Task(url, PAGE, False, 3, chain), Source(url, charset)
        reader = LinkReader(self.judge, task, "text/html", source)
        for _ in (*reader.feed(html), *reader.close()):
            pass

    def taken(self) -> list[Task]:
        """Return what was queued."""
        tasks = []
        while (task := self.frontier.next()) is not None:
            tasks.append(task)
        return tasks


@pytest.fixture
def judged(tmp_path: Path) -> Judged:
    """Return a new judge."""
    return Judged(tmp_path)


def test_inside_and_outside(judged: Judged) -> None:
    """Inside pages are queued for the next level, others and rejected ones reported."""
    judged.read(b"<a href=x><a href=/no/y><a href=http://b.org/z><a href=mailto:q>")
    assert judged.taken() == [Task("http://a.org/dir/x", PAGE, False, 4)]
    assert judged.findings.externals.counts == {"http://a.org/no/y": 1, "http://b.org/z": 1}
    assert judged.findings.hosts.counts == {"a.org": 1, "b.org": 1}


def test_externals_are_counted_by_document(judged: Judged) -> None:
    """Each document that links to a URL counts once, also when remembered."""
    for number in range(3):
        judged.read(b"<a href=//b.org/><a href=//b.org/#x>", f"http://a.org/dir/{number}")
    assert judged.findings.externals.counts == {"http://b.org/": 3}


def test_memory_is_by_folder(judged: Judged) -> None:
    """The same text in another folder, base, encoding or after ? is another URL."""
    judged.read(b"<a href=x>")
    judged.read(b"<a href=x>", "http://a.org/other/page.html")
    judged.read(b"<base href=/based/><a href=x>")
    judged.read("<a href='x?é'>".encode("latin-1"), charset="latin-1")
    judged.read("<a href='x?é'>".encode())
    judged.read(b"<a href='?q'>")
    judged.read(b"<a href='?q'>", "http://a.org/dir/page2.html")
    assert {task.url.removeprefix("http://a.org/") for task in judged.taken()} == {
        "dir/x", "other/x", "based/x", "dir/x?%E9", "dir/x?%C3%A9", "dir/page.html?q",
        "dir/page2.html?q"}  # fmt: skip


def test_a_known_page_link_does_not_hide_a_component(judged: Judged) -> None:
    """The same text as link and as image is both."""
    judged.read(b"<a href=x>")
    judged.read(b"<img src=x>", "http://a.org/dir/2")
    assert judged.taken() == [Task("http://a.org/dir/x", COMPONENT, True, 3, 1)]


def test_redirections(judged: Judged) -> None:
    """What a requisite redirects to is one; what a page redirects to is not."""
    image = Task("http://b.org/i", COMPONENT, True, 3, 1)
    judged.judge.header(image, Link("http://c.org/i", COMPONENT, False))
    judged.judge.header(Task(HERE, PAGE, False, 3), Link("http://c.org/p", COMPONENT, False))
    judged.judge.header(Task(HERE, PAGE, False, 0), Link("y", COMPONENT, False))
    assert judged.taken() == [
        Task("http://c.org/i", COMPONENT, True, 3, 2),
        Task("http://a.org/dir/y", COMPONENT, False, 0, 1),
    ]
    assert judged.findings.externals.counts == {"http://c.org/p": 1}


def test_limits_are_told(tmp_path: Path) -> None:
    """Depth, chains and repeating paths end, and are told."""
    judged = Judged(tmp_path, depth=3)
    judged.read(b"<a href=deep><img src=/a/a/a/a/a/a/i>")
    judged.read(b"<img src=chained>", "http://a.org/2/", chain=CHAIN_LIMIT)
    assert judged.taken() == []
    assert list(judged.findings.traps.entries) == [
        "http://a.org/dir/deep", "http://a.org/a/a/a/a/a/a/i", "http://a.org/2/chained"
    ]  # fmt: skip


def test_feeds_and_streams(judged: Judged) -> None:
    """Feeds and streams are told with the page that names them."""
    judged.read(b"<link rel=alternate type=application/rss+xml href=f><a href=rtsp://h/s>"
                b"<a href=list.m3u><a href=page?x=.m3u>")  # fmt: skip
    assert judged.findings.feeds.entries == {"http://a.org/dir/f": HERE}
    assert list(judged.findings.streams.entries) == ["rtsp://h/s", "http://a.org/dir/list.m3u"]


def test_site_graph(judged: Judged) -> None:
    """Links within the site are counted by first folder."""
    judged.read(b"<a href=x><a href=/y><a href=/other/z>")
    assert judged.findings.edges == {
        ("a.org/dir/", "a.org/dir/"): 1,
        ("a.org/dir/", "a.org/"): 1,
        ("a.org/dir/", "a.org/other/"): 1,
    }
    assert folder("http://a.org/?x/y") == "a.org/"
