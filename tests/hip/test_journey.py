"""Where a slave goes, and where not: a policy without a network."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anet.errors import InvalidAddress
from hip.address import parse
from hip.errors import ProtocolError
from hip.journey import REDIRECTIONS, Journey

HOME = "127.0.0.1:1"


def test_on_and_home_again() -> None:
    """A slave goes where it is sent, and then home; the next round knows nothing of the former."""
    journey = Journey(parse(HOME))
    for _ in range(3):
        journey.go_on("127.0.0.1:2")
        journey.go_on("127.0.0.1:3")
        assert journey.target == parse("127.0.0.1:3")
        journey.go_home()
        assert journey.target == parse(HOME)


@pytest.mark.parametrize("back", ["127.0.0.1:1", "127.0.0.1:2", "127.0.0.1:3"])
def test_no_way_back_in_one_round(back: str) -> None:
    """Neither to a master that has sent us on, nor to the one that we are at."""
    journey = Journey(parse(HOME))
    journey.go_on("127.0.0.1:2")
    journey.go_on("127.0.0.1:3")
    with pytest.raises(ProtocolError, match="the masters loop"):
        journey.go_on(back)
    assert journey.target == parse("127.0.0.1:3")


def test_five_in_a_row_and_no_more() -> None:
    """The sixth redirection of a round is refused."""
    journey = Journey(parse(HOME))
    for port in range(2, 2 + REDIRECTIONS):
        journey.go_on(f"127.0.0.1:{port}")
    with pytest.raises(ProtocolError, match="after 5 redirections"):
        journey.go_on("127.0.0.1:99")


def test_a_link_that_has_held_begins_a_new_round() -> None:
    """A master may send a slave back later, when its work is done."""
    journey = Journey(parse(HOME))
    journey.go_on("127.0.0.1:2")
    journey.settle()
    journey.go_on(HOME)
    assert journey.target == parse(HOME)


@pytest.mark.parametrize("nowhere", ["", "127.0.0.1:0", "nonsense", "unix:/tmp/hip", "[::1]"])
def test_no_way_to_nowhere(nowhere: str) -> None:
    """An address that leads nowhere, or to our own files, is refused."""
    journey = Journey(parse(HOME))
    with pytest.raises(InvalidAddress):
        journey.go_on(nowhere)
    assert journey.target == parse(HOME)


def test_a_socket_leads_to_another_and_never_back_from_the_network() -> None:
    """Only a master on this machine may name a UNIX socket."""
    journey = Journey(parse("unix:/run/one"))
    journey.go_on("unix:/run/two")
    journey.go_on("127.0.0.1:2")
    with pytest.raises(InvalidAddress, match="not on this machine"):
        journey.go_on("unix:/run/three")


@given(st.lists(st.integers(1, 8), max_size=40))
def test_every_round_ends(ports: list[int]) -> None:
    """Whatever masters say, a slave visits none twice in a round, and at most five beyond home."""
    journey = Journey(parse(HOME))
    visited = [journey.target]
    for port in ports:
        try:
            journey.go_on(f"127.0.0.1:{port}")
        except ProtocolError:
            journey.go_home()
            visited = []
        visited.append(journey.target)
        assert len(set(visited)) == len(visited) <= 1 + REDIRECTIONS
