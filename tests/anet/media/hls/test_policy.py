"""What can be had by a playlist, and when to look again."""

from anet.media.hls import Media, following_url, parts, pause, read_playlist, window
from anet.media.segments import Resource

TEXT = """#EXTM3U
#EXT-X-TARGETDURATION:6
#EXT-X-MEDIA-SEQUENCE:7
#EXT-X-KEY:METHOD=AES-128,URI="key"
#EXT-X-MAP:URI="init"
#EXTINF:6,
a
#EXT-X-KEY:METHOD=NONE
#EXTINF:6,
b
"""
QUICK = """#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES
#EXT-X-PART-INF:PART-TARGET=1
#EXT-X-PART:DURATION=1,URI="c.1"
#EXT-X-PART:DURATION=1,URI="c.2",GAP=YES
"""


def read(text: str) -> Media:
    """Return a media playlist."""
    found = read_playlist(text.encode(), "http://e/")
    assert isinstance(found, Media)
    return found


def test_segments_have_numbers_and_needs() -> None:
    """Numbers count from the first; keys and initialisations are needed before."""
    first, second = window(read(TEXT)).segments
    assert (first.number, first.following, second.number) == (7, 8, 8)
    assert first.needs == (Resource("key"), Resource("init"))
    assert (first.encrypted, second.encrypted) == (True, False)
    assert second.needs == (Resource("init"),)


def test_segments_that_are_left_out_count() -> None:
    """What a server leaves out, for its reader has it, moves the numbers of the others."""
    skipping = read(TEXT + "#EXT-X-SKIP:SKIPPED-SEGMENTS=5\n")
    assert [each.number for each in window(skipping).segments] == [12, 13]


def test_a_list_is_read_as_often_as_the_standard_says() -> None:
    """After its target duration, or half of it if it was as before; never without rest."""
    assert pause(read(TEXT), changed=True) == 6.75
    assert pause(read(TEXT), changed=False) == 3.0
    assert pause(read(TEXT.replace("DURATION:6", "DURATION:0.01")), changed=False) == 0.5
    assert pause(read(TEXT.replace("DURATION:6", "DURATION:99999")), changed=True) == 60.0


def test_a_server_is_asked_to_hold_back_only_if_it_can() -> None:
    """The next segment or part is named; one that answers at once is not asked at once again."""
    quick = read(TEXT + QUICK)
    assert following_url("http://e/?a", quick) == "http://e/?a&_HLS_msn=9&_HLS_part=2"
    assert following_url("http://e/", read(TEXT)) == "http://e/"
    assert pause(quick, changed=True, blocking=True) == 0.5
    assert pause(quick, changed=False, blocking=True) == 3.0
    assert pause(read(TEXT), changed=True, blocking=True) == 6.75


def test_parts_are_those_that_can_be_had() -> None:
    """What is a gap is not asked for."""
    assert parts(read(TEXT + QUICK)) == [Resource("c.1")]
