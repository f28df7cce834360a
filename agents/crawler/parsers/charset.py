"""Encodings of documents, found and decoded as browsers do.

A byte order mark wins, then the charset of the Content-Type header, then what the first bytes of
the document declare. An undeclared document is taken for UTF-8 until it proves not to be, and for
windows-1252 from there on.
"""

import codecs
import re

import webencodings

PRESCAN = 1024  # bytes in which a document must declare its encoding, as in browsers
_META = re.compile(rb"""<meta[\s/][^>]*?charset\s*=\s*["']?\s*([\w.:\-]+)""", re.IGNORECASE)
_XML = re.compile(rb"""\s*<\?xml[^>]*?encoding\s*=\s*["']([\w.:\-]+)""", re.IGNORECASE)
_CSS = re.compile(rb"""@charset "([\w.:\-]+)";""")
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16le"), (b"\xfe\xff", "utf-16be"))


def declared(prefix: bytes, header: str | None, fallback: str | None = None) -> str | None:
    """Return the encoding that a document declares, by its name in the Encoding standard.

    Args:
        prefix: the first `PRESCAN` bytes of the document, or all of it.
        header: the charset of its Content-Type, if any.
        fallback: what to take when it declares none, such as the encoding of the page that
            includes a style sheet.
    """
    for mark, name in _MARKS:
        if prefix.startswith(mark):
            return name
    named = _name(header)
    if named is not None:
        return named
    found = _XML.match(prefix) or _META.search(prefix) or _CSS.match(prefix)
    named = _name(found[1].decode("ascii", "replace")) if found else None
    if named is None:
        return _name(fallback)
    # A document that can be read as ASCII thus far is not in UTF-16, whatever it says.
    return "utf-8" if named.startswith("utf-16") else named


def _name(label: str | None) -> str | None:
    found = webencodings.lookup(label) if label and label.isascii() else None
    return None if found is None else str(found.name)


class Decoder:
    """Decodes a document chunk by chunk; malformed bytes become U+FFFD.

    Attributes:
        encoding: the name of the encoding; for an undeclared one, what it has proved to be.
    """

    def __init__(self, encoding: str | None) -> None:
        self.encoding = encoding or "utf-8"
        self._guessing = encoding is None
        self._decoder = _decoder(self.encoding, "strict" if self._guessing else "replace")

    def decode(self, chunk: bytes, final: bool = False) -> str:
        """Return the text of the next bytes; incomplete characters wait for the rest."""
        try:
            return self._decoder.decode(chunk, final)
        except UnicodeDecodeError as error:
            if not self._guessing:
                return ""  # a codec that gives up even when told to replace
            self._guessing = False
            self.encoding = "windows-1252"
            self._decoder = _decoder(self.encoding, "replace")
            # The strict decoder dropped the bytes it held, but the error has them all.
            before = error.object[: error.start].decode("utf-8")
            return before + self._decoder.decode(error.object[error.start :], final)


class Text:
    """The text of a document, from its bytes chunk by chunk; it begins once `PRESCAN` are here.

    Args:
        charset: of the Content-Type header, if any.
        fallback: what to take when nothing is declared.
    """

    def __init__(self, charset: str | None = None, fallback: str | None = None) -> None:
        self._charset = charset
        self._fallback = fallback
        self._prefix = b""
        self._decoder: Decoder | None = None

    @property
    def encoding(self) -> str:
        """The name of the encoding, as far as it is known."""
        return "utf-8" if self._decoder is None else self._decoder.encoding

    def feed(self, chunk: bytes) -> str:
        """Return the text of the next bytes."""
        if self._decoder is None:
            self._prefix += chunk
            if len(self._prefix) < PRESCAN:
                return ""
            chunk = self._begin()
        return self._begun.decode(chunk)

    def close(self) -> str:
        """Return the last of the text."""
        rest = self._begin() if self._decoder is None else b""
        return self._begun.decode(rest, final=True)

    def _begin(self) -> bytes:
        self._decoder = Decoder(declared(self._prefix, self._charset, self._fallback))
        prefix, self._prefix = self._prefix, b""
        return prefix

    @property
    def _begun(self) -> Decoder:
        assert self._decoder is not None
        return self._decoder


def _decoder(name: str, errors: str) -> codecs.IncrementalDecoder:
    found = webencodings.lookup(name)
    codec = codecs.lookup("utf-8") if found is None else found.codec_info
    make = codec.incrementaldecoder
    if make is None:
        make = codecs.getincrementaldecoder("utf-8")
    return make(errors)
