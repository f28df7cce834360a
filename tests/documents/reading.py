"""Reading documents in tests, whole or in pieces, sound or damaged."""

import io
import time
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from attrs import frozen
from hypothesis import strategies as st

from agents.parsers import Embedded, Found, Link, Source

_FOLDER = Path(__file__).parent


@frozen
class Reading:
    """What a parser found in a document."""

    findings: list[Found]
    parser: Any

    @property
    def links(self) -> list[Link]:
        """The links, each once."""
        return [one for one in dict.fromkeys(self.findings) if isinstance(one, Link)]

    @property
    def urls(self) -> list[str]:
        """The URLs of the links, each once."""
        return list(dict.fromkeys(link.url for link in self.links))

    @property
    def text(self) -> str:
        """The text."""
        return "".join(one for one in self.findings if isinstance(one, str))

    @property
    def embedded(self) -> list[Embedded]:
        """What is for other parsers."""
        return [one for one in self.findings if isinstance(one, Embedded)]


def sample(name: str) -> bytes:
    """Return one of the documents of this folder."""
    return (_FOLDER / name).read_bytes()


def read(parser: Any, body: bytes, step: int = 0, text: bool = True) -> Reading:
    """Read a document, `step` bytes at a time."""
    reader = parser(Source("http://example.org/document", text=text))
    findings: list[Found] = []
    for start in range(0, len(body), step or len(body) or 1):
        findings += reader.feed(body[start : start + (step or len(body))])
    findings += reader.close()
    return Reading(findings, reader)


def seconds(parser: Any, body: bytes) -> float:
    """Return the processor time that it takes to read a document."""
    start = time.process_time()
    read(parser, body)
    return time.process_time() - start


def assert_linear(parser: Any, make: Callable[[int], bytes], size: int) -> None:
    """Check that four times the document takes not much more than four times the time.

    A machine that does other things too may be slow for a moment: then it is measured again.
    """
    small, large = make(size), make(4 * size)
    once = min(seconds(parser, small) for _ in range(2))
    assert any(seconds(parser, large) < 10 * once + 0.2 for _ in range(3))


def zipped(members: Mapping[str, str | bytes]) -> bytes:
    """Return a zip file."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in members.items():
            archive.writestr(name, body)
    return file.getvalue()


@st.composite
def damaged(draw: st.DrawFn, body: bytes) -> bytes:
    """Return a document that was cut, or of which some bytes are wrong, missing or doubled."""
    damage = bytearray(body[: draw(st.integers(0, len(body)))] if draw(st.booleans()) else body)
    for _ in range(draw(st.integers(0, 8))):
        place = draw(st.integers(0, max(0, len(damage) - 1)))
        size = draw(st.integers(0, 8))
        damage[place : place + size] = draw(st.binary(max_size=8) | st.just(b"\xff" * 4))
    return bytes(damage)
