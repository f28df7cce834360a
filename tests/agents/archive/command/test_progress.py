"""How crawls are told on a terminal, and added up for scripts."""

import json

from agents.archive.command.progress import (
    ended,
    problem_of,
    progress_line,
    result_lines,
    summarize,
)
from agents.deposit import DepositFigures
from agents.order import CrawlFigures
from agents.schedule import CrawlStatus

COLLECTED = CrawlFigures(
    captures=1046, pages=400, contents_new=3, contents_known=1043, bytes_received=2_500_000
)


def crawl(state: str, **what: object) -> CrawlStatus:
    """Return a crawl in a state."""
    values: dict[str, object] = {
        "crawl": "c",
        "site": "example.org",
        "start_url": "http://example.org/",
        "attempt": 1,
        "crawler": "crawler-1",
        "page": "",
        "figures": COLLECTED,
        "deposit": None,
        "ordered": "",
        "changed": "",
    }
    return CrawlStatus(state=state, **(values | what))  # type: ignore[arg-type]


def test_a_second_crawl_says_what_changed() -> None:
    """New contents are those that storage did not have; all others were known."""
    deposited = crawl("deposited", deposit=DepositFigures(contents_stored=3, bytes_stored=4000))
    (line,) = result_lines([deposited])
    assert "stored 3 new contents (4 kB); 1,043 known" in line
    assert line.startswith("example.org: 1,046 captures")


def test_contents_that_another_site_brought_are_known() -> None:
    """A content new to its site may be known to the archive."""
    summary = summarize(
        [crawl("deposited", deposit=DepositFigures(contents_stored=1, contents_known=1045))], 4.5
    )
    assert (summary.contents_new, summary.contents_known) == (1, 1045)
    assert summary.well


def test_a_summary_is_json() -> None:
    """Scripts find the figures under fixed names."""
    data = json.loads(json.dumps(summarize([crawl("deposited")], 4.5).to_data()))
    names = {"sites", "captures", "contents_new", "contents_known", "bytes", "failures", "seconds"}
    assert names <= set(data)
    assert (data["sites"], data["captures"], data["seconds"]) == (1, 1046, 4.5)


def test_a_site_that_never_answered_is_a_failure() -> None:
    """A crawl without any capture did not go well, although it ended."""
    silent = crawl("deposited", figures=CrawlFigures(failures=1), error="connection refused")
    assert problem_of(silent) == "http://example.org/: connection refused"
    assert not summarize([silent], 1.0).well
    assert not summarize([crawl("failed", error="three attempts failed")], 1.0).well


def test_addresses_without_an_answer_are_counted_but_are_not_failures_of_the_site() -> None:
    """The web is full of dead links; they are told."""
    one = crawl("deposited", figures=CrawlFigures(captures=5, failures=2))
    assert summarize([one], 1.0).well
    assert "2 addresses did not answer" in result_lines([one])[0]


def test_progress_says_what_the_slowest_is_at() -> None:
    """One line for all crawls: what is done, what waits, how quickly."""
    figures = CrawlFigures(captures=12, pages=7, bytes_received=1500, queued=35, contents_new=11)
    running = crawl("collecting", figures=figures, captures_per_second=4.0)
    line = progress_line([running, crawl("depositing")])
    assert line.startswith("collecting · 407 pages")
    assert "35 queued" in line
    assert "4/s" in line
    assert not ended([running])
    assert ended([crawl("deposited"), crawl("failed")])


def test_progress_says_what_is_waited_for() -> None:
    """A pause is explained."""
    figures = CrawlFigures(waiting_for="paying 12 s of delay")
    assert "paying 12 s of delay" in progress_line([crawl("collecting", figures=figures)])
    deposit = DepositFigures(captures_recorded=50, waiting_for="no storage node is up")
    line = progress_line([crawl("depositing", deposit=deposit)])
    assert "50 deposited" in line
    assert "no storage node is up" in line


def test_progress_fits_on_a_terminal() -> None:
    """Pages, bytes, queue, new and known contents and the rate are seen in 80 columns."""
    figures = CrawlFigures(
        captures=9_999,
        pages=8_888,
        bytes_received=123_456_789,
        queued=7_777,
        contents_new=6_666,
        contents_known=333,
    )
    line = progress_line([crawl("collecting", figures=figures, captures_per_second=234.5)])
    assert "234/s" in line
    assert line.endswith("333 known")
    assert len(line) < 80, line
