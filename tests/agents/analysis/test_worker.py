"""Stored contents are analysed, and bad ones do no harm to the others."""

import gzip
import zlib
from hashlib import sha256
from pathlib import Path

import msgpack
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.analysis.analyse import TEXT_LIMIT, Analysis, analyse
from agents.analysis.terms import Terms
from agents.analysis.worker import analyse_contents
from tests.agents.analysis import samples
from tests.agents.analysis.hostile import HOSTILE

URL = "http://example.org/"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder for contents."""
    return tmp_path


def stored(folder: Path, body: bytes) -> tuple[str, int, int]:
    """Store a content among others, and return where it lies: path, beginning, size."""
    path = folder / sha256(body).hexdigest()
    path.write_bytes(b"before" + body + b"after")
    return str(path), len(b"before"), len(body)


@pytest.mark.parametrize("name", ["fr", "ru", "ja", "ar"])
def test_a_content(folder: Path, name: str) -> None:
    """All is told of its text."""
    place = stored(folder, samples.TEXTS[name].encode())
    [told] = analyse_contents([[*place, "raw", URL, "utf-8", ""]], ["article 2"])
    found = msgspec.convert(told, Analysis)
    assert found.languages[0][:2] == (name, 1.0)
    assert found == analyse(samples.TEXTS[name], Terms(["article 2"]))
    assert found.terms == ({"article 2": 1} if name == "fr" else {})
    assert msgpack.unpackb(msgpack.packb(told)) is not None


@pytest.mark.parametrize("coding", ["gzip", " X-GZIP", "deflate"])
def test_encoded_contents(folder: Path, coding: str) -> None:
    """They are decoded first."""
    body = samples.TEXTS["en"].encode()
    packed = zlib.compress(body) if coding == "deflate" else gzip.compress(body)
    plain, encoded = (stored(folder, content) for content in (body, packed))
    first, second = analyse_contents(
        [[*plain, "raw", URL, None, ""], [*encoded, "raw", URL, None, coding]], []
    )
    assert first == second


def test_bad_contents(folder: Path) -> None:
    """Each says why it is not analysed, and the next is."""
    good = stored(folder, b"Everyone has the right to life")
    documents = [
        [str(folder / "missing"), 0, 1, "raw", URL, None, ""],
        [*good, "no-such-parser", URL, None, ""],
        [*good, "raw", URL, None, "x-unheard-of"],
        [*good, "raw", URL, "no-such-charset", ""],
    ]
    *bad, last = analyse_contents(documents, [])
    assert [told["failure"].partition(":")[0] for told in bad] == [
        "FileNotFoundError", "KeyError", "UnknownCoding",
    ]  # fmt: skip
    assert last["languages"][0][0] == "en"


def test_a_bomb(folder: Path) -> None:
    """Only so much of it is read."""
    place = stored(folder, gzip.compress(b"never ending story\n" * 8_000_000, 1))
    [told] = analyse_contents([[*place, "raw", URL, None, "gzip"]], [])
    assert told["characters"] == TEXT_LIMIT


@given(st.binary(max_size=400))
@settings(max_examples=50)
def test_any_bytes(tmp_path_factory: pytest.TempPathFactory, body: bytes) -> None:
    """Any bytes give an analysis that can be sent."""
    place = stored(tmp_path_factory.mktemp("contents"), body)
    for coding in ("", "gzip"):
        [told] = analyse_contents([[*place, "raw", URL, None, coding]], ["a"])
        msgpack.packb(told)
        assert told["characters"] <= TEXT_LIMIT


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts(name: str) -> None:
    """The analysis of any text can be sent, and is small."""
    found = analyse(HOSTILE[name], Terms(["a"]))
    assert len(msgspec.json.encode(found)) < 16_000
