"""Links that led readers nowhere: noted at their sites, and collected if they are to be."""

from collections.abc import Callable
from typing import Any

import pytest
from twisted.internet.defer import ensureDeferred

from agents.missed import MissedLink
from agents.scheduler.looking import Looking
from hip import RemoteError, exposed

SEED = "http://seed.example/"
DATE, LATER = "20270115080000000000", "20270116080000000000"


def consultation(portion: Any) -> Any:
    """Return an agent that has readers."""

    class Consultation(portion.kit.Slave):  # type: ignore[misc]
        kind = "consultation"

        @exposed
        def nothing(self) -> None:
            """Be something that can be called."""

    return Consultation(portion.world, "consultation")


def missed(path: str = "gone", times: int = 1, date: str = DATE) -> MissedLink:
    """Return a link of the site that was missed."""
    return MissedLink(f"{SEED}{path}", SEED, times, date)


def seeded(play: Callable[..., Any], pages: Any, policy: str, **config: Any) -> Any:
    """Return a portion of one member."""
    portion = play({SEED: pages()}, missed_links=policy, **config)
    portion.order(SEED)
    portion.run()
    return portion


def noted(portion: Any, site: str | None = "seed.example") -> list[Any]:
    """Return what is noted of a site."""
    return [dict(row) for row in portion.world.database.missed_of(site, 10)]


@pytest.mark.parametrize("enabled", [True, False])
def test_links_are_noted_at_their_site(play: Callable[..., Any], pages: Any, enabled: bool) -> None:
    """Once, however often it is told, with the highest count; and nothing is collected."""
    portion = seeded(play, pages, "note", expansion={"enabled": enabled})
    readers = consultation(portion)
    for _ in range(2):
        readers.tell("missed", links=[missed(times=3), missed("other", date=LATER)])
    assert [(row["url"], row["times"], row["ordered"]) for row in noted(portion)] == [
        (f"{SEED}other", 1, None),
        (f"{SEED}gone", 3, None),
    ]
    portion.run()
    assert len(portion.orders) == 1
    asked = ensureDeferred(Looking(portion.world.means).site("seed.example"))
    missed_lines = portion.world.wait(asked).missed
    assert [line.url for line in missed_lines] == [f"{SEED}other", f"{SEED}gone"]


def test_links_are_collected_soon(play: Callable[..., Any], pages: Any) -> None:
    """By a quick crawl of these alone; those told while it is at work, by the next; each once."""
    portion = seeded(play, pages, "collect")
    readers = consultation(portion)
    readers.tell("missed", links=[missed()])
    portion.world.pass_time(1)
    readers.tell("missed", links=[missed(times=2), missed("other")])
    assert (portion.orders[-1].urls, portion.orders[-1].maximum_depth) == ((f"{SEED}gone",), 0)
    portion.run()
    assert portion.orders[-1].urls == (f"{SEED}other",)
    readers.tell("missed", links=[missed(times=9), missed("other", times=9)])
    portion.run()
    assert len(portion.orders) == 3
    assert all(row["ordered"] for row in noted(portion))


def test_nothing_told_is_lost_when_the_scheduler_is_killed(
    play: Callable[..., Any], pages: Any
) -> None:
    """A link told while its site was at work is collected after that, whatever happens between."""
    portion = seeded(play, pages, "collect")
    readers = consultation(portion)
    readers.tell("missed", links=[missed()])
    portion.world.pass_time(1)
    readers.tell("missed", links=[missed("other")])
    portion.kill()
    readers = consultation(portion)
    portion.crawler.tell("ready", crawl=None)
    portion.world.pass_time(60)
    portion.run()
    assert {url for order in portion.orders for url in order.urls} == {
        f"{SEED}gone",
        f"{SEED}other",
    }


def test_what_is_missed_still_is_asked_for_again(play: Callable[..., Any], pages: Any) -> None:
    """But not before a week has passed, lest a dead link be asked for all day."""
    portion = seeded(play, pages, "collect")
    consultation(portion).tell("missed", links=[missed()])
    portion.run()
    portion.later(8 * 86_400)
    asked = len(portion.orders)
    consultation(portion).tell("missed", links=[missed(times=2, date="20270124080000000000")])
    portion.run()
    assert portion.orders[asked].urls == (f"{SEED}gone",)


def test_links_of_no_site_lead_to_candidates(play: Callable[..., Any], pages: Any) -> None:
    """Unless they name an address of one's own network."""
    portion = seeded(play, pages, "collect", expansion={"candidates_per_day": 0})
    links = [
        MissedLink(url, SEED, 1, DATE)
        for url in (
            "http://new.example/a",
            "http://10.0.0.1/",
            "http://[::1]/",
            "http://localhost/",
        )
    ]
    consultation(portion).tell("missed", links=links)
    assert portion.standings()["new.example"] == "discovered"
    assert set(portion.standings()) == {"seed.example", "new.example"}
    elsewhere = ensureDeferred(Looking(portion.world.means).missed_elsewhere(3))
    assert len(portion.world.wait(elsewhere)) == 3


def test_hostile_links_are_dropped(play: Callable[..., Any], pages: Any) -> None:
    """What is no canonical URL, too long, or without a date is not kept; the rest is."""
    portion = seeded(play, pages, "collect")
    bad = [
        MissedLink("javascript:alert(1)", "", 1, DATE),
        MissedLink("HTTP://seed.example/x", "", 1, DATE),
        MissedLink(SEED + "x" * 3000, "", 1, DATE),
        MissedLink(SEED + "y", "", 1, "yesterday"),
    ]
    consultation(portion).tell("missed", links=[*bad, missed()])
    assert [row["url"] for row in noted(portion)] == [f"{SEED}gone"]


def test_who_may_tell_and_how_much(play: Callable[..., Any], pages: Any) -> None:
    """Agents with readers, 500 links at once; with "no", nothing is even noted."""
    portion = seeded(play, pages, "no")
    readers = consultation(portion)
    readers.tell("missed", links=[missed()])
    assert not noted(portion)
    with pytest.raises(RemoteError, match="too-much"):
        readers.tell("missed", links=[missed(str(number)) for number in range(501)])
    with pytest.raises(RemoteError, match="not-yours"):
        portion.crawler.tell("missed", links=[])


def test_what_readers_saw_is_deposited(play: Callable[..., Any], pages: Any) -> None:
    """Under a name of its own."""
    portion = seeded(play, pages, "no")
    told = {"crawl": "live-1", "directory": "/crawls/live-1", "figures": {"captures": 2}}
    assert consultation(portion).tell("collected", collected=told) is True
    portion.world.pass_time(12)
    assert portion.deposits[0][0] == "live-1"
    assert portion.site("live").standing.value == "dormant"


def test_the_log_is_bounded(play: Callable[..., Any], pages: Any, monkeypatch: Any) -> None:
    """Those missed longest ago are forgotten first."""
    monkeypatch.setattr("agents.scheduler.database.missed.KEPT", 2)
    portion = seeded(play, pages, "note")
    links = [missed(str(number), date=f"2027011{number}080000000000") for number in range(5)]
    consultation(portion).tell("missed", links=links)
    assert [row["url"][-1] for row in noted(portion)] == ["4", "3"]
