"""URLs as text that sorts by site: `org,example)/path?query`. Pure.

This is the *urlkey* of CDX files, as the field's tools write it: the host turned round and without
`www.`, no scheme, lower case, parameters in order, no identifiers of sessions. Many URLs have the
same one. It is made from a canonical URL, of which most of that work is done already; the package
`surt` gives the same text (the tests hold what it gives), and brings nine packages with it.
"""

import re
from functools import lru_cache
from urllib.parse import quote, unquote_to_bytes

from attrs import frozen

from agents import urls
from agents.session_ids import without_session

MATCHES = ("exact", "prefix", "host", "domain")
_WWW = re.compile(r"www\d*\.")
_SLASHES = re.compile(r"//+")
_ESCAPED = "!\"$&'()*+,/:;<=>?@[\\]^_`{|}~"  # what stays as it is in a urlkey, beside letters
_PASSES = 4  # what is encoded more often than that is hostile
_DEFAULT_PORTS = {"http": 80, "https": 443}


@frozen
class Range:
    """All texts from `start` on and before `end`."""

    start: str
    end: str

    def __contains__(self, text: str) -> bool:
        return self.start <= text < self.end


def surt(url: str) -> str:
    """Return the urlkey of a canonical URL."""
    path, question, query = urls.target(without_session(url)).partition("?")
    path = _SLASHES.sub("/", _escaped(path.lower()))
    query = "&".join(sorted(_escaped(query.lower()).split("&"), key=_parameter))
    return site(url) + ")" + (path.rstrip("/") or "/") + (question and query and "?" + query)


def site(url: str) -> str:
    """Return host and port of a canonical URL as its urlkey begins: `org,example:8080`."""
    return _site(url[: url.index("/", len("https://"))])


@lru_cache(maxsize=1000)
def _site(origin: str) -> str:
    """Return the same for scheme, host and port, which many URLs share."""
    host, port = urls.split_port(urls.authority(origin))
    scheme = origin.partition(":")[0]
    return _labels(host) + ("" if port in (None, _DEFAULT_PORTS[scheme]) else f":{port}")


def ranges(url: str, match: str) -> list[Range]:
    """Return where the urlkeys lie that a match takes, in order and apart.

    Args:
        url: canonical.
        match: `exact`; `prefix`: path and query begin so; `host`: of the host, at any port;
            `domain`: of the host and all below it.
    """
    if match == "exact":
        key = surt(url)
        return [Range(key, key + "\1")]
    if match == "prefix":
        key = _prefix(url)
        return [Range(key, key[:-1] + chr(ord(key[-1]) + 1))]
    host = _labels(urls.host(url))
    below = "*" if match == "host" else "-"  # after the parenthesis, and after the comma
    return [Range(host + ")", host + below), Range(host + ":", host + ";")]


def _prefix(url: str) -> str:
    """Return how the urlkeys begin; a slash or question mark at the end means itself."""
    key = surt(url)
    end = url[-1] if url[-1] in "/?" else ""
    return key if key.endswith(end) else key + end


def _labels(host: str) -> str:
    if host.startswith("["):
        return host.strip("[]")
    return ",".join(reversed(_WWW.sub("", host, count=1).rstrip(".").split(".")))


def _escaped(text: str) -> str:
    """Write percent-encoding in one way: only where it must be, in lower case."""
    if "%" not in text:
        return text
    data = text.encode("ascii")
    for _ in range(_PASSES):
        before, data = data, unquote_to_bytes(data)
        if data == before:
            break
    return quote(data.lower(), safe=_ESCAPED).lower()


def _parameter(text: str) -> tuple[str, ...]:
    return tuple(text.split("=", 1))
