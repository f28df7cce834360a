"""Playlists of HLS, as the drafts have them and as the web has them."""

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from anet.media.errors import NotAStream
from anet.media.hls import Key, Master, Media, read_playlist
from anet.media.hls import reading as module
from anet.media.hls.playlist import Control, Part
from anet.media.segments import Resource

URL = "https://example.org/live/list.m3u8?id=7"
LIVE = """#EXTM3U
#EXT-X-VERSION:10
#EXT-X-TARGETDURATION:4
#EXT-X-MEDIA-SEQUENCE:1800
#EXT-X-DISCONTINUITY-SEQUENCE:3
#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,CAN-SKIP-UNTIL=24.0,HOLD-BACK=12,PART-HOLD-BACK=1
#EXT-X-PART-INF:PART-TARGET=0.5
#EXT-X-KEY:METHOD=AES-128,URI="key1",IV=0x01
#EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://key",KEYFORMAT="com.apple.streamingkeydelivery"
#EXT-X-MAP:URI="init.mp4",BYTERANGE="720@0"
#EXT-X-PROGRAM-DATE-TIME:2026-11-22T07:00:00.500Z
#EXTINF:4.004,A title, with a comma
#EXT-X-BYTERANGE:1000@720
all.mp4
#EXTINF:3.9
#EXT-X-BYTERANGE:500
all.mp4
#EXT-X-DISCONTINUITY
#EXT-X-KEY:METHOD=NONE
#EXT-X-GAP
#EXTINF:4,
missing.mp4
#EXT-X-DATERANGE:ID="news",START-DATE="2026-11-22T07:00:04Z",X-TITLE="The news",SCTE35-OUT=0xFC
#EXT-X-PART:DURATION=0.5,URI="p.mp4",BYTERANGE="100@0",INDEPENDENT=YES
#EXT-X-PART:DURATION=0.5,URI="p.mp4",BYTERANGE="120"
#EXT-X-PART:DURATION=0.5,URI="q.mp4",GAP=YES
#EXT-X-PRELOAD-HINT:TYPE=PART,URI="r.mp4",BYTERANGE-START=10
#EXT-X-RENDITION-REPORT:URI="../low/list.m3u8",LAST-MSN=1802,LAST-PART=3
"""


def media(text: str, url: str = URL, variables: dict[str, str] | None = None) -> Media:
    """Return a media playlist."""
    found = read_playlist(text.encode(), url, variables)
    assert isinstance(found, Media)
    return found


def test_a_live_playlist_says_all_of_its_segments() -> None:
    """Ranges that go on, keys, initialisations, dates, titles and gaps belong to their segments."""
    found = media(LIVE)
    first, second, third = found.entries
    keys = (
        Key("AES-128", "key1", "0x01"),
        Key("SAMPLE-AES", "skd://key", "", "com.apple.streamingkeydelivery"),
    )
    assert (first.resource, first.duration) == (Resource("all.mp4", 720, 1000), 4.004)
    assert (first.title, first.date) == ("A title, with a comma", 1795330800.5)
    assert (first.keys, first.map) == (keys, Resource("init.mp4", 0, 720))
    assert second.resource == Resource("all.mp4", 1720, 500)
    assert second.date == pytest.approx(1795330804.504)
    assert (third.discontinuity, third.gap, third.keys, third.date) == (True, True, (), None)
    assert (found.number, found.discontinuities, found.target) == (1800, 3, 4.0)
    assert (found.kind, found.ended, found.skipped) == ("live", False, 0)


def test_a_playlist_of_low_latency_says_what_comes() -> None:
    """Parts, hints, reports, spans of time and what the server can do."""
    found = media(LIVE)
    assert found.control == Control(True, 24.0, 12.0)
    assert found.part_target == 0.5
    assert found.parts == (
        Part(Resource("p.mp4", 0, 100), 0.5),
        Part(Resource("p.mp4", 100, 120), 0.5),
        Part(Resource("q.mp4"), 0.5, True),
    )
    assert found.hints == (Resource("r.mp4", 10),)
    assert found.reports[0]["LAST-MSN"] == "1802"
    (span,) = found.ranges
    assert (span.id, span.start) == ("news", 1795330804.0)
    assert span.attributes["X-TITLE"] == "The news"


