"""What becomes of links, by the delimitation, their kind and the limits."""

from pathlib import Path

import pytest

from agents.crawler.findings import Findings, folder
from agents.crawler.reading.heavy import Extract
from agents.crawler.reading.link_reader import LinkReader
from agents.crawler.strategy.frontier import Frontier, Task
from agents.crawler.strategy.judge import Judge
from agents.crawler.strategy.stories import Stories, Story, story_of
from agents.crawler.strategy.traps import (
    CHAIN_LIMIT,
    CHAINED,
    DEEP,
    DIRECTORY,
    DYNAMIC_DEEP,
    FULL,
    LOST,
    REPEATED,
    SCRIPT,
    TOO_LONG,
    TRUNCATED,
)
from agents.delimitation import Delimitation
from agents.order import Strategy
from agents.parsers import COMPONENT, PAGE, Link, Source
from agents.urls import LENGTH_LIMIT

HERE = "http://a.org/dir/page.html"


class Judged:
    """A judge with its frontier and findings."""

    def __init__(
        self, path: Path, depth: int = 10, strategy: Strategy | None = None, limit: int = 1000
    ) -> None:
        self.frontier, self.findings = Frontier(path, limit), Findings()
        self.stories = Stories(path / "stories")
        delimitation = Delimitation.parse("//a.org", "//a.org/no/")
        self.judge = Judge(
            delimitation, depth, self.frontier, self.findings, strategy, self.stories
        )

    def read(self, html: bytes, url: str = HERE, chain: int = 0, charset: str = "utf-8") -> None:
        """Judge the links of a document."""
        task, source = Task(url, PAGE, False, 3, chain), Source(url, charset)
        reader = LinkReader(self.judge, task, "text/html", source)
        for _ in (*reader.feed(html), *reader.close()):
            pass

    def story(self, path: str) -> Story:
        """Return the story of a URL of the site."""
        self.stories.flush()
        return story_of(self.stories.path, "http://a.org" + path)

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
    assert judged.taken() == [
        Task("http://a.org/dir/x", COMPONENT, True, 3, 1, referrer="http://a.org/dir/2")
    ]


def test_urls_that_are_too_long(judged: Judged) -> None:
    """They are counted and shown, unless they lead nowhere anyway."""
    rest = "x" * LENGTH_LIMIT
    judged.read(
        f"<a href='/{rest}'><img src='HTTP://b.org/{rest}'><a href='data:,{rest}'>".encode()
    )
    assert judged.taken() == []
    assert judged.findings.trap_kinds == {TOO_LONG: 2}
    assert list(judged.findings.traps.entries) == [f"/{rest}"[:200], f"HTTP://b.org/{rest}"[:200]]


@pytest.mark.parametrize("url", ["", " ", "\ud800", "http://", "//", "\x00"])
def test_odd_links_do_no_harm(judged: Judged, url: str) -> None:
    """Whatever a parser takes for a link is judged without an error."""
    document = judged.judge.document(Task(HERE, PAGE, False, 3), HERE, Extract())
    document.begin()
    for kind in (PAGE, COMPONENT):
        document.take(Link(url, kind, False, stream=True))
    document.end()


def test_a_known_link_does_not_hide_a_requisite_or_a_feed(judged: Judged) -> None:
    """What was an outside frame, or a link like others, is collected as image and told as feed."""
    judged.read(b"<iframe src=//b.org/i></iframe><a href=f>")
    assert len(judged.taken()) == 1
    judged.read(b"<iframe src=//b.org/i></iframe><img src=//b.org/i>"
                b"<link rel=alternate type=application/rss+xml href=f>")  # fmt: skip
    assert judged.taken() == [Task("http://b.org/i", COMPONENT, True, 3, 1, referrer=HERE)]
    assert judged.findings.feeds.entries == {"http://a.org/dir/f": HERE}


