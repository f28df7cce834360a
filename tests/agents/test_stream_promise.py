"""What a URL promises: playlists and live schemes most, files hardly, films nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.stream import canonical
from agents.stream_promise import HARDLY, LIKELY, PERHAPS, promise, promising


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://radio.example/listen.pls", LIKELY),
        ("https://tv.example/live/master.m3u8?token=a.mp3", LIKELY),
        ("https://tv.example/manifest.MPD", LIKELY),
        ("rtsp://camera.example/one.mp4", LIKELY),
        ("mms://radio.example/live", LIKELY),
        ("http://radio.example:8000/;stream", PERHAPS),
        ("http://radio.mp4/", PERHAPS),
        ("http://radio.example/franceculture-midfi.mp3", HARDLY),
        ("http://radio.example/live.ogg", HARDLY),
        ("http://example/film.mp4", None),
        ("http://example/subtitles.vtt", None),
    ],
)
def test_urls(url: str, expected: int | None) -> None:
    """By scheme and suffix alone."""
    assert promise(url) == expected


@given(st.lists(st.text(max_size=40) | st.from_regex(r"(https?|rtsp|rtmp|mms)://a\.b/\w+\.\w+")))
def test_only_what_can_be_collected_is_kept(urls: list[str]) -> None:
    """Whatever a crawl tells: canonical URLs, each once, the best first."""
    found = promising(urls)
    assert all(canonical(url) == url and promise(url) == value for url, value in found.items())
    assert list(found.values()) == sorted(found.values(), reverse=True)
    assert not any(url.startswith("rtmp") for url in found)