def test_parts_belong_to_the_segment_that_follows() -> None:
    """Once a segment is whole, its parts are its own."""
    found = media(LIVE + "#EXTINF:1.5,\nwhole.mp4\n")
    assert len(found.entries[-1].parts) == 3
    assert found.parts == ()


def test_a_master_playlist_says_variants_and_renditions() -> None:
    """With what is within quotes, and with keys for the session."""
    found = read_playlist(
        b"""\xef\xbb\xbf#EXTM3U\r
#EXT-X-DEFINE:NAME="host",VALUE="cdn.example.org"\r
#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="Fran\xc3\xa7ais",LANGUAGE="fr",DEFAULT=YES,URI="fr.m3u8"\r
#EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS,GROUP-ID="cc",NAME="CC",INSTREAM-ID="CC1"\r
#EXT-X-STREAM-INF:BANDWIDTH=1280000,CODECS="avc1.4d401e,mp4a.40.2",AUDIO="a",RESOLUTION=1x2\r
https://{$host}/high.m3u8\r
#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1,URI="images.m3u8"\r
#EXT-X-SESSION-KEY:METHOD=AES-128,URI="key"\r
""",
        URL,
    )
    assert isinstance(found, Master)
    high, images = found.variants
    assert (high.url, high.bandwidth, high.resolution) == (
        "https://cdn.example.org/high.m3u8",
        1280000,
        "1x2",
    )
    assert (high.codecs, high.groups) == ("avc1.4d401e,mp4a.40.2", {"AUDIO": "a"})
    assert (images.url, images.images) == ("images.m3u8", True)
    assert [each.name for each in found.renditions] == ["Français", "CC"]
    assert (found.renditions[0].url, found.renditions[0].default) == ("fr.m3u8", True)
    assert found.keys[0].url == "key"
    assert found.variables == {"host": "cdn.example.org"}


def test_kinds_and_ends() -> None:
    """Events keep all; what is over says so; left-out segments are counted."""
    text = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n"
    assert media(text + "#EXT-X-PLAYLIST-TYPE:EVENT\n").kind == "event"
    ended = media(text + "#EXT-X-PLAYLIST-TYPE:VOD\n#EXT-X-ENDLIST\n")
    assert (ended.kind, ended.ended) == ("vod", True)
    skipping = media(text + "#EXT-X-MEDIA-SEQUENCE:5\n#EXT-X-SKIP:SKIPPED-SEGMENTS=3\n")
    assert (skipping.number, skipping.skipped) == (5, 3)


def test_variables_come_from_the_master_playlist_and_the_url() -> None:
    """What is imported, and a parameter of the query, stand in for their names."""
    text = (
        '#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-DEFINE:IMPORT="host"\n'
        '#EXT-X-DEFINE:QUERYPARAM="id"\n#EXTINF:6,\nhttp://{$host}/{$id}{$else}.ts\n'
    )
    (entry,) = media(text, variables={"host": "h", "else": "never"}).entries
    assert entry.resource.url == "http://h/7{$else}.ts"


@pytest.mark.parametrize("body", [b"", b"<html>", b"#EXTM3U\n", b"#EXTM3U\n#EXTINF:-1,Radio\n"])
def test_what_is_no_playlist_of_hls_is_told(body: bytes) -> None:
    """Without header, segments or variants it is none."""
    with pytest.raises(NotAStream):
        read_playlist(body, URL)


