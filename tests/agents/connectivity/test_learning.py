"""Judging a site and telling where it leads, to a scheduler that fails when told to."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_twisted import ensureDeferred
from twisted.internet import reactor

from agents.connectivity.learning import parts
from agents.filters import Filters, Rule
from agents.judgement import LEARNED_AT_ONCE, Policy
from agents.measures import Languages
from anet.tasks import sleep
from hip import RemoteError

PAGE = {"http://a.example/": b"page"}
FRENCH = Policy(Filters((Rule(languages=Languages(("fr",))),)))
LINKS = {f"http://b.example/{number}": number % 7 + 1 for number in range(1200)}
FEEDS = [f"http://a.example/feed/{number}" for number in range(120)]


def report(language: str = "fr", links: dict[str, int] = LINKS) -> bytes:
    """Return a report of a site in a language, with links, feeds and a stream."""
    external = "".join(f'<link url="{url}" count="{n}"/>' for url, n in links.items())
    feeds = "".join(f'<feed url="{url}" page=""/>' for url in FEEDS)
    return (
        f'<report><external cut="0">{external}</external><feeds>{feeds}</feeds>'
        '<streams><stream url="http://a.example/live" page=""/></streams>'
        f'<texts documents="1" characters="10" chunks="4" update="0.5">'
        f'<language name="{language}" pages="1" characters="10"/>'
        '<level depth="0" documents="1" chunks="4" update="0.5"/></texts></report>'
    ).encode()


def assert_learned_once(tree: Any) -> None:
    """Every link, feed and stream was learned, and nothing was counted twice."""
    assert tree.scheduler.links == Counter(LINKS)
    assert tree.scheduler.feeds == Counter(FEEDS)
    assert tree.scheduler.streams == {"http://a.example/live": 1}


@ensureDeferred
async def test_a_site_that_passes_is_judged_and_its_links_are_told(tree: Any) -> None:
    """Judgement and update come with the figures, links in parts before them."""
    tree.crawl("c", PAGE, report=report())
    figures = await tree.deposit(policy=FRENCH)
    assert figures["findings"]["judgement"] == {
        "passes": True,
        "relevance": 1.0,
        "reasons": [
            "1.00: 1 of 1 rules pass, 1 wanted",
            "  1.00: 100% of the text is in fr",
        ],
    }
    update = figures["findings"]["update"]
    assert (update["rate"], update["chunks"]) == (0.5, 4)
    assert update["levels"] == [
        {"depth": 0, "captures": 0, "documents": 1, "chunks": 4, "rate": 0.5}
    ]
    assert_learned_once(tree)
    assert tree.scheduler.calls == 3


@ensureDeferred
async def test_links_of_a_site_that_fails_are_not_told(tree: Any) -> None:
    """Its captures are deposited all the same, unless the policy says otherwise."""
    tree.crawl("c", PAGE, report=report("de"))
    figures = await tree.deposit(policy=FRENCH)
    assert figures["findings"]["judgement"]["passes"] is False
    assert (tree.scheduler.calls, figures["captures_recorded"]) == (0, 1)
    tree.crawl("d", PAGE, report=report("de"))
    figures = await tree.deposit("d", "t", policy=Policy(FRENCH.filters, keep_failed=False))
    assert (figures["done"], figures["captures_recorded"]) == (True, 0)
    assert not (tree.sites / "t").exists()


@ensureDeferred
async def test_nothing_is_told_that_nobody_wants(tree: Any) -> None:
    """Without a policy a site is not judged; with one that wants no links, it is."""
    tree.crawl("c", PAGE, report=report())
    assert (await tree.deposit())["findings"]["judgement"] is None
    judged = await tree.deposit(policy=Policy(FRENCH.filters, links=False))
    assert judged["findings"]["judgement"]["passes"]
    assert tree.scheduler.calls == 0


@ensureDeferred
async def test_nobody_is_judged_by_a_damaged_report(tree: Any) -> None:
    """What could not be read might be what the site passes by: it is deposited, and told why."""
    tree.crawl("c", PAGE, report=report()[:-20])
    figures = await tree.deposit(policy=Policy(FRENCH.filters, keep_failed=False))
    assert figures["captures_recorded"] == 1
    assert figures["findings"]["judgement"] is None
    assert "no XML" in figures["findings"]["problem"]
    assert tree.scheduler.calls == 0


@ensureDeferred
async def test_a_scheduler_that_refuses_is_asked_again(tree: Any) -> None:
    """Whatever it refuses with, the same part comes again, and is counted once."""
    tree.crawl("c", PAGE, report=report())
    tree.scheduler.refusals = ["overloaded", "failed"]
    figures = await tree.deposit(policy=FRENCH)
    assert figures["retries"] == 2
    assert_learned_once(tree)


@ensureDeferred
async def test_a_scheduler_that_goes_away_is_waited_for(tree: Any) -> None:
    """The deposit goes on when the link is there again; what was learned is not told again."""
    tree.crawl("c", PAGE, report=report())
    tree.scheduler.refusals = ["failed"]
    asked = tree.deposit(policy=FRENCH)
    running = _started(asked)
    while not tree.scheduler.calls:
        await sleep(reactor, 0.001)
    former = tree.connectivity
    former.transport.abortConnection()
    await running
    while tree.root.slaves.get("connectivity", former) is former:
        await sleep(reactor, 0.01)
    figures = await tree.deposit(policy=FRENCH)
    assert figures["done"]
    assert_learned_once(tree)


def _started(coroutine: Any) -> Any:
    """Start a call whose end by a lost link is no error."""
    from twisted.internet.defer import ensureDeferred as ensured

    return ensured(coroutine).addErrback(lambda failure: failure.trap(Exception))


@ensureDeferred
async def test_a_repeated_deposit_tells_only_what_is_new(tree: Any) -> None:
    """The first answer says which part is next; those before it are passed over."""
    tree.crawl("c", PAGE, report=report())
    await tree.deposit(policy=FRENCH)
    tree.scheduler.calls = 0
    await tree.deposit(policy=FRENCH)
    assert tree.scheduler.calls == 1
    assert_learned_once(tree)


@ensureDeferred
async def test_a_scheduler_that_forgets_has_the_deposit_begin_again(tree: Any) -> None:
    """The refusal has a code of its own, and says what is wanted."""
    tree.crawl("c", PAGE, report=report())
    tree.scheduler.parts["c"] = -1  # it takes none, and wants an earlier one
    with pytest.raises(RemoteError, match="wants part -1 after 0") as caught:
        await tree.deposit(policy=FRENCH)
    assert caught.value.code == "out-of-step"


@ensureDeferred
async def test_crawls_of_other_machines_are_refused(tree: Any) -> None:
    """An agent says which folder it serves, and leaves a crawl of another machine alone."""
    folder = tree.crawl("c", PAGE)
    serves = await tree.connectivity.call("serves")
    assert serves == {"machine": "machine-1", "directory": str(tree.crawls)}
    for method in (tree.deposit, tree.discard):
        with pytest.raises(RemoteError, match=r"machine-2.*serves .* on 'machine-1'") as caught:
            await method(machine="machine-2")
        assert caught.value.code == "elsewhere"
    assert (await tree.deposit(machine="machine-1"))["done"]
    await tree.discard(machine="machine-1")
    assert not folder.exists()


URLS = st.from_regex(r"http://[a-z]{1,9}\.example/[a-z]{0,900}", fullmatch=True)


@given(st.lists(URLS, unique=True, max_size=40), st.integers(1, 5), st.integers(0, 2000))
def test_parts_hold_everything_once_and_always_the_same(
    tmp_path_factory: pytest.TempPathFactory, urls: list[str], most: int, characters: int
) -> None:
    """In order, none empty, none over its limits."""
    path = tmp_path_factory.mktemp("r") / "report.xml"
    path.write_bytes(report(links=dict.fromkeys(urls, 1)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("agents.connectivity.learning.LEARNED_AT_ONCE", most)
        patch.setattr("agents.connectivity.learning._CHARACTERS", characters + 1)
        first, again = (list(parts(path, 10**6)) for _ in range(2))
    assert first == again
    assert [part.number for part in first] == list(range(len(first)))
    assert [url for part in first for url, _ in part.links] == urls
    assert [url for part in first for url in part.feeds] == FEEDS
    for part in first:
        assert 0 < len(part.links) + len(part.feeds) + len(part.streams) <= most
        last = max(map(len, [*(url for url, _ in part.links), *part.feeds, *part.streams]))
        assert part.characters <= characters + last


def test_urls_that_no_crawler_writes_are_passed_over(tmp_path: Path) -> None:
    """Neither long ones, nor those that are no ASCII, come to the scheduler."""
    path = tmp_path / "report.xml"
    path.write_bytes(report(links={"http://a/" + "a" * 9000: 1, "http://é/": 1, "http://b/": 2}))
    (part,) = parts(path, 10**6)
    assert part.links == [("http://b/", 2)]
    assert LEARNED_AT_ONCE == 500
