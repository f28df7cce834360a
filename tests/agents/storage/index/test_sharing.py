"""How index nodes share the groups."""

from hypothesis import given
from hypothesis import strategies as st

from agents.storage.index.sharing import GROUPS, groups_of, mask, owners, share

NAMES = st.frozensets(st.text(min_size=1, max_size=8), min_size=1, max_size=8)


@given(NAMES)
def test_each_group_has_one_owner(names: frozenset[str]) -> None:
    """The shares of all together are all groups, each once."""
    shares = b"".join(groups_of(name, names) for name in names)
    assert sorted(shares) == list(range(GROUPS))
    assert all(share(group, list(names)) == owners(names)[group] for group in range(GROUPS))


@given(NAMES, st.text(min_size=1, max_size=8))
def test_one_that_comes_moves_only_its_own_share(names: frozenset[str], new: str) -> None:
    """No group goes from one old index node to another."""
    before, after = owners(names), owners(names | {new})
    assert all(now in (former, new) for former, now in zip(before, after, strict=True))


def test_shares_are_about_equal() -> None:
    """Of eight index nodes none has more than twice its part."""
    names = [f"index-{number}" for number in range(8)]
    sizes = [len(groups_of(name, names)) for name in names]
    assert min(sizes) > 16 and max(sizes) < 64


@given(st.binary(max_size=300))
def test_a_mask_has_a_bit_for_each_group(groups: bytes) -> None:
    """Whatever the order, and however often a group is named."""
    found = mask(groups)
    assert {group for group in range(GROUPS) if found >> group & 1} == set(groups)
