"""Which URLs lead to streams, and which of these have an end."""

import pytest
from timing import processor_seconds

from agents.crawler.strategy.streams import has_end, is_stream


@pytest.mark.parametrize(
    ("url", "stream"),
    [
        ("rtsp://h/s", True),
        ("mms://h/s", True),
        ("RTMPS://h/s", True),
        ("http://h/list.m3u", True),
        ("https://h/x/live.M3U8?token=1", True),
        ("http://h/page?x=.m3u", False),
        ("http://h/a.mp3", False),
        ("http://h/", False),
        ("mailto:mms@h", False),
    ],
)
def test_is_stream(url: str, stream: bool) -> None:
    """Schemes of streaming, and lists of streams."""
    assert is_stream(url) is stream


@pytest.mark.parametrize(
    ("url", "end"),
    [
        ("http://h/a.mp3", True),
        ("https://h/a/b.MP4?x=1", True),
        ("http://h/list.m3u8", True),
        ("http://h/segment1.ts", True),
        ("http://h/x.vtt", True),
        ("http://h:8000/;stream.mp3", True),
        ("http://h:8000/", False),
        ("http://h/live", False),
        ("http://h/live?f=.mp3", False),
        ("http://radio.mp3/", False),
        ("rtsp://h/a.mp3", False),
    ],
)
def test_has_end(url: str, end: bool) -> None:
    """Files of media and playlists have an end; what else is called a stream may have none."""
    assert has_end(url) is end


def test_long_urls_are_quick() -> None:
    """The longest URLs cost a fraction of a millisecond."""

    def ask() -> None:
        for path in (".m" * 4000, "." * 8000, "/m3u" * 2000, "rtspstu" * 1000):
            is_stream("http://h/" + path)
            has_end("http://h/" + path)

    assert processor_seconds(ask) < 0.3
