"""What manifests say, small and large, and that nobody waits for it."""

from time import process_time
from typing import Any

import pytest
from pytest_twisted import ensureDeferred
from timing import processor_seconds
from twisted.internet import reactor
from twisted.internet.defer import Deferred

from agents.streaming.following.fetching import Read
from agents.streaming.following.manifests import LARGE
from anet.media.dash import read_manifest
from anet.media.errors import NotAStream
from anet.media.hls import read_playlist
from anet.tasks import sleep
from tests.agents.streaming.following.conftest import House

URL = "http://example.org/live"
SEGMENTS = (
    '#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-DATERANGE:ID="1",X-TITLE="News"\n'
    '#EXT-X-MAP:URI="init",BYTERANGE="9@0"\n#EXT-X-KEY:METHOD=AES-128,URI="key"\n'
)
ENTRY = '#EXT-X-PART:DURATION=3,URI="p"\n#EXTINF:6,Title\n#EXT-X-BYTERANGE:5@7\nsegment.ts\n'
NAMED = '#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",URI="s"\n'
VARIANT = '#EXT-X-STREAM-INF:BANDWIDTH=5,AUDIO="a"\nvariant\n'
PERIOD = (
    '<Period duration="PT1S"><AdaptationSet><SegmentTemplate media="$Time$"><SegmentTimeline>'
    '<S t="4" d="5" r="2"/><S d="1"/></SegmentTimeline></SegmentTemplate><Representation/>'
    '</AdaptationSet><AdaptationSet><SegmentList duration="2"><SegmentURL media="a"/></SegmentList>'
    "<Representation/></AdaptationSet></Period>"
)


def read(text: str) -> Read:
    """Return a manifest as it was read."""
    return Read(URL, text.encode(), True, "192.0.2.1:80", b"", 0.0)


@pytest.mark.parametrize("text", [SEGMENTS + ENTRY, NAMED + VARIANT])
@pytest.mark.parametrize("copies", [1, 400])
@ensureDeferred
async def test_playlists_say_the_same_wherever_they_are_read(
    house: House, text: str, copies: int
) -> None:
    """Here, or in a worker process."""
    found = read(text + (ENTRY if "EXTINF" in text else VARIANT) * copies)
    said = await house.manifests.playlist(found, {})
    expected: Any = read_playlist(found.body, URL)
    assert type(said) is type(expected)
    assert (len(found.body) > LARGE) == (copies > 1)
    assert said == expected


@pytest.mark.parametrize("copies", [1, 40])
@ensureDeferred
async def test_manifests_say_the_same_wherever_they_are_read(house: House, copies: int) -> None:
    """Likewise, of DASH."""
    found = read(f"<MPD type='dynamic'>{PERIOD * copies}</MPD>")
    assert await house.manifests.manifest(found) == read_manifest(found.body, URL)


@ensureDeferred
async def test_what_is_no_manifest_is_said_to_be_none(house: House) -> None:
    """In the words of its reader, from the worker too."""
    for text in ("<html>", "<html>" * LARGE):
        with pytest.raises(NotAStream, match="EXTM3U"):
            await house.manifests.playlist(read(text), {})
        with pytest.raises(NotAStream, match="XML"):
            await house.manifests.manifest(read(text))


@ensureDeferred
async def test_nobody_waits_for_a_large_manifest(house: House) -> None:
    """While one is read that takes a second, the reactor turns, and works little."""
    long = read("#EXTM3U\n" + "#EXTINF:,\na\n" * 300_000)
    await house.manifests.playlist(read("#EXTM3U\n#EXTINF:1,\na\n" + "#\n" * LARGE), {})
    reading: Any = house.manifests.playlist(long, {})
    began, turns, done = process_time(), 0, []

    async def finish() -> None:
        done.append(await reading)

    coming = Deferred.fromCoroutine(finish())
    while not done:
        await sleep(reactor, 0.005)
        turns += 1
    await coming
    spent = process_time() - began
    assert turns > 10
    assert spent < processor_seconds(lambda: read_playlist(long.body, long.url)) / 2
