"""What a disk knows of its depot, against a dictionary."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.storage.errors import LayoutRefused
from agents.storage.status import Followed
from agents.storage.stores import depot_map
from agents.storage.stores.depot_map import DepotMap

KEYS = st.binary(min_size=32, max_size=32).map(bytes.hex)
NEAR = st.sampled_from(
    [f"{first}{'0' * 61}{last}" for first in ("00", "ab", "ff") for last in "129"]
)


@settings(deadline=None, max_examples=25)
@given(
    st.dictionaries(KEYS | NEAR, st.integers(0, 2**50)),
    st.sampled_from(["00", "ab", "ff"]),
    st.one_of(st.just(""), KEYS, NEAR),
    st.data(),
)
def test_it_holds_what_it_was_told(
    sizes: dict[str, int], prefix: str, after: str, data: st.DataObject
) -> None:
    """Sizes and keys in order are those noted and not forgotten, after it was opened again too."""
    gone = data.draw(st.sets(st.sampled_from(sorted(sizes)))) if sizes else set()
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(depot_map, "_PAGE", 2)
        map_ = DepotMap(Path(folder) / "depot", "s3://a/")
        map_.make(sizes.items())
        for key in gone:
            map_.forget(key)
        map_.follow(Followed("a" * 32, 7))
        map_.close()
        map_ = DepotMap(Path(folder) / "depot", "s3://a/")
        left = {key: size for key, size in sizes.items() if key not in gone}
        assert {key: map_.size_of(key) for key in sizes} == {key: left.get(key) for key in sizes}
        wanted = sorted(key for key in left if key.startswith(prefix) and key > after)
        assert list(map_.keys(prefix, after)) == wanted
        assert (map_.is_made, map_.followed) == (True, Followed("a" * 32, 7))
        map_.close()


def test_a_damaged_map_says_what_to_do(tmp_path: Path) -> None:
    """One that cannot be read is refused, in words that say how to get another."""
    (tmp_path / "depot").mkdir()
    (tmp_path / "depot" / "data.mdb").write_bytes(b"?" * 10_000)
    with pytest.raises(LayoutRefused, match="take it away"):
        DepotMap(tmp_path / "depot", "s3://a/")
