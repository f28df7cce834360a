"""What an export is to give: chosen once, kept through a kill, in one order."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.archive.exporting.order import Order, Sites, end_of
from agents.archive.exporting.selection import Selection
from agents.dates import InvalidDate
from tests.agents.archive.exporting.conftest import capture


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Give a folder."""
    return tmp_path


def opened(folder: Path) -> Selection:
    """Return the selection of a folder, as a new process would."""
    selection = Selection(folder, Order(source="x"))
    selection.open("20261122000000")
    return selection


def test_what_was_not_passed_by_is_chosen_again(folder: Path) -> None:
    """A kill in the midst of some structure files leaves nothing twice."""
    one, two = (capture(f"http://a/{n}", f"2026010{n}", b"x") for n in (1, 2))
    before = opened(folder)
    before.choose([one], ["damaged"])
    before.pass_by("a")
    before.choose([two], ["damaged, too"])
    before.close()
    after = opened(folder)
    assert after.cursor == "a"
    assert after.problems() == (1, ["damaged"])
    after.choose([two], [])
    after.pass_by("b")
    after.arrange()
    assert [item.capture for item in after.read(0, 9)] == [one, two]
    after.close()


def test_arranging_that_was_broken_off_is_done_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It happens whole or not at all."""
    selection = opened(folder)
    selection.choose([capture("http://a/", "20260101", b"x")], [])
    selection.pass_by("a")
    with monkeypatch.context() as patched:
        patched.setattr(Selection, "_state", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            selection.arrange()
    assert selection.stage == "choosing"
    selection.arrange()
    assert (selection.stage, selection.amount().captures) == ("writing", 1)
    selection.close()


@given(
    st.lists(
        st.tuples(st.integers(1, 3), st.integers(1, 5), st.sampled_from([b"", b"a", b"b"])),
        unique=True,
        max_size=20,
    )
)
def test_captures_stand_by_date_and_name_the_first_of_their_content(
    tmp_path_factory: pytest.TempPathFactory, chosen: list[tuple[int, int, bytes]]
) -> None:
    """Whatever order they are found in."""
    selection = opened(tmp_path_factory.mktemp("selection"))
    captures = [capture(f"http://a/{n}", f"2026010{day}", body) for n, day, body in chosen]
    selection.choose(captures, [])
    selection.pass_by("z")
    selection.arrange()
    items = selection.read(0, 100)
    selection.close()
    key = [(each.capture.date, each.capture.url, each.capture.content) for each in items]
    assert key == sorted((each.date, each.url, each.content) for each in captures)
    first: dict[str, tuple[str, str]] = {}
    for each in items:
        one = each.capture
        assert each.former == (first.get(one.content) if one.size else None)
        first.setdefault(one.content, (one.date, one.url))


@pytest.mark.parametrize(
    ("word", "url", "takes"),
    [
        ("example.org", "https://example.org/", True),
        ("example.org", "http://www.EXAMPLE.org:8080/x", True),
        ("example.org", "http://notexample.org/", False),
        ("example.org", "http://example.org.evil/", False),
        ("example.org", "http://a/?example.org", False),
        ("http://example.org", "http://example.org/a", True),
        ("http://example.org", "http://example.org.evil/", False),
        ("http://example.org/a", "http://example.org/ab", True),
        ("example.org", "dns:example.org", False),
        ("[::1]", "http://[::1]:80/", True),
        ("[::1]:8080", "http://[::1]:8080/", True),
        ("example.org:8080", "http://www.example.org:8080/", True),
        ("example.org:8080", "http://example.org/", False),
        ("example.org:443", "https://example.org/", True),
        ("b\u00fccher.example", "https://www.xn--bcher-kva.example/", True),
        ("example.org/news", "http://example.org/news/", False),
        ("a site", "http://b/", True),
        ("site", "http://b/", False),
    ],
)
def test_sites_take_what_is_theirs(word: str, url: str, takes: bool) -> None:
    """Hosts with all below them, prefixes, and the names that captures tell."""
    assert Sites([word]).take(url, "crawl: 1\nsite: a site\n") is takes


def test_dates_end_with_their_span() -> None:
    """A year is up to its last moment, a second too."""
    assert Order("", last=end_of("2026")).takes_date("20261231235959999999")
    assert not Order("", last=end_of("2026")).takes_date("20270101000000000000")
    assert Order("", last=end_of("2026-11-21T07:30:00Z")).takes_date("20261121073000999999")
    assert not Order("", last=end_of("2026-11-21")).takes_date("20261122000000000000")
    assert not Order("", first="20260101000000000000").takes_date("20251231235959999999")
    assert end_of("2026-11-21T07:30:00+02:00") == "20261121053000~"
    assert end_of("Sat, 21 Nov 2026 07:30:00 GMT") == "20261121073000~"
    with pytest.raises(InvalidDate):
        end_of("tomorrow")
