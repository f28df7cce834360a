"""URLs as the archive names them: one canonical form, the same for collecting and for reading.

The form is that of the WHATWG URL standard, which is what browsers send; so a URL found in a page
by the crawler, and the URL a browser asks the consultation proxy for, are the same text.
"""

import re
from functools import lru_cache
from urllib.parse import unquote_to_bytes

import ada_url
import webencodings

LENGTH_LIMIT = 8192  # characters of a canonical URL; servers and browsers stop near there
_INPUT_LIMIT = 65536  # characters looked at; a fragment or white space may make a URL long
_SURROGATES = re.compile("[\ud800-\udfff]")
_NON_ASCII = re.compile("[^\x00-\x7f]+")
_AUTHORITY_END = re.compile(r"[/?]|$")
_KEPT_IN_QUERY = frozenset(range(0x21, 0x7F)) - frozenset(b"\"#<>'")


def canonical(url: str, base: str | None = None, encoding: str = "utf-8") -> str | None:
    """Return the canonical form of a URL, or None when the archive cannot hold it.

    The fragment is removed, for it never reaches a server; so are user name and password, for a
    browser sends these as a header. Only `http` and `https` are taken.

    Args:
        url: as a page, a header or a person wrote it; relative if a base is given.
        base: the URL of the page, or what its `base` element says; absolute.
        encoding: of the page (a label of the Encoding standard); forms of non-ASCII characters
            in the query depend on it.

    Returns:
        At most `LENGTH_LIMIT` ASCII characters, or None: invalid, another scheme, or too long.
    """
    if len(url) > _INPUT_LIMIT:
        return None
    if encoding != "utf-8" and not url.isascii():
        url = _encode_query(url, encoding)
    try:
        joined = ada_url.normalize_url(url) if base is None else ada_url.join_url(base, url)
    except ValueError:
        cleaned = _SURROGATES.sub("\ufffd", url)
        return canonical(cleaned, base) if cleaned != url else None
    if not is_of_the_web(joined):
        return None
    joined = joined.partition("#")[0]
    if "@" in joined:
        joined = _without_credentials(joined)
    return joined if len(joined) <= LENGTH_LIMIT else None


def is_of_the_web(url: str) -> bool:
    """Tell whether a name of the archive is a URL, and not that of records it keeps for itself."""
    return url.startswith(("http://", "https://"))


def authority(url: str) -> str:
    """Return host and port of a canonical URL as written, `example.org` or `[::1]:8080`."""
    return url.split("/", 3)[2]


def host(url: str) -> str:
    """Return the host of a canonical URL; an IPv6 address keeps its brackets."""
    return split_port(authority(url))[0]


def split_port(text: str) -> tuple[str, int | None]:
    """Split `host:port` or `host` into host and port (None when there is none)."""
    name, colon, port = text.rpartition(":")
    if colon and port.isascii() and port.isdigit():
        return name, int(port)
    return text, None


def endpoint(url: str) -> tuple[bool, str, int]:
    """Return where a canonical URL is served: over TLS or not, host without brackets, port."""
    return _endpoint(url[: url.index("/", 8)])


@lru_cache(maxsize=1000)
def _endpoint(origin: str) -> tuple[bool, str, int]:
    name, port = split_port(authority(origin))
    tls = origin.startswith("https:")
    default = 443 if tls else 80
    return tls, name.strip("[]"), default if port is None else port


def target(url: str) -> str:
    """Return what is asked of the server for a canonical URL: path and query."""
    return "/" + url.split("/", 3)[3]


def is_address(name: str) -> bool:
    """Tell whether the host of a canonical URL is an IP address rather than a name."""
    return name.startswith("[") or name.rpartition(".")[2].isdigit()


def readable(url: str) -> str:
    """Return a URL for a person to read: percent-encoded UTF-8 decoded where that is harmless."""
    text = unquote_to_bytes(url).decode("utf-8", "replace")
    return text if text.isprintable() and "\ufffd" not in text and " " not in text else url


def _without_credentials(url: str) -> str:
    start = url.index("//") + 2
    end = _AUTHORITY_END.search(url, start)
    if end is None:  # pragma: no cover - the pattern matches the empty end
        return url
    return url[:start] + url[start : end.start()].rpartition("@")[2] + url[end.start() :]


def _encode_query(url: str, encoding: str) -> str:
    """Percent-encode the non-ASCII characters of the query in the encoding of the page."""
    codec = _codec(encoding)
    before, mark, fragment = url.partition("#")
    path, question, query = before.partition("?")
    if codec is None or not question:
        return url
    query = _NON_ASCII.sub(lambda run: _percent_encoded(run[0], codec), query)
    return path + question + query + mark + fragment


@lru_cache(maxsize=64)
def _codec(label: str) -> str | None:
    """Return Python's name of the codec URLs are encoded with, None for UTF-8."""
    found = webencodings.lookup(label)
    if found is None or found.name in ("utf-8", "utf-16le", "utf-16be", "replacement"):
        return None
    name: str = found.codec_info.name
    return name


def _percent_encoded(text: str, codec: str) -> str:
    try:
        data = text.encode(codec)
    except UnicodeEncodeError:
        if len(text) > 1:
            return "".join(_percent_encoded(character, codec) for character in text)
        return f"%26%23{ord(text)}%3B"  # as a form does: a numeric character reference
    return "".join(chr(byte) if byte in _KEPT_IN_QUERY else f"%{byte:02X}" for byte in data)
