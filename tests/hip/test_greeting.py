"""Who speaks, and in which serializer both go on."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hip.codecs import CODECS, MESSAGEPACK, YAML
from hip.errors import ProtocolError
from hip.greeting import PROTOCOL, Greeting, choose_codec
from hip.limits import Limits

NAMES = st.text(
    st.characters(exclude_categories=["C", "Z"], exclude_characters="/"), min_size=1, max_size=200
)


@given(NAMES, NAMES, st.lists(st.sampled_from(["yaml", "msgpack", "java", "1:30"])))
def test_a_greeting_survives(kind, name, serializers):
    """Whatever an agent is called, its peers read it as it was written."""
    greeting = Greeting.of(kind, name, Limits(frame=1024, in_flight=1), serializers)
    assert Greeting.decode(greeting.encode()) == greeting


def speaks(*serializers: str) -> Greeting:
    """Return the greeting of an agent that speaks these."""
    return Greeting(PROTOCOL, "a", "a", serializers=serializers)


def test_the_master_chooses_the_serializer():
    """The master's order of preference counts, whatever the slave prefers."""
    native, other = speaks("msgpack", "yaml"), speaks("yaml", "msgpack")
    assert choose_codec(native, other) is MESSAGEPACK
    assert choose_codec(other, native) is YAML


@given(st.lists(st.sampled_from([*CODECS, "java"])), st.lists(st.sampled_from([*CODECS, "java"])))
def test_both_ends_choose_alike(master, slave):
    """What one end chooses the other chooses too, or both refuse."""
    common = [name for name in master if name in slave and name != "java"]
    if common:
        assert choose_codec(speaks(*master), speaks(*slave)).name == common[0]
    else:
        with pytest.raises(ProtocolError, match="no serializer in common"):
            choose_codec(speaks(*master), speaks(*slave))


@pytest.mark.parametrize("name", ["", "a/b", "x" * 201, "a\nb"])
def test_an_agent_with_an_impossible_name_is_not_made(name):
    """It would be turned away by every master."""
    with pytest.raises(ValueError, match="is no name"):
        Greeting.of("crawler", name, Limits())
