"""Both serializers carry the same values and give them back alike; nonsense is one error."""

import contextlib
import math
import struct
from datetime import UTC, date, datetime, timedelta, timezone

import pytest
import yaml
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

from hip.codecs import CODECS, MESSAGEPACK, YAML
from hip.codecs.codec import DEPTH, INTEGER_BITS
from hip.errors import CannotCarry, ProtocolError
from hip.messages import Notification, Response

BOTH = st.sampled_from([MESSAGEPACK, YAML])  # pytest-twisted cannot mix parametrize and given
each_codec = pytest.mark.parametrize("codec", CODECS.values(), ids=CODECS)

SURPRISING = ["yes", "no", "on", "~", "null", "012", "0o17", "0x1f", "1:30", "1_000", "1e3", ".5"]
SURPRISING += [".inf", "2026-11-21", "2026-11-21T10:25:51Z", "=", "<<", "", " ", "a: b", "# c", "%"]
SURPRISING += ["\0", "\x85", "\u2028", "\ufeff", "\ufffe", "\U0001f600", "\r\n", "\t", "\\", "'"]

TEXTS = st.text(st.characters(exclude_categories=["Cs"])) | st.sampled_from(SURPRISING)
SMALL = st.integers(-(2**63), 2**64 - 1)
LARGE = st.integers(-(2 ** (INTEGER_BITS - 1)) + 1, 2 ** (INTEGER_BITS - 1) - 1)
ZONES = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
MOMENTS = st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30), timezones=ZONES) | st.datetimes(
    timezones=st.just(UTC)
)
SCALARS = st.none() | st.booleans() | SMALL | LARGE | st.floats() | TEXTS | st.binary() | MOMENTS
KEYS = TEXTS | SMALL | st.binary()
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner))


def alike(one: object, other: object) -> bool:
    """Tell whether two values are the same, of the same types, to the last bit of a float."""
    if type(one) is not type(other):
        return False
    match one:
        case float():
            return struct.pack("d", one) == struct.pack("d", other) or math.isnan(one + other)
        case list():
            return len(one) == len(other) and all(map(alike, one, other))
        case dict():
            return list(one) == list(other) and all(alike(one[key], other[key]) for key in one)
    return one == other


@given(VALUES)
def test_values_survive_both_serializers_alike(value):
    """Every kind of value comes back as it was, and the same from both serializers."""
    for codec in CODECS.values():
        assert alike(codec.decode(codec.encode(value)), value)


@given(VALUES)
def test_what_is_written_is_what_any_yaml_reader_reads(value):
    """PyYAML's own reader, which is of YAML 1.1, reads our YAML as we mean it."""
    assert alike(yaml.safe_load(YAML.encode(value)), value)


@each_codec
@pytest.mark.parametrize("key", ["k" * 1025, "é" * 1024, b"b" * 1000], ids=["text", "é", "bytes"])
def test_keys_may_be_long(codec, key):
    """YAML wants a mark before a key of more than 1,024 characters, and gets one."""
    for value in ({key: 1}, {key: {key: [1]}, "a": None}):
        assert codec.decode(codec.encode(value)) == value
        assert yaml.safe_load(YAML.encode(value)) == value


@each_codec
def test_a_moment_is_the_same_in_any_zone(codec):
    """Moments come back in UTC, to the microsecond, in the first year and in the last."""
    berlin = datetime(2026, 11, 21, 11, 25, 51, 123456, timezone(timedelta(hours=1)))
    ends = datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, 59, 999999, UTC)
    for moment in (berlin, *ends):
        back = codec.decode(codec.encode(moment))
        assert back == moment
        assert back.utcoffset() == timedelta(0)


@frozen
class Order:
    """A value of the kind that agents send."""

    name: str
    when: datetime
    tags: tuple[str, ...] = ()


@each_codec
def test_what_is_no_plain_value_goes_as_one(codec):
    """Attrs values go as dictionaries, tuples as lists, dates and moments without zone as text."""
    order = Order("a", datetime(2026, 11, 21), ("x", "y"))
    assert codec.decode(codec.encode([order, (1, 2), date(2026, 11, 21)])) == [
        {"name": "a", "when": "2026-11-21T00:00:00", "tags": ["x", "y"]},
        [1, 2],
        "2026-11-21",
    ]


