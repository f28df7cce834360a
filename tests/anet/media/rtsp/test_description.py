"""Descriptions of presentations, and which channel carries what."""

from hypothesis import given
from hypothesis import strategies as st

from anet.http.message import parse_head
from anet.media.rtsp.description import TRACK_LIMIT, Track, read_description
from anet.media.rtsp.presentation import Presentation
from anet.media.rtsp.reading import Reply
from tests.anet.media.rtsp.wire import DESCRIPTION, MP3, reply


def replied(raw: bytes, body: bytes = b"") -> Reply:
    """Return a reply."""
    return Reply(parse_head(raw), body)


def test_what_a_description_says() -> None:
    """It names the presentation, and the tracks of sound and pictures with what decodes them."""
    said = read_description(DESCRIPTION)
    assert (said.name, said.about) == ("Radio Café", "All the news")
    assert (said.homepage, said.bitrate, said.control) == ("http://radio.example/", 192, "*")
    assert not said.is_recorded
    pictures, sound = said.tracks
    assert (pictures.kind, pictures.encoding, pictures.rate) == ("video", "H264", 90000)
    assert pictures.parameters["sprop-parameter-sets"] == "Z2QAC6w=,aOvj"
    assert (sound.encoding, sound.rate, sound.channels) == ("MPEG4-GENERIC", 44100, 2)
    assert sound.parameters["sizelength"] == "13"
    assert sound.control == "rtsp://127.0.0.1/live/trackID=2"


def test_types_that_are_fixed() -> None:
    """A payload type of RFC 3551 needs no other words."""
    said = read_description(MP3)
    assert said.tracks == (Track("audio", "one", "MPA"),)
    assert said.name == ""


def test_a_recording_has_an_end() -> None:
    """A range with two times says that it is a file."""
    assert read_description(MP3 + b"a=range:npt=0-33.5\r\n").is_recorded
    assert not read_description(MP3 + b"a=range:npt=0-\r\n").is_recorded
    assert not read_description(MP3 + b"a=range:clock=20261122T031500Z-\r\n").is_recorded


def test_hostile_descriptions() -> None:
    """What would end the line of a request makes no track, and there are only so many."""
    assert read_description(MP3.replace(b"one", b"one two")).tracks == ()
    assert read_description(MP3.replace(b"one", b"on\x7fe")).tracks == ()
    assert len(read_description(MP3 * 50).tracks) == TRACK_LIMIT


@given(st.binary(max_size=300))
def test_any_description_is_read(raw: bytes) -> None:
    """Whatever it is, it says something or nothing."""
    read_description(raw)
    read_description(b"m=audio 0 RTP/AVP 97\n" + raw)


def test_channels_are_those_of_the_replies() -> None:
    """A track that was refused is left out, and a server chooses its own channels."""
    presentation = Presentation()
    kind = reply(200, "Content-Type: application/sdp")
    assert presentation.take(replied(kind, DESCRIPTION))
    assert not presentation.take(replied(reply(100)))
    assert not presentation.take(replied(reply(461)))
    assert not presentation.take(replied(reply(200, "Transport: RTP/AVP/TCP;interleaved=6-9")))
    assert not presentation.take(replied(reply(200, "Transport: x;interleaved=0-1")))
    assert {at: track.kind for at, track in presentation.tracks.items()} == {6: "audio"}
    assert presentation.reports == {9: 6}