def test_redirections(judged: Judged) -> None:
    """What a requisite redirects to is one; what a page redirects to is not."""
    image = Task("http://b.org/i", COMPONENT, True, 3, 1)
    judged.judge.header(image, Link("http://c.org/i", COMPONENT, False))
    judged.judge.header(Task(HERE, PAGE, False, 3), Link("http://c.org/p", COMPONENT, False))
    judged.judge.header(Task(HERE, PAGE, False, 0), Link("y", COMPONENT, False))
    assert judged.taken() == [
        Task("http://c.org/i", COMPONENT, True, 3, 2, referrer=image.url),
        Task("http://a.org/dir/y", COMPONENT, False, 0, 1, referrer=HERE),
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
    assert judged.findings.trap_kinds == {DEEP: 1, REPEATED: 1, CHAINED: 1}


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


def test_what_is_not_searched_is_told(judged: Judged) -> None:
    """Documents that pass a limit, or whose parser fails, count among the traps."""
    judged.judge.truncated(HERE)
    judged.judge.lost("http://a.org/x", "out of memory")
    assert judged.findings.trap_kinds == {TRUNCATED: 1, LOST: 1}
    assert judged.findings.traps.entries["http://a.org/x"].endswith(": out of memory")


def test_dynamic_pages_end_before_static_ones(tmp_path: Path) -> None:
    """Past the depth of dynamic contents only what looks static is followed."""
    judged = Judged(tmp_path, depth=4, strategy=Strategy(dynamic_depth=3))
    judged.read(b"<a href=x.php><a href=x.html><img src=x.php?i>")
    assert [task.url for task in judged.taken()] == [
        "http://a.org/dir/x.php?i", "http://a.org/dir/x.html"
    ]  # fmt: skip
    assert judged.findings.trap_kinds == {DYNAMIC_DEEP: 1}


def test_dynamic_pages_wait_for_static_ones(judged: Judged) -> None:
    """The pages of a level are taken with static ones between the dynamic ones."""
    judged.read(b"<a href=?1><a href=?2><a href=1><a href=2><a href=3><a href=4>")
    taken = [task.url.rpartition("/")[2] for task in judged.taken()]
    assert taken == ["1", "2", "page.html?1", "3", "4", "page.html?2"]


def test_parameters_of_a_script_are_limited(tmp_path: Path) -> None:
    """So many sets of parameters of each script are followed; each one left is told once."""
    judged = Judged(tmp_path, strategy=Strategy(script_limit=3))
    links = b"".join(b"<a href=one?%d><a href=two?%d>" % (n, n) for n in range(5))
    judged.read(links)
    judged.read(links, "http://a.org/dir/again.html")
    judged.read(links.replace(b"href=", b"href=/dir/"), "http://a.org/elsewhere/")
    assert len(judged.taken()) == 6
    assert judged.findings.trap_kinds == {SCRIPT: 4}
    assert list(judged.findings.traps.entries)[0] == "http://a.org/dir/one?3"


def test_urls_of_a_directory_are_limited(tmp_path: Path) -> None:
    """So many files and scripts of a directory are followed; what is known costs nothing."""
    judged = Judged(tmp_path, strategy=Strategy(directory_limit=4))
    for _ in range(3):
        judged.read(b"<a href=a><a href=b><a href=s?1><a href=s?2><a href=c><a href=d><a href=/e/>")
        judged.judge.known.relative_to("http://a.org/dir/", "utf-8").clear()
        judged.judge.known.relative_to("http://a.org", "utf-8").clear()
    taken = [task.url.removeprefix("http://a.org/") for task in judged.taken()]
    assert sorted(taken) == ["dir/a", "dir/b", "dir/c", "dir/s?1", "dir/s?2", "e/"]
    assert judged.findings.trap_kinds == {DIRECTORY: 1}


def test_a_page_is_shown_whole_whatever_the_limits(tmp_path: Path) -> None:
    """What a page itself needs is taken from a full directory; what that needs in turn is not."""
    judged = Judged(tmp_path, strategy=Strategy(directory_limit=1, script_limit=1))
    judged.read(b"<img src=1><img src=2><img src=s?1><img src=s?2>")
    assert len(judged.taken()) == 4
    judged.read(b"<img src=3><img src=4>", chain=1)
    assert len(judged.taken()) == 1
    assert judged.findings.trap_kinds == {DIRECTORY: 1}


def test_a_full_crawl_is_told(tmp_path: Path) -> None:
    """Past the number of URLs nothing more is followed, and each one left is told."""
    judged = Judged(tmp_path, limit=2)
    judged.read(b"<a href=a><a href=b><a href=c><img src=d>")
    assert len(judged.taken()) == 2
    assert judged.findings.trap_kinds == {FULL: 2}


def test_sessions_are_removed(tmp_path: Path) -> None:
    """The same page with another session is the same page, unless the order says otherwise."""
    links = b"".join(b"<a href=p?x=1&amp;PHPSESSID=%032d>" % n for n in range(3))
    (tmp_path / "kept").mkdir()
    judged, kept = Judged(tmp_path), Judged(tmp_path / "kept", strategy=Strategy(sessions=False))
    judged.read(links)
    kept.read(links)
    assert [task.url for task in judged.taken()] == ["http://a.org/dir/p?x=1"]
    assert set(judged.findings.sessions.entries.values()) == {"http://a.org/dir/p?x=1"}
    assert len(judged.findings.sessions) == 3
    assert len(kept.taken()) == 3


def test_a_redirection_that_gives_a_session_is_followed(judged: Judged) -> None:
    """Without its session it would lead to itself, and the page would be missed."""
    link = Link(f"?sid={'0' * 32}", COMPONENT, False)
    judged.judge.header(Task("http://a.org/p", PAGE, False, 1), link)
    assert [task.url for task in judged.taken()] == [f"http://a.org/p?sid={'0' * 32}"]
    judged.judge.header(Task("http://a.org/q", PAGE, False, 1), link._replace(url="/r" + link.url))
    assert [task.url for task in judged.taken()] == ["http://a.org/r"]


@pytest.mark.parametrize(
    ("url", "followed", "outside"),
    [
        ("a.mp3", True, False),
        ("list.pls", True, False),
        ("live", False, False),
        ("http://b.org/a.mp3", False, True),
        ("rtsp://a.org/a.mp3", False, False),
    ],
)
def test_streams_without_end_are_reported_only(
    judged: Judged, url: str, followed: bool, outside: bool
) -> None:
    """What a document calls a stream is reported; it is followed if it is a file of the site."""
    document = judged.judge.document(Task(HERE, PAGE, False, 3), HERE, Extract())
    document.begin()
    document.take(Link(url, PAGE, False, stream=True))
    document.end()
    assert len(judged.findings.streams) == 1
    assert len(judged.taken()) == followed
    assert len(judged.findings.externals.counts) == outside


def test_stories_are_told(tmp_path: Path) -> None:
    """Each URL's story says who linked it, what was decided, and why."""
    judged = Judged(tmp_path, depth=4)
    judged.read(b"<a href=x><img src=//b.org/i><a href=/no/y><a href=x><iframe src=f>")
    judged.read(b"<a href=z><a href=x>", "http://a.org/dir/2")
    (tmp_path / "deep").mkdir()
    deep = Judged(tmp_path / "deep", depth=3)
    deep.read(b"<a href=deep>")
    assert judged.story("/dir/x") == Story("http://a.org/dir/x", HERE, PAGE, 4, "followed")
    assert judged.story("/no/y").verdict == "external: outside the delimitation"
    assert judged.story("/dir/f").kind == COMPONENT
    assert judged.story("/dir/z").page == "http://a.org/dir/2"
    assert story_of(judged.stories.path, "http://b.org/i").verdict == "followed: a requisite"
    assert deep.story("/dir/deep").verdict == DEEP


def test_the_encoding_of_a_page_is_that_of_its_parts(judged: Judged) -> None:
    """A sheet or script that declares none is read as browsers do, in the page's."""
    judged.read(b"<script src=s.js></script>", charset="shift_jis")
    judged.read(b"<script src=t.js></script>")
    assert [task.encoding for task in judged.taken()] == ["shift_jis", ""]
