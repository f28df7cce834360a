"""The text of documents of Word."""

import struct

import pytest
from compound import word
from hypothesis import given
from hypothesis import strategies as st

from agents.parsers.word_text import word_text


def text(streams: dict[str, bytes]) -> str | None:
    """Return the text of a document."""
    return word_text(streams["WordDocument"], streams)


def test_pieces() -> None:
    """Text is put together from pieces of one and of two bytes a character, in their order."""
    assert text(word("Русский, ", "dépôt ", "😀 ", "end")) == "Русский, dépôt 😀 end"


def test_either_table() -> None:
    """The header says which of two streams has the table."""
    assert text(word("a", flags=0)) == "a"
    assert text({**word("a"), "0Table": b"no"}) == "a"


def test_old_documents() -> None:
    """Before Word 97 the text is in one place."""
    head = struct.pack("<HHHHHHIIIII", 0xA5DC, 0x65, 0, 0, 0, 0, 0, 0, 0, 32, 36)
    assert word_text(head + b"caf\xe9 no", {}) == "café"


@pytest.mark.parametrize("document", [b"", b"\xec\xa5", bytes(2000)])
def test_no_document(document: bytes) -> None:
    """What is no document has no text."""
    assert word_text(document, {}) is None


def test_encrypted_documents() -> None:
    """An encrypted document has none that can be read."""
    assert text(word("a", flags=0x0300)) is None


@given(st.binary(max_size=60), st.integers(0, 60))
def test_any_table(table: bytes, size: int) -> None:
    """No table raises."""
    streams = word("text")
    head = bytearray(streams["WordDocument"])
    head[0x1A2:0x1AA] = struct.pack("<II", 0, size)
    word_text(bytes(head), {"1Table": table})


def test_pieces_that_overlap(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table that names the same text again and again gives no more than the limit."""
    monkeypatch.setattr("agents.parsers.word_text.TEXT_LIMIT", 10_000)
    count = 10_000
    positions = struct.pack(f"<{count + 1}I", *range(0, 1000 * (count + 1), 1000))
    table = positions + struct.pack("<HIH", 0, 1 << 30, 0) * count
    clx = b"\x02" + struct.pack("<I", len(table)) + table
    head = bytearray(word("x" * 1000)["WordDocument"])
    head[0x1A2:0x1AA] = struct.pack("<II", 0, len(clx))
    found = word_text(bytes(head), {"1Table": clx})
    assert found is not None
    assert len(found) <= 10_000
