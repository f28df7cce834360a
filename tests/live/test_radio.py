"""The radio that other tests listen to is what it says."""

import urllib.request
from pathlib import Path

from radio import (
    Feed,
    Icecast,
    decodes,
    duration,
    fingerprint,
    frame_hashes,
    needs_radio,
    second_of,
    sound,
    tone_file,
)

pytestmark = needs_radio


def test_each_second_of_the_tone_can_be_told(tmp_path: Path) -> None:
    """What second is heard where, is told from the sound; how long it is, from its packets."""
    tone = tone_file(tmp_path / "tone.mp3", 6)
    samples = sound(tone)
    assert [second_of(samples, at + 0.4) for at in range(6)] == list(range(6))
    assert abs(duration(tone) - 6) < 0.1
    assert decodes(tone) == ""
    assert fingerprint(tone)


def test_an_error_in_the_media_is_told(tmp_path: Path) -> None:
    """A file that was spoilt does not decode."""
    spoilt = bytearray(tone_file(tmp_path / "tone.aac", 2).read_bytes())
    spoilt[2000:9000] = bytes(7000)
    assert decodes(bytes(spoilt))


def test_the_radio_gives_what_it_was_fed(tmp_path: Path) -> None:
    """Listeners get the bytes of the feed until it breaks off, and again when it goes on."""
    tone = tone_file(tmp_path / "tone.mp3", 10)
    with (
        Icecast(tmp_path) as icecast,
        Feed(icecast, "/tone.mp3", tone, speed=4, name="Tones") as feed,
    ):
        icecast.title("/tone.mp3", "One")
        request = urllib.request.Request(icecast.url("/tone.mp3"), headers={"Icy-MetaData": "1"})
        with urllib.request.urlopen(request, timeout=10) as radio:
            assert radio.headers["icy-name"] == "Tones"
            heard = radio.read(int(radio.headers["icy-metaint"]))
            assert b"StreamTitle='One';" in radio.read(1 + 16 * 255)
            feed.break_off()
            radio.read()
        assert heard in feed.sent
        assert set(frame_hashes(heard)[1:-1]) <= set(frame_hashes(tone))
        feed.go_on()
        with urllib.request.urlopen(icecast.url("/tone.mp3"), timeout=10) as radio:
            again = radio.read(20000)
        assert again in feed.sent[feed.connections[1] :]
