"""Both serializers carry the same values and give them back alike; nonsense is one error."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hip.codecs import MESSAGEPACK, YAML
from hip.errors import ProtocolError

CODECS = st.sampled_from([MESSAGEPACK, YAML])  # pytest-twisted cannot mix parametrize and given


@given(CODECS, st.binary())
def test_bytes_of_nonsense_are_a_protocol_error(codec, data):
    """No bytes raise anything but the documented error."""
    with contextlib.suppress(ProtocolError):
        codec.decode(data)


@pytest.mark.parametrize(
    "data",
    [b"a: &x [1]\nb: *x", b"!!python/object:os.system {}", b"[" * 100_000, b"{a: b: c}", b"\xff"],
)
def test_dangerous_yaml_is_refused(data):
    """Aliases, objects and towers of brackets are refused."""
    with pytest.raises(ProtocolError):
        YAML.decode(data)


def test_a_tower_of_messagepack_is_refused():
    """Nesting has an end."""
    with pytest.raises(ProtocolError):
        MESSAGEPACK.decode(b"\x91" * 100_000)
