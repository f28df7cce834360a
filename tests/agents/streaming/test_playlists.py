"""What documents that are no streams say of where one is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from timing import processor_seconds

from agents.streaming.playlists import entries, manifest_kind

BASE = "http://radio.example/listen/live"
_ASX = b'<asx version="3.0"><entry><ref href="mms://a.example/live"/></entry></asx>'
_XSPF = (
    b'<?xml version="1.0"?><playlist version="1" xmlns="http://xspf.org/ns/0/"><trackList>'
    b"<track><location>http://a.example:8000/tone.mp3</location></track></trackList></playlist>"
)
_PLS = b"[playlist]\nNumberOfEntries=2\nFile1=http://a.example/1\nTitle1=A\nFile2=icy://b.example/2"


@pytest.mark.parametrize(
    ("media_type", "body", "expected"),
    [
        ("audio/x-mpegurl", b"http://a.example:8000/tone.mp3\r\n", "http://a.example:8000/tone.mp3"),
        ("audio/x-mpegurl", b"#EXTM3U\n#EXTINF:-1,A\ntone.mp3\n", "http://radio.example/listen/tone.mp3"),
        ("audio/x-scpls", _PLS, "http://a.example/1 http://b.example/2"),
        ("video/x-ms-asf", _ASX, "mms://a.example/live"),
        ("application/xspf+xml", _XSPF, "http://a.example:8000/tone.mp3"),
        ("audio/x-pn-realaudio", b"rtsp://a.example/live.rm\n--stop--\n", "rtsp://a.example/live.rm"),
        ("application/smil", b'<smil><body><audio src="rtsp://a.example/x"/></body></smil>', "rtsp://a.example/x"),
        ("text/plain", _PLS, "http://a.example/1 http://b.example/2"),
        ("text/html", b'<a href="http://a.example/tone.mp3">listen</a>', ""),
        ("application/json", b'{"url": "http://a.example/tone.mp3"}', ""),
        ("audio/x-scpls", b"[playlist]\nFile1=javascript:alert(1)\nFile2=C:\\a.mp3", ""),
    ],
)  # fmt: skip
def test_playlists_of_all_kinds_are_read(media_type: str, body: bytes, expected: str) -> None:
    """In their order, each stream once, with canonical URLs; other documents lead nowhere."""
    url = BASE + (".pls" if media_type == "text/plain" else "")
    assert entries(url, media_type, body) == expected.split()


@given(
    body=st.binary(max_size=300),
    media_type=st.sampled_from(["", "audio/x-mpegurl", "audio/x-scpls", "video/x-ms-asf"]),
)
def test_no_bytes_do_harm(body: bytes, media_type: str) -> None:
    """Whatever a server sends, there are few entries, or none."""
    assert len(entries(BASE, media_type, body)) <= 20
    assert manifest_kind(body) in ("", "hls", "dash")


def test_a_long_playlist_is_read_to_a_limit() -> None:
    """Of ten thousand streams the first are looked at."""
    body = b"".join(b"http://a.example/%d\n" % number for number in range(10_000))
    assert entries(BASE, "audio/x-mpegurl", body) == [f"http://a.example/{n}" for n in range(20)]


def test_manifests_are_told_from_playlists() -> None:
    """A list of segments, or of variants, is no list of streams."""
    assert manifest_kind(b"#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\na.ts\n") == "hls"
    assert manifest_kind(b"\xef\xbb\xbf#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\na.m3u8\n") == "hls"
    assert manifest_kind(b'<?xml version="1.0"?>\n<MPD type="dynamic"></MPD>') == "dash"
    assert manifest_kind(b"#EXTM3U\n#EXTINF:-1,Radio\nhttp://a.example/\n") == ""
    assert manifest_kind(_ASX) == ""


@pytest.mark.parametrize("line", [b"a\n", b"http://a.example/%d\n", b"http://[%d/\n"])
def test_no_playlist_takes_long(line: bytes) -> None:
    """A playlist of nothing but entries holds up the streams that are received for a moment."""
    lines = (line % number if b"%" in line else line for number in range(130_000))
    body = b"#EXTM3U\n" + b"".join(lines)
    assert processor_seconds(lambda: entries(BASE, "audio/x-mpegurl", body)) < 0.2
