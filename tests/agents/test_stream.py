"""URLs of streams, and places in their contents."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.stream import canonical, log_name
from agents.stream_offset import BYTE_LIMIT, MILLISECONDS_LIMIT, StreamOffset, offset_of


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("HTTP://Radio.Example:80/Live#now", "http://radio.example/Live"),
        ("icy://radio.example:8000/live", "http://radio.example:8000/live"),
        ("RTSP://User:secret@TV.example:554/One?a=b#c", "rtsp://tv.example/One?a=b"),
        ("mms://radio.example/live", "mms://radio.example/live"),
        ("rtmp://tv.example/live", None),
        ("rtsp:///nowhere", None),
        ("rtsp://tv.example/%2e%2E/a", "rtsp://tv.example/a"),
        ("rtsp://tv.example/a b", None),
        ("rtsp://tv.example/?" + "]" * 5000, None),
        ("javascript:alert(1)", None),
        ("", None),
    ],
)
def test_a_stream_has_one_name(written: str, meant: str | None) -> None:
    """Scheme and host in small letters, without credentials and fragment; or none."""
    assert canonical(written) == meant


@given(
    st.text()
    | st.lists(st.sampled_from(["/", "%2e", "%", "?", "]", "@", ":", "#", "."])).map("".join)
)
def test_a_canonical_url_stays_as_it_is(text: str) -> None:
    """Whatever a page says, the name is stable, and may stand in a line."""
    for url in (text, "rtsp://" + text, "mms://h/" + text, "http://" + text):
        found = canonical(url)
        assert found is None or (canonical(found) == found and found.isascii())


def test_a_log_has_the_name_of_its_stream() -> None:
    """Which is none of the web, so that readers meet it nowhere."""
    assert log_name("http://radio.example/") == "stream-log:http://radio.example/"


@given(st.integers(0, MILLISECONDS_LIMIT), st.integers(0, BYTE_LIMIT))
def test_a_place_in_a_content_is_16_characters(milliseconds: int, byte: int) -> None:
    """And is read as it was written."""
    place = StreamOffset(milliseconds, byte)
    assert len(place.metadata) == 16
    assert offset_of(place.metadata) == place


@pytest.mark.parametrize("text", ["", "0000000000000040", "0000001@0000000x", "٠٠٠٠٠٠٠@٠٠٠٠٠٠٠٠"])
def test_other_metadata_is_no_place(text: str) -> None:
    """Captures of pages have none, and kept records have theirs."""
    assert offset_of(text) is None


def test_a_place_has_limits() -> None:
    """Contents are closed before."""
    with pytest.raises(ValueError, match="9999999"):
        StreamOffset(MILLISECONDS_LIMIT + 1, 0)
