"""The examples of docs/reference/delimitation.md are as the page says."""

import re
from pathlib import Path

import pytest

from agents.crawler.strategy import traps
from agents.delimitation import Delimitation, guess, parse
from agents.scheduler.expansion.guessing import guess_site
from agents.session_ids import without_session
from agents.urls import canonical

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "delimitation.md"


def rows(*heads: str) -> list[tuple[str, ...]]:
    """Return the cells of all tables under these heads, without their back quotes."""
    found = []
    inside = False
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = tuple(cell.strip().strip("`") for cell in line.strip("|").split("|"))
        if not line.startswith("|"):
            inside = False
        elif cells == heads:
            inside = True
        elif inside and not set(line) <= set("|-"):
            found.append(cells)
    assert found, heads
    return found


EXPRESSIONS = rows("expression", "takes", "does not take") + rows(
    "pattern", "takes", "does not take"
)


@pytest.mark.parametrize(("expression", "taken", "left"), EXPRESSIONS)
def test_expressions(expression: str, taken: str, left: str) -> None:
    """Each takes the one URL and not the other."""
    assert canonical(taken) == taken
    assert canonical(left) == left
    assert parse(expression).matches(taken)
    assert not parse(expression).matches(left)


@pytest.mark.parametrize(("link", "fetched"), rows("URL of a link", "fetched"))
def test_sessions(link: str, fetched: str) -> None:
    """Each link is fetched as the page says."""
    assert canonical(link) == link
    assert without_session(link) == fetched


@pytest.mark.parametrize(("start", "accept"), rows("start URL", "accept"))
def test_guesses(start: str, accept: str) -> None:
    """A site known by its URL gets this expression."""
    assert guess(start) == (accept, "")


@pytest.mark.parametrize(("url", "start", "kind"), rows("URL found", "start URL", "kind"))
def test_sites_found_by_links(url: str, start: str, kind: str) -> None:
    """A URL that is found leads to the site that the page tells."""
    guess = guess_site(url)
    assert (guess.start_url, guess.kind) == (start, kind)


def test_the_table_of_the_paper() -> None:
    """The paper's example is read, and takes its start URL."""
    told = dict(rows("", ""))
    assert Delimitation.parse(told["accept"], told["reject"]).internal(told["start URL"])


def test_the_limits() -> None:
    """The names of the limits are those of the report."""
    told = [cells[-1] for cells in rows("limit", "of", "said in the report as")]
    assert told == [
        traps.DEEP, traps.DYNAMIC_DEEP, traps.REPEATED, traps.DIRECTORY, traps.SCRIPT,
        traps.CHAINED, traps.TOO_LONG, traps.FULL,
    ]  # fmt: skip
    text = PAGE.read_text(encoding="utf-8")
    assert re.search(rf"^\| {traps.REPETITIONS} \| repetitions", text, re.MULTILINE)
