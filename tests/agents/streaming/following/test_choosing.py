"""Which forms of a channel are followed."""

from hypothesis import given
from hypothesis import strategies as st

from agents.streaming.following.choosing import Choice, playlists, representations
from anet.media.dash import Representation
from anet.media.hls import Master, Rendition, Variant

AUDIO = {"AUDIO": "a"}
MASTER = Master(
    [
        Variant("low", 100, groups=AUDIO),
        Variant("images", 1, images=True),
        Variant("high", 900, groups={"AUDIO": "b"}),
        Variant("middle", 500, groups=AUDIO),
    ],
    [
        Rendition("AUDIO", "a", url="fr", default=False),
        Rendition("AUDIO", "a", url="en", default=True),
        Rendition("AUDIO", "b", url="better"),
        Rendition("SUBTITLES", "s", url="subtitles"),
        Rendition("CLOSED-CAPTIONS", "a"),
    ],
)


def test_all_are_followed_up_to_so_many() -> None:
    """The best variant first, then what is heard with any, then the other variants."""
    assert playlists(MASTER, Choice(10)) == ["high", "en", "fr", "better", "middle", "low"]
    assert playlists(MASTER, Choice(2)) == ["high", "en"]


def test_the_best_within_a_bit_rate() -> None:
    """With one rendition of each kind, the default one; if all are beyond, the smallest."""
    assert playlists(MASTER, Choice(10, 600, best=True)) == ["middle", "en"]
    assert playlists(MASTER, Choice(10, 600)) == ["middle", "en", "fr", "low"]
    assert playlists(MASTER, Choice(10, 5, best=True)) == ["low", "en"]


def test_renditions_alone_are_followed() -> None:
    """A master playlist may have no variant that is not of images."""
    alone = Master([], [Rendition("AUDIO", "a", url="one")])
    assert playlists(alone, Choice()) == ["one"]


def form(name: str, set_: int, bandwidth: int) -> Representation:
    """Return a representation."""
    return Representation(name, "", bandwidth, "", "", "", "", set=set_)


def test_each_set_is_followed_before_more_of_one_is() -> None:
    """Picture and sound, the best of each, before other pictures."""
    forms = [form("v1", 0, 1), form("v3", 0, 3), form("v2", 0, 2), form("a1", 1, 1)]
    assert [each.id for each in representations(forms, Choice(3))] == ["v3", "a1", "v2"]
    best = representations(forms, Choice(9, 2, best=True))
    assert [each.id for each in best] == ["v2", "a1"]
    assert representations([], Choice()) == []


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9)), max_size=20),
    st.builds(Choice, st.integers(1, 9), st.integers(0, 9), st.booleans()),
)
def test_something_of_each_set_is_followed_and_nothing_twice(
    given_: list[tuple[int, int]], choice: Choice
) -> None:
    """As far as there may be so many."""
    forms = [form(str(number), *each) for number, each in enumerate(given_)]
    found = representations(forms, choice)
    assert len(found) <= choice.variants
    assert len({each.id for each in found}) == len(found)
    assert len({each.set for each in found}) == min(len({one for one, _ in given_}), len(found))
    assert not forms or found
