"""How contents are put together on their way: pure."""

from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from agents.bundle import BUNDLE_LIMIT, CONTENT_LIMIT, COUNT_LIMIT
from agents.delivery import parcels
from agents.deposit import ContentSize, Placement

_NODES = st.lists(st.sampled_from(["http://a", "http://b", "http://c"]), unique=True)
_SIZES = st.one_of(st.integers(0, 2 * CONTENT_LIMIT), st.just(CONTENT_LIMIT), st.just(0))


def _placed(pairs: list[tuple[int, list[str]]]) -> list[tuple[ContentSize, Placement]]:
    return [
        (ContentSize(f"{number:064x}", size), Placement(f"{number:064x}", False, nodes))
        for number, (size, nodes) in enumerate(pairs)
    ]


@given(st.lists(st.tuples(_SIZES, _NODES), max_size=60))
def test_every_content_is_in_one_parcel_to_its_nodes(pairs: list[tuple[int, list[str]]]) -> None:
    """No content is lost, doubled or sent elsewhere; bundles keep to the limits of the nodes."""
    placed = _placed(pairs)
    made = parcels(placed)
    assert sorted(key for each in made for key in each.keys) == [one.key for one, _ in placed]
    nodes = {content.key: set(placement.nodes) for content, placement in placed}
    for parcel in made:
        assert all(nodes[key] == set(parcel.nodes) for key in parcel.keys)
        assert parcel.small or len(parcel.contents) == 1
        if parcel.small:
            lines = 100 * len(parcel.contents)
            assert sum(each.size for each in parcel.contents) + lines <= BUNDLE_LIMIT


def test_empty_contents_do_not_fill_a_bundle_without_end() -> None:
    """The number of contents of a bundle has a limit too."""
    made = parcels(_placed([(0, ["http://a"])] * (COUNT_LIMIT + 1)))
    assert [len(each.contents) for each in made] == [COUNT_LIMIT, 1]


def test_a_parcel_that_is_placed_again_remembers_who_took_it() -> None:
    """Nodes that have it are not asked twice, and tries go on counting."""
    placed = _placed([(10, ["http://a", "http://b"]), (10, ["http://a", "http://b"])])
    [parcel] = parcels(placed)
    tried = evolve(parcel, have=("http://a",), tries=2)
    moved = [(content, evolve(placement, nodes=["http://c"])) for content, placement in placed]
    again = tried.placed_again([placed[0], moved[1]])
    assert [each.nodes for each in again] == [("http://a", "http://b"), ("http://c",)]
    assert all(each.have == ("http://a",) and each.tries == 2 for each in again)
    assert all(each.backoff is parcel.backoff for each in again)