def test_lines_that_make_no_sense_are_passed_over() -> None:
    """A slip of a packager costs what it is about, and no more."""
    text = """#EXTM3U
#EXT-X-TARGETDURATION:six
#EXT-X-MEDIA-SEQUENCE:-4
#EXT-X-KEY:METHOD
#EXT-X-MAP:nothing
#EXT-X-PROGRAM-DATE-TIME:yesterday
#EXTINF:abc,
#EXT-X-BYTERANGE:0@x
a.ts
#EXTINF:1e400,
b.ts
no-extinf.ts
#EXTINF:-3,
c.ts
"""
    found = media(text)
    assert [(each.resource, each.duration) for each in found.entries] == [
        (Resource("a.ts"), 0.0),
        (Resource("b.ts"), 0.0),
        (Resource("c.ts"), 0.0),
    ]
    assert (found.number, found.target) == (0, 0.0)


_LINES = LIVE.splitlines()


@given(
    st.lists(
        st.one_of(
            st.sampled_from(_LINES),
            st.builds(
                lambda line, cut, more: line[:cut] + more,
                st.sampled_from(_LINES),
                st.integers(0, 80),
                st.text(max_size=20),
            ),
            st.text(max_size=60),
        ),
        max_size=60,
    ),
    st.binary(max_size=20),
)
@example(["#EXT-X-PROGRAM-DATE-TIME:9999-12-31T23:59:59-14:00", "#EXTINF:9,", "a", "b"], b"")
@example(["#EXT-X-PROGRAM-DATE-TIME:0001-01-01T00:00:00+14:00", "#EXTINF:9,", "a"], b"")
def test_whatever_comes_is_a_playlist_or_none(lines: list[str], tail: bytes) -> None:
    """Damaged lines in any order give values within limits, or the one error."""
    body = "\n".join(["#EXTM3U", *lines]).encode("utf-8", "replace") + tail
    try:
        found = read_playlist(body, URL)
    except NotAStream:
        return
    if isinstance(found, Media):
        assert 0 <= found.target <= module.LONGEST_TARGET
        assert all(0 <= each.duration <= 86400 for each in found.entries)
        assert all(each.resource.first >= 0 for each in found.entries)


def test_bombs_cost_little() -> None:
    """Four megabytes of anything are read in the time of four megabytes, within limits."""
    size = 4 * 2**20
    bombs = [
        "#EXTINF:1,\na\n" * (size // 13),
        "".join(f'#EXT-X-KEY:METHOD=A,URI="{n}",KEYFORMAT="{n}"\n' for n in range(size // 45)),
        "#EXTINF:1,\n" + '#EXT-X-PART:DURATION=1,URI="p"\n' * (size // 30),
        "#EXT-X-DATERANGE:" + 'A="' * 5000 + "\n",
        "#EXT-X-DATERANGE:" + "A=" * 8000 + "\n",
        '#EXT-X-DEFINE:NAME="a",VALUE="' + "{$a}" * 4000 + '"\n#EXTINF:1,\n' + "{$a}" * 4000,
        "#" * size,
    ]
    for bomb in bombs:
        began = time.process_time()
        found = media("#EXTM3U\n#EXT-X-TARGETDURATION:6\n" + bomb)
        assert time.process_time() - began < 5.0
        assert len(found.entries) <= module.ENTRY_LIMIT
        assert len(found.parts) <= module.PART_LIMIT


def test_of_a_flood_of_what_is_said_the_last_is_kept() -> None:
    """Spans of time that are said first are long past."""
    flood = "".join(f'#EXT-X-DATERANGE:ID="{number}"\n' for number in range(5000))
    found = media("#EXTM3U\n#EXT-X-TARGETDURATION:6\n" + flood)
    assert len(found.ranges) == module.LIST_LIMIT
    assert found.ranges[-1].id == "4999"


def test_of_too_many_segments_the_last_are_read() -> None:
    """Numbers stay right though the first segments are left out."""
    count = module.ENTRY_LIMIT * 2 + 5
    lines = "".join(f"#EXTINF:1,\n{number}\n" for number in range(count))
    found = media("#EXTM3U\n#EXT-X-TARGETDURATION:1\n" + lines)
    assert found.cut
    assert found.number == count - module.ENTRY_LIMIT
    assert found.entries[0].resource.url == str(found.number)
    assert found.entries[-1].resource.url == str(count - 1)
