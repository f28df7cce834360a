"""Who may say what over HIP, and what is refused in words."""

from collections.abc import Callable
from typing import Any

import pytest

from hip import RemoteError

SEED = "http://seed.example/"
NOTHING: dict[str, Any] = {"crawl": "c", "part": 0, "links": [], "feeds": [], "streams": []}


@pytest.fixture
def portion(play: Callable[..., Any], pages: Any) -> Any:
    """A portion of one member."""
    made = play({SEED: pages()})
    made.order(SEED)
    made.run()
    return made


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("decide", {"site": "nobody.example", "decision": "ban"}),
        ("decide", {"site": "seed.example", "decision": "explode"}),
        ("decide", {"site": "seed.example", "decision": "wake"}),
        ("bound", {"site": "seed.example", "start_url": "ftp://seed.example/"}),
        ("prioritise", {"site": "seed.example", "priority": float("nan")}),
        ("prioritise", {"site": "seed.example", "priority": -1.0}),
        ("settle", {"site": "nobody.example", "settings": {}}),
        ("release", {"site": "nobody.example", "names": ["standing"]}),
        ("end_campaign", {"campaign": "nothing"}),
        ("join_campaign", {"campaign": "nothing", "sites": ["seed.example"]}),
        ("join_campaign", {"campaign": "nothing", "sites": []}),
        ("add_feed", {"site": "seed.example", "feed": "no URL"}),
        ("add_feed", {"site": "nobody.example", "feed": SEED}),
    ],
)
def test_what_has_no_place_is_refused(portion: Any, method: str, arguments: dict[str, Any]) -> None:
    """And nothing is changed by it."""
    before = portion.site("seed.example")
    with pytest.raises(RemoteError, match="bad-decision"):
        portion.connectivity.tell(method, **arguments)
    assert portion.site("seed.example") == before


def test_settings_that_cannot_be_are_refused(portion: Any) -> None:
    """With the bounds that they have to keep."""
    with pytest.raises(RemoteError, match="from 60"):
        portion.connectivity.tell("settle", site="seed.example", settings={"interval": 1.0})


def test_only_those_who_deposit_tell_where_crawls_lead(portion: Any) -> None:
    """So many URLs at once, of a crawl that there is."""
    with pytest.raises(RemoteError, match="not-yours"):
        portion.crawler.tell("learn", **NOTHING)
    with pytest.raises(RemoteError, match="not-yours"):
        portion.crawler.tell("feeds_heard", news=[])
    with pytest.raises(RemoteError, match="too-much"):
        portion.connectivity.tell("learn", **{**NOTHING, "links": [(SEED, 1)] * 501})
    with pytest.raises(RemoteError, match="no-crawl"):
        portion.connectivity.tell("learn", **NOTHING)


def test_what_was_fixed_can_be_released(portion: Any) -> None:
    """Then the scheduler decides again."""
    tell = portion.connectivity.tell
    tell("prioritise", site="seed.example", priority=5.0, who="anna", why="first")
    assert portion.site("seed.example").held == {"standing", "priority"}
    tell("release", site="seed.example", names=["priority", "standing"], who="anna")
    assert portion.site("seed.example").held == set()
    portion.web[SEED] = type(portion.web[SEED])(relevance=0.0)
    portion.order(SEED)
    assert portion.site("seed.example").held == {"standing"}  # for it is ordered again
    tell("release", site="seed.example", names=["standing"])
    portion.run()
    assert portion.standings() == {"seed.example": "blacklisted"}