@each_codec
def test_bytes_of_any_type_are_bytes(codec):
    """Buffers go as bytes, also beside an integer that takes the long way."""
    value = [b"a", bytearray(b"b"), memoryview(b"c"), 2**70]
    assert codec.decode(codec.encode(value)) == [b"a", b"b", b"c", 2**70]


def cyclic() -> list[object]:
    """Return a list that holds itself."""
    value: list[object] = []
    value.append(value)
    return value


UNCARRIED = {
    "object": object(),
    "complex": 1j,
    "surrogate": "\ud800",
    "large": 2 ** (INTEGER_BITS - 1),
    "large and negative": -(2 ** (INTEGER_BITS - 1)),
    "large key": {2**64: 1},
    "large key beside": {"a": [2**70, {2**64: 1}]},
    "cycle": cyclic(),
    "cycle beside a large integer": [2**70, cyclic()],
    "before year 1": datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=1))),
    "after year 9999": datetime(9999, 12, 31, 23, 59, tzinfo=timezone(-timedelta(hours=1))),
}


@each_codec
@pytest.mark.parametrize("value", UNCARRIED.values(), ids=UNCARRIED)
def test_what_has_no_form_is_its_senders_error(codec, value):
    """It cannot be carried, wherever it stands, and what was written before it is unharmed."""
    for part in (value, [value], {"a": value}):
        with pytest.raises(CannotCarry):
            codec.encode(part)
    buffer = bytearray(b"before")
    for message in (Response(1, value), Notification("x", {"good": "x" * 1000, "bad": value})):
        with pytest.raises(CannotCarry):
            codec.add(buffer, message)
        assert buffer == b"before"


@pytest.mark.parametrize("key", [None, True, 1.5, (1, 2), datetime(2026, 1, 1, tzinfo=UTC)])
def test_yaml_writes_no_key_that_others_cannot_read(key):
    """Keys are text, integers or bytes."""
    with pytest.raises(CannotCarry, match="is no key"):
        YAML.encode({key: 1})


def nested(levels: int) -> list[object]:
    """Return lists in lists."""
    value: list[object] = []
    for _ in range(levels - 1):
        value = [value]
    return value


def test_what_is_nested_too_deep_is_not_sent():
    """What a reader would refuse is its writer's error, counted with the frame around it."""
    assert YAML.decode(YAML.encode(nested(DEPTH))) == nested(DEPTH)
    with pytest.raises(CannotCarry, match="100 deep"):
        YAML.encode(nested(DEPTH + 1))
    buffer = bytearray()
    YAML.begin(buffer, "response")
    YAML.add(buffer, Response(1, nested(DEPTH - 3)))
    with pytest.raises(CannotCarry, match="100 deep"):
        YAML.add(buffer, Response(2, nested(DEPTH - 2)))
    YAML.end(buffer, 0, "response", 1)
    assert YAML.decode(buffer) == ["response", [[1, nested(DEPTH - 3)]]]


# From peers


@given(BOTH, st.binary())
def test_bytes_of_nonsense_are_a_protocol_error(codec, data):
    """No bytes raise anything but the documented error."""
    with contextlib.suppress(ProtocolError):
        codec.decode(data)


@given(BOTH, VALUES, st.data())
def test_bytes_that_were_spoilt_are_a_protocol_error(codec, value, data):
    """Nor do the bytes of a value of which some were changed, or are missing."""
    encoded = bytearray(codec.encode(value))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(encoded)))
        encoded[at : at + data.draw(st.integers(0, 2))] = data.draw(st.binary(max_size=2))
    with contextlib.suppress(ProtocolError):
        codec.decode(bytes(encoded))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: 1\nb:\n- 2\n- x y\n", {"a": 1, "b": [2, "x y"]}),
        ("--- |\n one\n two\n...\n", "one\ntwo\n"),
        ("%YAML 1.2\n--- [1, +2, -3, 0]", [1, 2, -3, 0]),
        ("[~, null, Null, NULL]", [None, None, None, None]),
        ("- \n- a", [None, "a"]),
        ("[true, True, TRUE, false, False, FALSE]", [True, True, True, False, False, False]),
        ("[1.5, .5, 1., 1e3, -1.5E-3]", [1.5, 0.5, 1.0, 1e3, -1.5e-3]),
        ("[.inf, +.inf, -.INF, .Inf]", [math.inf, math.inf, -math.inf, math.inf]),
        ("{? a : 1, 2: b, !!binary aGlw: c}", {"a": 1, 2: "b", b"hip": "c"}),
        ("[!!str 1, ! 2, !!int '3', !!float '4', !!float 5]", ["1", "2", 3, 4.0, 5.0]),
        ("!!timestamp 2026-11-21T10:25:51+01:00", datetime(2026, 11, 21, 9, 25, 51, tzinfo=UTC)),
    ],
)
def test_yaml_of_others_is_read(text, value):
    """Block style, plain scalars and tags mean what YAML 1.1 and 1.2 both say."""
    assert alike(YAML.decode(text.encode()), value)


