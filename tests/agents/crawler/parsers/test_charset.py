"""Encodings, declared and proved."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.crawler.parsers.charset import Decoder, declared


@pytest.mark.parametrize(
    ("prefix", "header", "fallback", "name"),
    [
        (b"", None, None, None),
        (b"", "UTF8", None, "utf-8"),
        (b"", "nonsense", None, None),
        (b"", "é", "koi8-r", "koi8-r"),
        (b"\xef\xbb\xbf", "latin1", None, "utf-8"),
        (b"\xfe\xff", "latin1", None, "utf-16be"),
        (b"<meta charset='gbk'>", None, None, "gbk"),
        (b"<META http-equiv=content-type content='text/html; charset=Shift_JIS'>", None, None,
         "shift_jis"),
        (b"<meta charset=gbk>", "utf-8", None, "utf-8"),
        (b"<meta charset=utf-16le>", None, None, "utf-8"),
        (b'@charset "koi8-r";', None, "utf-8", "koi8-r"),
        (b'<?xml version="1.0" encoding="euc-jp"?>', None, None, "euc-jp"),
    ],
)  # fmt: skip
def test_declared(
    prefix: bytes, header: str | None, fallback: str | None, name: str | None
) -> None:
    """Mark, header, document, fallback, in this order."""
    assert declared(prefix, header, fallback) == name


@given(st.text(max_size=50), st.integers(1, 7))
def test_undeclared_utf_8(text: str, step: int) -> None:
    """A document in UTF-8 is read as such."""
    data, decoder = text.encode(), Decoder(None)
    parts = [decoder.decode(data[at : at + step]) for at in range(0, len(data), step)]
    assert "".join(parts) + decoder.decode(b"", True) == text
    assert decoder.encoding == "utf-8"


@given(st.binary(max_size=60), st.integers(1, 7))
def test_undeclared_bytes_do_not_depend_on_chunks(data: bytes, step: int) -> None:
    """From the first byte that is not UTF-8 on, it is windows-1252, wherever chunks are cut."""
    whole, cut = Decoder(None), Decoder(None)
    parts = [cut.decode(data[at : at + step]) for at in range(0, len(data), step)]
    assert "".join(parts) + cut.decode(b"", True) == whole.decode(data, True)
    assert whole.encoding == cut.encoding


@given(
    st.binary(max_size=60),
    st.sampled_from(
        ["utf-8", "utf-16le", "shift_jis", "iso-2022-jp", "replacement", "x-user-defined"]
    ),
)
def test_any_bytes(data: bytes, encoding: str) -> None:
    """No bytes raise."""
    decoder = Decoder(encoding)
    decoder.decode(data)
    decoder.decode(b"", True)
