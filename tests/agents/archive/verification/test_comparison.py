"""What comes out of the archive is compared with what was collected; differences have reasons."""

from typing import Any

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from agents.archive.verification.collected import Bounds, Collection, Line, by_url
from agents.archive.verification.comparison import Comparison, Outcome, Told, compare
from agents.archive.verification.words import lines_of, to_data

SITE = "http://a.example/"
FIRST, LAST = "20260101000000000000", "20260101000200000000"
BOUNDS = Bounds(SITE, "", "", 150)


def line(path: str = "", content: str = "0", **fields: Any) -> Line:
    """Return a capture of the site."""
    usual = {"date": FIRST, "status": 200, "depth": 0, "kind": "page"}
    return Line(url=SITE + path, content=content * 64, **(usual | fields))


def given_back(path: str = "", content: str = "0", said: str = "", **fields: Any) -> Line:
    """Return an answer of the archive."""
    head = f"HTTP/1.1 200 OK\r\nDlweb-Date: {FIRST}\r\n{said}\r\n"
    return line(path, content, head=head, **fields)


def collection(*lines: Line, **fields: Any) -> Collection:
    """Return what a crawl collected."""
    return Collection(by_url(lines), BOUNDS, **fields)


THEN = collection(line(), line("p", "1", date=LAST, depth=1))
NOW = collection(given_back(), given_back("p", "1", depth=1))


def told(found: Comparison) -> list[tuple[str, str, str]]:
    """Return the differences as paths, outcomes and reasons."""
    return [(each.url.removeprefix(SITE), each.outcome, each.reason) for each in found.differences]


def test_the_same_site_is_the_same() -> None:
    """Nothing differs, and people are told so in a sentence."""
    found = compare(THEN, NOW)
    assert found.well and found.number(Outcome.SAME) == 2 and told(found) == []
    assert list(lines_of("a", THEN, found))[-1] == (
        "The archive gives the site back as it was collected."
    )


@pytest.mark.parametrize(
    ("answer", "outcome", "reason"),
    [
        (None, "missing", "nothing that came out of the archive leads to it"),
        (given_back("p", "2", said="Dlweb-Fault: unknown-url\r\n"), "missing", "unknown-url"),
        (given_back("p", "2", said="Dlweb-Fault: missing-content\r\n"), "missing", "content"),
        (given_back("p", "2", said="Dlweb-Fault: embargo\r\n"), "missing", "rules keep it back"),
        (given_back("p", "2", said="Dlweb-Fault: new-one\r\n"), "missing", "new-one"),
        (given_back("p", "2", depth=1), "different", "another content: 2222"),
        (given_back("p", "1", status=404, depth=1), "different", "another status: 404 for 200"),
        (given_back("p", "1", depth=2), "different", "level 2, then as page of level 1"),
        (given_back("p", "1", depth=1, kind="component"), "different", "as component of level 1"),
        (given_back("p", "1", said=f"dlweb-url: {SITE}q\r\n"), "different", f"for it: {SITE}q"),
        (
            given_back("p", "2", said="Dlweb-Date: 20270101000000000000\r\n", depth=1),
            "different",
            "time: the nearest capture is of another crawl, 20270101000000000000",
        ),
    ],
)
def test_reasons(answer: Line | None, outcome: str, reason: str) -> None:
    """A URL that does not come out as it was collected is named, with what is known of it."""
    answers = [given_back()] + ([] if answer is None else [answer])
    ((url, found, why),) = told(compare(THEN, collection(*answers)))
    assert (url, found) == ("p", outcome) and reason in why


@pytest.mark.parametrize("where", ["failures", "excluded", "session_ids"])
def test_what_the_crawl_says_of_a_missing_url(where: str) -> None:
    """Failures, robots.txt and identifiers of sessions are told apart."""
    now = collection(given_back(), **{where: {SITE + "p": "so it is"}})
    ((_, outcome, reason),) = told(compare(THEN, now))
    assert outcome == "missing" and reason != told(compare(THEN, collection(given_back())))[0][2]


def test_extra_urls() -> None:
    """What was not collected then and comes out is named; a fault or the harbor is nothing."""
    now = collection(
        given_back(),
        given_back("p", "1", depth=1),
        given_back("x"),
        given_back("y", said="Dlweb-Date: 20270101000000000000\r\n"),
        given_back("z", said=f"Dlweb-Url: {SITE}p\r\n"),
        given_back("w", said="Dlweb-Fault: unknown-url\r\n"),
        Line("http://dlweb/style.css", FIRST, "0" * 64, 200),
    )
    reasons = {url: (outcome, reason) for url, outcome, reason in told(compare(THEN, now))}
    assert set(reasons) == {"x", "y", "z"}
    assert {outcome for outcome, _ in reasons.values()} == {"extra"}
    assert "another crawl" in reasons["y"][1] and f"{SITE}p" in reasons["z"][1]


def test_any_capture_of_the_crawl_will_do() -> None:
    """A URL that one crawl captured twice may come out as either."""
    then = collection(line("r", "1"), line("r", "2", date=LAST))
    assert compare(then, collection(given_back("r", "1"))).well
    assert compare(then, collection(given_back("r", "2"))).well


def test_links_between_folders() -> None:
    """The graph counts too, where both sides have one."""
    edge = ("a.example/", "a.example/p/")
    then, now = evolve(THEN, graph={edge: 3}), evolve(NOW, graph={edge: 2})
    assert compare(then, now).edges == [(*edge, 3, 2)] and not compare(then, now).well
    assert compare(then, NOW).well
    assert to_data("a", then, compare(then, now))["graph"][0]["then"] == 3


def test_the_middle_is_nearest_to_its_own_crawl() -> None:
    """No capture before the first or after the last is as near as those between."""
    assert THEN.middle == "20260101000100000000"


@given(st.text(max_size=300))
def test_any_head_is_read(head: str) -> None:
    """Heads come from the web, and may hold anything."""
    Told.of(line(head=head))


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("01")), max_size=8))
def test_numbers_add_up(answers: list[tuple[str, str]]) -> None:
    """Every URL that was collected is the same, missing, or different."""
    then = collection(line("a"), line("b"))
    found = compare(then, collection(*(given_back(path, content) for path, content in answers)))
    kinds = (Outcome.SAME, Outcome.MISSING, Outcome.DIFFERENT)
    assert sum(map(found.number, kinds)) == 2
    assert found.well == (found.number(Outcome.SAME) == 2 and not found.number(Outcome.EXTRA))
