"""What manifests refer to, whatever they are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.capture import Capture
from agents.consultation.streams.manifests import is_manifest, read_manifest, without_directives

URL = "http://tv.example/live/a.m3u8"
HLS = b"""#EXTM3U
#EXT-X-KEY:METHOD=AES-128,URI="https://keys.example/1"
#EXT-X-MAP:URI="init.mp4"
#EXT-X-PART:DURATION=0.3,URI="7.part1.mp4"
#EXTINF:2,
../7.mp4?token=1

#EXTINF:2,
http://cdn.example/8.mp4
"""
DASH = b"""<?xml version="1.0"?><MPD type="dynamic"><UTCTiming
 schemeIdUri="urn:mpeg:dash:utc:http-xsdate:2014" value="https://time.example/?iso&amp;ms"/>
<UTCTiming schemeIdUri="urn:mpeg:dash:utc:ntp:2014" value="ntp.example"/>
<Period><BaseURL>http://cdn.example/x/</BaseURL></Period></MPD>"""


def test_a_playlist_refers_to_keys_sections_parts_and_segments() -> None:
    """All that a player will ask for is known by its canonical URL."""
    manifest = read_manifest(URL, HLS)
    assert manifest.references == {
        "https://keys.example/1",
        "http://tv.example/live/init.mp4",
        "http://tv.example/live/7.part1.mp4",
        "http://tv.example/7.mp4?token=1",
        "http://cdn.example/8.mp4",
    }
    assert not manifest.ended
    assert read_manifest(URL, HLS + b"#EXT-X-ENDLIST\n").ended


def test_a_dash_manifest_tells_where_segments_lie_and_who_tells_the_time() -> None:
    """Names of segments are made from templates, so their folders are known."""
    manifest = read_manifest("http://tv.example/live/a.mpd", DASH)
    assert manifest.folders == ("http://tv.example/live/", "http://cdn.example/x/")
    assert manifest.clocks == {"https://time.example/?iso&ms"}
    assert not manifest.ended
    assert read_manifest(URL, DASH.replace(b"dynamic", b"static")).ended


@pytest.mark.parametrize(
    ("url", "kind", "status", "expected"),
    [
        (URL, "text/plain", 200, True),
        (f"{URL}?session=1", "", 200, True),
        ("http://tv.example/live", "Application/VND.apple.mpegURL; charset=x", 200, True),
        ("http://tv.example/a.mpd", "", 200, True),
        ("http://tv.example/live", "application/dash+xml", 200, True),
        (URL, "", 404, False),
        ("http://tv.example/live.ts", "video/mp2t", 200, False),
    ],
)
def test_manifests_are_known_by_type_or_name(
    url: str, kind: str, status: int, expected: bool
) -> None:
    """Servers say many types, and some none."""
    head = f"HTTP/1.1 {status} x\r\nContent-Type: {kind}\r\n\r\n".encode()
    assert is_manifest(Capture(url, "", "", 0, status, head)) is expected


@pytest.mark.parametrize(
    ("asked", "plain"),
    [
        (URL, URL),
        (f"{URL}?_HLS_msn=7", URL),
        (f"{URL}?_HLS_msn=7&_HLS_part=2", URL),
        (f"{URL}?_HLS_msn=7&_HLS_part=2&_HLS_skip=YES", URL),
        (f"{URL}?a=1&_HLS_msn=7&b=2", f"{URL}?a=1&b=2"),
        (f"{URL}?_HLS_msn=7&b=2", f"{URL}?b=2"),
        (f"{URL}?x_HLS_msn=7", f"{URL}?x_HLS_msn=7"),
    ],
)
def test_what_a_player_of_low_latency_asks_of_a_server_is_no_name(asked: str, plain: str) -> None:
    """The playlist is archived under its own name."""
    assert without_directives(asked) == plain


@given(st.binary())
def test_no_bytes_are_a_mistake(body: bytes) -> None:
    """Whatever is called a manifest refers to something or nothing."""
    read_manifest(URL, body)
    read_manifest(URL, b"<MPD " + body)
