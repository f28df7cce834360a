"""Bundles: what is packed comes out, and no bytes do harm."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.bundle import COUNT_LIMIT, BadBundle, pack, unpack
from agents.capture import content_key

_bodies = st.lists(st.binary(max_size=200), max_size=20)


@given(_bodies)
def test_what_is_packed_comes_out(bodies: list[bytes]) -> None:
    """Contents keep their order, their keys and their bytes."""
    contents = [(content_key(body), body) for body in bodies]
    assert [(key, bytes(body)) for key, body in unpack(pack(contents))] == contents


@given(_bodies.filter(len), st.data())
def test_what_is_cut_short_is_refused(bodies: list[bytes], data: st.DataObject) -> None:
    """A bundle that lost its end is none, unless it was cut between two contents."""
    contents = [(content_key(body), body) for body in bodies]
    bundle = pack(contents)
    cut = data.draw(st.integers(0, len(bundle) - 1))
    ends = {len(pack(contents[:count])) for count in range(len(contents))}
    if cut in ends:
        assert pack(unpack(bundle[:cut])) == bundle[:cut]
    else:
        with pytest.raises(BadBundle):
            unpack(bundle[:cut])


@given(st.binary(max_size=300))
def test_any_bytes_are_a_bundle_or_refused(body: bytes) -> None:
    """No other error than `BadBundle` comes out."""
    try:
        contents = unpack(body)
    except BadBundle:
        return
    assert len(pack(contents)) <= len(body)


def test_a_bundle_has_so_many_contents_and_no_more() -> None:
    """Contents of no bytes cost memory too, so their number has a limit."""
    one = (content_key(b""), b"")
    assert len(unpack(pack([one] * COUNT_LIMIT))) == COUNT_LIMIT
    with pytest.raises(BadBundle, match="at most"):
        unpack(pack([one] * (COUNT_LIMIT + 1)))
