"""HTTP Live Streaming in M3U8."""

MASTER = """\
#EXTM3U
#EXT-X-VERSION:7
#EXT-X-INDEPENDENT-SEGMENTS
#EXT-X-DEFINE:NAME="cdn",VALUE="https://cdn.example.org"
#EXT-X-SESSION-DATA:DATA-ID="com.example.lyrics",URI="lyrics.json"
#EXT-X-SESSION-KEY:METHOD=AES-128,URI="https://keys.example.org/1"
#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="aac",NAME="Deutsch, gut",DEFAULT=YES,URI="audio/de.m3u8"
#EXT-X-STREAM-INF:BANDWIDTH=1280000,CODECS="avc1.4d401e,mp4a.40.2",AUDIO="aac"
{$cdn}/low/index.m3u8?x={$unknown}
#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=86000,URI="low/iframe.m3u8"
#EXT-X-CONTENT-STEERING:SERVER-URI="/steering.json"
"""
FILM = """\
#EXTM3U
#EXT-X-TARGETDURATION:6
#EXT-X-PLAYLIST-TYPE:VOD
#EXT-X-MAP:URI="init.mp4",BYTERANGE="720@0"
#EXT-X-KEY:METHOD=AES-128,URI="/key?id=1",IV=0x1
#EXTINF:6.006,
seg-1.m4s
#EXT-X-KEY:METHOD=SAMPLE-AES,URI="data:text/plain;base64,AAAA"
#EXTINF:6.006,Title
seg-2.m4s
"""
LIVE = """\
#EXTM3U
#EXT-X-TARGETDURATION:4
#EXT-X-MEDIA-SEQUENCE:266
#EXTINF:4.0,
https://cdn.example.org/266.ts
#EXT-X-PART:DURATION=0.33,URI="267.0.ts"
#EXT-X-PRELOAD-HINT:TYPE=PART,URI="267.1.ts"
#EXT-X-RENDITION-REPORT:URI="../hi/live.m3u8",LAST-MSN=266
"""


def test_a_master_playlist(read) -> None:
    """Variants, renditions, keys and data are what the player fetches."""
    found = read("m3u", MASTER)
    assert found.components == [
        "lyrics.json", "https://keys.example.org/1", "audio/de.m3u8",
        "https://cdn.example.org/low/index.m3u8?x={$unknown}", "low/iframe.m3u8", "/steering.json",
    ]  # fmt: skip
    assert not found.streams
    assert all(link.requisite for link in found.links)


def test_a_film(read) -> None:
    """Segments, keys and maps of what ends are components, and there is no stream."""
    found = read("m3u", FILM)
    assert found.components == ["init.mp4", "/key?id=1", "seg-1.m4s", "seg-2.m4s"]
    assert not found.streams
    ended = FILM.replace("#EXT-X-PLAYLIST-TYPE:VOD\n", "") + "#EXT-X-ENDLIST\n"
    assert read("m3u", ended).links == found.links


def test_a_live_stream(read) -> None:
    """What does not say that it ends is a stream; its segments of the moment are components."""
    found = read("m3u", LIVE, url="https://example.org/live.m3u8")
    assert found.streams == [("https://example.org/live.m3u8", "")]
    assert found.components == [
        "https://cdn.example.org/266.ts", "267.0.ts", "267.1.ts", "../hi/live.m3u8",
    ]  # fmt: skip


def test_variables_stay_in_bounds(read) -> None:
    """A URL made of many long variables does not grow without bound."""
    bomb = '#EXT-X-DEFINE:NAME="a",VALUE="' + "x" * 10_000 + '"\n' + "{$a}" * 3000
    found = read("m3u", bomb)
    assert all(len(url) < 200_000 for url in found.components)
