"""Chromium plays an archived radio and an archived channel at a date, and the harbor shows them."""

from pathlib import Path
from typing import Any

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet.threads import deferToThread

from agents.stream import log_name
from tests.agents.consultation.streams.recorded import (
    RADIO,
    TELEVISION,
    Recorded,
    keep_channel,
    keep_piece,
    make_channel,
    moment,
)
from tests.live.radio import needs_radio, tone_file

pytestmark = [pytest.mark.slow, needs_radio]

PAGE = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
AUTOPLAY = "--autoplay-policy=no-user-gesture-required"
HEAR = """
window.hear = () => {
  const media = document.querySelector('audio, video');
  if (!window.analyser) {
    const context = new AudioContext();
    window.analyser = context.createAnalyser();
    analyser.fftSize = 8192;
    analyser.smoothingTimeConstant = 0;
    context.createMediaElementSource(media).connect(analyser);
    analyser.connect(context.destination);
  }
  const loud = new Float32Array(analyser.frequencyBinCount);
  analyser.getFloatFrequencyData(loud);
  const best = loud.indexOf(Math.max(...loud));
  const tone = best * analyser.context.sampleRate / analyser.fftSize;
  return {time: media.currentTime, level: loud[best], second: (tone - 300) / 20,
          ready: media.readyState, error: media.error && media.error.message,
          paused: media.paused};
}; true
"""


def listen(browser: Any, seconds: float) -> list[dict[str, Any]]:
    """Return what is heard at some moments until so much was played."""
    browser.run(HEAR)
    heard = []
    while not heard or heard[-1]["time"] < seconds:
        browser.wait(f"hear().time > {heard[-1]['time'] + 0.7 if heard else 0.3}")
        heard.append(browser.run("hear()"))
        assert heard[-1]["error"] is None, heard[-1]
    return heard


def check(heard: list[dict[str, Any]], first: float, slack: float) -> None:
    """Check that sound of the seconds from one on was heard, as long as it took to play it."""
    tones = [each for each in heard if each["level"] > -60]
    assert len(tones) >= len(heard) - 1, heard
    for each in tones:
        assert abs(each["second"] - first - each["time"]) <= slack, (first, heard)


@ensureDeferred
async def test_an_archived_radio_plays_at_the_readers_date(
    archive: Any, begin: Any, consultation: Any, tmp_path: Path
) -> None:
    """A page of the past has a radio in it; what is heard is the second of the reader's date."""
    data = tone_file(tmp_path / "tone.mp3", 60).read_bytes()
    keep_piece(archive, Recorded(0, 60, data))
    page = f"<!doctype html><title>radio</title><audio src='{RADIO}' autoplay></audio>"
    archive.add("http://radio.example/", page.encode(), head=PAGE, date=moment(0))
    consultation.readers.choose("127.0.0.1", date=moment(20))
    browser = await begin(AUTOPLAY)

    def play() -> list[dict[str, Any]]:
        browser.open("http://radio.example/")
        return listen(browser, 5)

    check(await deferToThread(play), 20, 1.2)


@ensureDeferred
async def test_an_archived_channel_plays_at_the_readers_date(
    archive: Any, begin: Any, consultation: Any, tmp_path: Path
) -> None:
    """The browser's own player of HLS loads playlists again and again, and they move on."""
    channel = make_channel(tmp_path, 60)
    keep_channel(archive, channel)
    page = f"<!doctype html><title>tv</title><video src='{channel.url}' autoplay></video>"
    archive.add(TELEVISION, page.encode(), head=PAGE, date=moment(0))
    consultation.readers.choose("127.0.0.1", date=moment(30))
    browser = await begin(AUTOPLAY)

    def play() -> list[dict[str, Any]]:
        browser.open(TELEVISION)
        if not browser.run("document.querySelector('video').canPlayType('application/x-mpegURL')"):
            pytest.skip("this browser plays no HLS by itself")
        return listen(browser, 8)

    heard = await deferToThread(play)
    seen = await deferToThread(browser.run, "document.querySelector('video').videoWidth")
    assert seen == 160
    check(heard, 24, 2.5)


TITLES = {5: "Raoul Petite - Fou de toi", 30: "Anonyme - Éclair <b>", 52: "Les Ondes - Fin"}


@ensureDeferred
async def test_the_harbor_finds_a_title_and_plays_from_there(
    archive: Any, begin: Any, consultation: Any, tmp_path: Path
) -> None:
    """From the search of titles a link leads to a player that begins where the title was said."""
    data = tone_file(tmp_path / "tone.mp3", 60).read_bytes()
    keep_piece(archive, Recorded(0, 60, data, titles=TITLES))
    consultation.streams.reading.heard([log_name(RADIO)])
    await consultation.streams.reading.read()
    browser = await begin(AUTOPLAY)

    def play() -> list[dict[str, Any]]:
        browser.open("http://dlweb/streams")
        browser.run("document.getElementById('words').value = 'eclair'; 1")
        browser.run("document.querySelector('form[action=\"/streams\"] button').click()")
        browser.wait("document.querySelector('[aria-labelledby=found] td a') !== null")
        browser.run("document.querySelector('td a').click()")
        browser.wait("document.querySelector('audio') !== null")
        return listen(browser, 3)

    check(await deferToThread(play), 30, 1.2)
