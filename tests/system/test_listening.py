"""A radio in a whole archive: heard at a date through the proxy, and found by what was said."""

import json
from base64 import b64encode
from pathlib import Path
from typing import Any
from urllib.parse import quote
from urllib.request import Request, urlopen

import pytest
from attrs import asdict
from conftest import Archive, wait_for

from agents.capture import Capture, content_key
from agents.consultation.streams.legs import seconds
from tests.agents.consultation.streams.recorded import RADIO, Recorded, keep_piece, moment
from tests.live.radio import decodes, needs_radio, second_of, sound, tone_file

pytestmark = [pytest.mark.slow, needs_radio]


class Depositor:
    """Brings captures to both storage nodes, as a connectivity agent does."""

    def __init__(self, archive: Archive) -> None:
        self._ports = (archive.base + 11, archive.base + 12)
        self._secret = (archive.directory / "secret").read_text().strip()

    def add(self, url: str, body: bytes, *, head: bytes, date: str, metadata: str = "") -> None:
        """Put a capture and its content on both."""
        key = content_key(body)
        capture = Capture(url, date, key, len(body), 200, head, metadata=metadata)
        lines = json.dumps(
            {"captures": [{**asdict(capture), "head": b64encode(head).decode()}]}
        ).encode()
        for port in self._ports:
            self._send(port, "PUT", f"/contents/{key}", body)
            self._send(port, "POST", "/structures", lines)

    def _send(self, port: int, method: str, target: str, body: bytes) -> None:
        credential = {"Authorization": f"Bearer {self._secret}"}
        request = Request(f"http://127.0.0.1:{port}{target}", body, credential, method=method)
        urlopen(request, timeout=20).close()


def found(archive: Archive, words: str) -> list[dict[str, Any]]:
    """Return what the harbor finds."""
    url = f"http://127.0.0.1:{archive.base + 7}/streams?format=json&words={quote(words)}"
    try:
        with urlopen(url, timeout=10) as answer:
            told: list[dict[str, Any]] = json.load(answer)["found"]
            return told
    except OSError:
        return []


def test_a_radio_is_heard_and_found(archive: Archive, tmp_path: Path) -> None:
    """Real nodes hold it, the proxy plays the second of a date, and titles outlive a kill."""
    data = tone_file(tmp_path / "tone.mp3", 120).read_bytes()
    cut = len(data) // 2
    depositor = Depositor(archive)
    keep_piece(depositor, Recorded(0, 60, data[:cut], titles={5: "Raoul Petite - Fou de toi"}))
    keep_piece(depositor, Recorded(60.000_001, 60, data[cut:], session=0))
    fields, sounds = archive.listen(RADIO, 200_000, Accept_Datetime=moment(50))
    assert abs(seconds(fields["Dlweb-Date"]) - seconds(moment(50))) < 0.5
    assert "Content-Length" not in fields
    assert decodes(sounds) == ""
    samples = sound(sounds)
    assert [second_of(samples, at + 0.5) for at in (0, 5, 10)] == [50, 55, 60]
    wait_for(lambda: found(archive, "fou petite"), "the title")
    archive.kill("consultation")
    keep_piece(depositor, Recorded(200, 60, data[:cut], titles={5: "Les Ondes - Fin"}))
    told = wait_for(lambda: found(archive, "ondes"), "the title that came meanwhile", 60)
    assert [(each["date"], each["url"]) for each in told] == [(moment(205), RADIO)]
    assert len(found(archive, "raoul")) == 1