@pytest.mark.parametrize(
    "text",
    ["yes", "NO", "on", "y", "tRUE", "012", "-012", "0x1f", "0o17", "0b1", "1_000", "1:30", "1e"]
    + ["2026-11-21", "2026-11-21T10:25:51Z", "=", "<<", "1.2.3", ".", "-", "+", "e5", "nan"],
)
def test_what_yaml_versions_read_differently_is_text(text):
    """Without quotes, what YAML 1.1 or 1.2 alone takes for something else is text."""
    assert YAML.decode(f"[{text}, {{{text}: 1}}]".encode()) == [text, {text: 1}]


REFUSED = {
    "alias": b"a: &x [1]\nb: *x",
    "anchor": b"&x 1",
    "object": b"!!python/object:os.system {}",
    "own tag": b"!mine 1",
    "set": b"!!set {a}",
    "twice": b"{a: 1, a: 2}",
    "twice as bytes": b'{!!binary "YQ==": 1, !!binary "YQ=": 2}',
    "a list as key": b"{[1]: 2}",
    "a float as key": b"{1.5: 2}",
    "none as key": b"{~: 2}",
    "a large integer as key": b"{18446744073709551616: 2}",
    "two documents": b"--- 1\n--- 2",
    "no document": b"# nothing",
    "nothing": b"",
    "not UTF-8": b"\xff",
    "UTF-16": b"\xff\xfe" + "[1]".encode("utf-16le"),
    "control characters": b'"\x01"',
    "empty integer": b"!!int ''",
    "padded integer": b"!!int 012",
    "integer in words": b"!!int one",
    "empty float": b"!!float ''",
    "boolean in words": b"!!bool x",
    "a boolean number": b"!!bool 1",
    "timestamp in words": b"!!timestamp x",
    "timestamp without zone": b"!!timestamp 2026-11-21T10:25:51",
    "a day that is none": b"!!timestamp 2026-02-30T10:25:51Z",
    "not base 64": b"!!binary a",
    "a mapping that says it is a list": b"!!seq {a: 1}",
    "too large": b"1" * 1300,
    "beyond 4,096 bits": str(2**4095).encode(),
}


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED)
def test_other_yaml_is_refused(text):
    """What YAML 1.1 and 1.2 do not share, and what multiplies or makes objects, is no value."""
    with pytest.raises(ProtocolError):
        YAML.decode(text)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xc1",
        b"\xc0\xc0",
        b"\xa1\xff",
        b"\xd4\x05\x00",
        b"\xc7\x00\x05",
        b"\xd7\xff" + b"\xff" * 8,
        b"\xc8\x02\x01\x01" + b"\x7f" * 513,
        b"\x81\x90\xc0\xc0",
        b"\x81\x80\xc0",
        b"\x81\xc7\x09\x01" + b"\x01" * 9 + b"\xc0",
        b"\x91\x81\xc7\x09\x01" + b"\x01" * 9 + b"\xc0",
    ],
)
def test_other_messagepack_is_refused(data):
    """Unknown extensions, moments that never are, integers too large or as keys, and halves."""
    with pytest.raises(ProtocolError):
        MESSAGEPACK.decode(data)


def test_an_integer_that_is_longer_than_it_must_be_is_read():
    """A writer that pads its integers is understood."""
    assert MESSAGEPACK.decode(b"\xc7\x03\x01\xff\xff\xfe") == -2
    assert MESSAGEPACK.decode(b"\xc7\x00\x01") == 0
