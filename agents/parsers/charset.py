"""Encodings of documents, found and decoded as browsers do.

A byte order mark wins, then the charset of the Content-Type header, then what the first bytes of
the document declare. An undeclared document is taken for UTF-8 until it proves not to be; from
there on its encoding is guessed from the bytes and the country of its domain, with the detector of
Firefox. Browsers do not guess UTF-8, lest authors rely on it; an archive that reads such pages
right finds the same links in them, for the bytes of a URL's query are the same either way.
"""

import codecs
import re
from collections.abc import Callable

import webencodings
from chardetng_py import EncodingDetector  # type: ignore[import-untyped]

from agents.parsers.prescan import declared_label

PRESCAN = 1024  # bytes in which a document must declare its encoding, as in browsers
GUESSING = 4096  # bytes, from the first that is not UTF-8 on, that a guess is made from
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16le"), (b"\xfe\xff", "utf-16be"))
# What a document can't be in, if it can be read as ASCII as far as it says so.
_INSTEAD = {"utf-16le": "utf-8", "utf-16be": "utf-8", "x-user-defined": "windows-1252"}
_DOMAIN = re.compile(r"[a-z]+://(?:[^/?#@]*@)?[^/?#:@]*\.([a-z][a-z0-9-]*)\.?(?=[/?#:]|\Z)")


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
    named = _name(declared_label(prefix[:PRESCAN]))
    if named is None:
        return _name(fallback)
    return named if b"\0" in prefix[:2] else _INSTEAD.get(named, named)


def country(url: str) -> str:
    """Return the last label of a URL's host, which says where its text is likely from, or ""."""
    found = _DOMAIN.match(url)
    return "" if found is None else found[1]


def _name(label: str | None) -> str | None:
    found = webencodings.lookup(label) if label and label.isascii() else None
    return None if found is None else str(found.name)


class Decoder:
    """Decodes a document chunk by chunk; malformed bytes become U+FFFD.

    Args:
        encoding: that is declared; None if none is.
        domain: the last label of its host, or "".

    Attributes:
        encoding: the name of the encoding; for an undeclared one, what it has proved to be.
    """

    def __init__(self, encoding: str | None, domain: str = "") -> None:
        self.encoding = encoding or "utf-8"
        self._guessing = encoding is None
        self._domain = domain
        self._odd: bytes | None = None  # the bytes that a guess is made from
        self._decoder = _decoder(self.encoding, "strict" if self._guessing else "replace")

    def decode(self, chunk: bytes, final: bool = False) -> str:
        """Return the text of the next bytes; incomplete characters wait for the rest."""
        if self._odd is not None:
            return self._guess(chunk, final)
        try:
            return self._decoder.decode(chunk, final)
        except UnicodeDecodeError as error:
            if not self._guessing:
                return ""  # a codec that gives up even when told to replace
            # The strict decoder dropped the bytes it held, but the error has them all.
            self._odd = b""
            before = error.object[: error.start].decode("utf-8")
            return before + self._guess(error.object[error.start :], final)

    def _guess(self, chunk: bytes, final: bool) -> str:
        """Guess the encoding once there are bytes enough; return what text there is by then."""
        assert self._odd is not None
        self._odd += chunk
        if len(self._odd) < GUESSING and not final:
            return ""
        odd, self._odd, self._guessing = self._odd, None, False
        detector = EncodingDetector()
        detector.feed(odd[:GUESSING], last=False)
        guessed = detector.guess(tld=self._domain.encode("ascii") or None, allow_utf8=False)
        self.encoding = _name(guessed) or "windows-1252"
        self._decoder = _decoder(self.encoding, "replace")
        return self._decoder.decode(odd, final)


class Text:
    """The text of a document, from its bytes chunk by chunk; it begins once `PRESCAN` are here.

    Args:
        charset: of the Content-Type header, if any.
        fallback: what to take when nothing is declared.
        url: where it lies; canonical, or "".
    """

    def __init__(
        self, charset: str | None = None, fallback: str | None = None, url: str = ""
    ) -> None:
        self._charset = charset
        self._fallback = fallback
        self._domain = country(url)
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
        encoding = declared(self._prefix, self._charset, self._fallback)
        self._decoder = Decoder(encoding, self._domain)
        prefix, self._prefix = self._prefix, b""
        return prefix

    @property
    def _begun(self) -> Decoder:
        assert self._decoder is not None
        return self._decoder


def decode_of(name: str) -> Callable[[bytes, str], tuple[str, int]]:
    """Return what decodes a whole text in the encoding of this name, told how to take errors."""
    return _codec(name).decode


def _codec(name: str) -> codecs.CodecInfo:
    found = webencodings.lookup(name)
    return codecs.lookup("utf-8") if found is None else found.codec_info


def _decoder(name: str, errors: str) -> codecs.IncrementalDecoder:
    make = _codec(name).incrementaldecoder or codecs.getincrementaldecoder("utf-8")
    return make(errors)
