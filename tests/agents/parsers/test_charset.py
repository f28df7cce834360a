"""Encodings, declared and proved."""

import pytest
import webencodings
from hypothesis import given
from hypothesis import strategies as st

from agents.parsers.charset import Decoder, Text, country, declared


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
    """What a document is guessed to be does not depend on where chunks are cut."""
    whole, cut = Decoder(None), Decoder(None)
    parts = [cut.decode(data[at : at + step]) for at in range(0, len(data), step)]
    assert "".join(parts) + cut.decode(b"", True) == whole.decode(data, True)
    assert whole.encoding == cut.encoding


TEXTS = {
    "windows-1252": "Déjà vu à Noël, naïve façade",
    "windows-1250": "Příliš žluťoučký kůň úpěl ďábelské ódy",
    "windows-1251": "Это русский текст на странице",
    "windows-1253": "Ελληνικό κείμενο στη σελίδα",
    "windows-1254": "Türkçe sayfada yazı, ışık ve güneş",
    "windows-1255": "טקסט בעברית בדף",
    "windows-1256": "النص العربي في الصفحة",
    "shift_jis": "日本語のテキスト、これは。",
    "euc-jp": "日本語のテキスト、これは。",
    "gb18030": "中文网页的文字内容测试",
    "big5": "中文網頁的文字內容測試",
    "euc-kr": "한국어 텍스트 페이지",
}


@pytest.mark.parametrize("encoding", TEXTS)
@pytest.mark.parametrize("step", [1, 10_000])
def test_undeclared_texts_of_the_world(encoding: str, step: int) -> None:
    """An undeclared document is in the encoding that its text is likely in, as in Firefox."""
    written = f"<title>{TEXTS[encoding]}</title>" + "<p>a" * 2000 + TEXTS[encoding]
    data, decoder = written.encode(encoding), Decoder(None)
    parts = [decoder.decode(data[at : at + step]) for at in range(0, len(data), step)]
    assert "".join(parts) + decoder.decode(b"", True) == written
    assert decoder.encoding == encoding


def test_the_domain_tells_where_bytes_do_not() -> None:
    """A word too short to tell is read as in the country of its domain."""
    texts = {url: Text(url=url) for url in ("http://a.ru/", "http://u@a.gr:80/b", "http://a.jp/")}
    for text in texts.values():
        text.feed(b"<p>\xf0\xe5")
        text.close()
    assert [text.encoding for text in texts.values()] == [
        "windows-1251", "iso-8859-7", "euc-jp",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("url", "label"),
    [("http://a.RU/", ""), ("https://b.a.ru", "ru"), ("ftp://a.xn--p1ai./b", "xn--p1ai"),
     ("http://127.0.0.1/", ""), ("http://localhost/a.ru", ""), ("", ""), ("http://a.b@c.de", "de")],
)  # fmt: skip
def test_country(url: str, label: str) -> None:
    """The last label of the host; none of an address."""
    assert country(url) == label


@pytest.mark.parametrize("label", sorted(webencodings.LABELS))
def test_every_label_of_the_standard(label: str) -> None:
    """A document may declare any label of the Encoding standard, in any case."""
    name = webencodings.LABELS[label]
    name = {"utf-16le": "utf-8", "utf-16be": "utf-8", "x-user-defined": "windows-1252"}.get(
        name, name
    )
    assert declared(f'<meta charset=" {label.upper()} ">'.encode(), None) == name
    assert declared(b"", label) == webencodings.LABELS[label]


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
