"""A television channel, from the page that names it to a proxy that gives it back.

ffmpeg makes HLS, nginx gives it, real agents do the rest; the streaming agent is killed meanwhile.
"""

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from conftest import Archive, wait_for

from agents.stream_log import Begun, Ended, read_log
from anet.media.hls import Media, read_playlist
from tests.live.radio import decodes
from tests.live.television import Channel, Nginx, needs_television, picture_hashes

pytestmark = [pytest.mark.slow, needs_television]

CONFIGURATION = """
archive: {streaming: true, demonstration: false}
streaming: {log_interval: 2, capture_period: 4, retry_first: 0.5, retry_longest: 1}
"""


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    """An archive that listens to streams."""
    archive = Archive(tmp_path / "archive", CONFIGURATION)
    try:
        wait_for(lambda: "streaming" in archive.wait_until_whole(), "the streaming agent", 60)
        yield archive
    finally:
        archive.stop()


def test_a_channel_is_found_followed_and_given_back(archive: Archive, tmp_path: Path) -> None:
    """What the proxy gives plays as what was on the air, before the kill and after it."""
    (tmp_path / "web").mkdir()
    with Nginx(tmp_path / "web") as nginx:
        url = nginx.url("/one/live.m3u8")
        (nginx.root / "index.html").write_text(f'<video src="{url}"></video>')
        with Channel(nginx.root / "one", "hls-ts") as channel:
            archive.collect(nginx.url("/"))
            wait_for(lambda: len(_fetched(nginx)) >= 4, "segments")
            before = _fetched(nginx)
            wait_for(lambda: set(before) <= _deposited(archive), "them to be deposited", pause=1.0)
            os.kill(archive.agents()["streaming"]["pid"], signal.SIGKILL)
            killed = len(_fetched(nginx))
            wait_for(lambda: len(_fetched(nginx)) >= killed + 6, "segments after the kill")
            last = _fetched(nginx)[-1]
            wait_for(lambda: last in _deposited(archive), "the last to be deposited", pause=1.0)
    kept = {segment: archive.get(segment)[2] for segment in sorted(_deposited(archive))}
    kept = {segment: body for segment, body in kept.items() if segment.endswith(".ts")}
    assert set(before) | {last} <= set(kept)
    names = [segment.rpartition("/")[2] for segment in kept]
    assert list(kept.values()) == [channel.encoded[name] for name in names]
    joined = b"".join(kept.values())
    assert decodes(joined) == ""
    assert picture_hashes(joined) == picture_hashes(b"".join(map(channel.encoded.get, names)))
    status, _, manifest = archive.get(url)
    assert status == 200
    assert manifest in channel.manifests
    found = read_playlist(manifest, url)
    assert isinstance(found, Media)
    assert found.entries[0].resource.url in names
    _check_logs(archive, f"stream-log:{url}")


def _check_logs(archive: Archive, name: str) -> None:
    """The log that was open at the kill is closed up to its last whole line."""

    def logs() -> list[str]:
        return [each["content"] for each in archive.check_alive() if each["url"] == name]

    (first, *_) = wait_for(logs, "the log of the killed agent", pause=1.0)
    lines = list(read_log(_content(archive, first)))
    assert isinstance(lines[0], Begun)
    assert isinstance(lines[-1], Ended)
    assert (lines[0].protocol, lines[-1].why) == ("hls", "killed")


def _fetched(nginx: Nginx) -> list[str]:
    """Return the segments that were given, in the order in which they were asked for."""
    return [
        nginx.url(path) for path, status in nginx.asked() if path[-3:] == ".ts" and status < 300
    ]


def _deposited(archive: Archive) -> set[str]:
    return {each["url"] for each in archive.check_alive()}


def _content(archive: Archive, key: str) -> bytes:
    """Return a content from whichever storage node has it."""
    for port in (archive.base + 11, archive.base + 12):
        with (
            suppress(HTTPError),
            urlopen(f"http://127.0.0.1:{port}/contents/{key}", timeout=10) as answer,
        ):
            return bytes(answer.read())
    raise AssertionError(f"{key} is nowhere")
