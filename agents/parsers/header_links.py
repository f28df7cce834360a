"""Links in the headers of an answer: `Location`, `Refresh`, `Link` (RFC 8288) and others."""

import re
from collections.abc import Iterable, Iterator
from itertools import chain

from agents.parsers.html_rules import (
    FRAME,
    PAGE,
    REQUISITE,
    is_feed,
    refresh_target,
    relation,
)
from agents.parsers.link import Link, component, page
from agents.parsers.srcset import candidates

LINK_LIMIT = 1000  # links of one answer's headers

_NOT_ASCII = re.compile(rb"[\x80-\xff]")
_LINK = re.compile(r"""<([^>]*+)>((?:[^",<]++|"(?:[^"\\]++|\\.)*+"?)*+)""", re.DOTALL)
_PARAMETER = re.compile(r""";\s*+([\w*-]++)\s*+=\s*+(?:"((?:[^"\\]++|\\.)*+)"?|([^\s;,"]++))""")


def header_links(
    location: bytes | None,
    refresh: bytes | None,
    links: Iterable[bytes],
    others: Iterable[bytes] = (),
) -> Iterator[Link]:
    """Yield the links of an answer's headers.

    A redirection and a refresh are components and no requisites (*INA §1.4.2*); a `Link` means
    what the element of the same name does.

    Args:
        location: the `Location` of a redirection.
        refresh: the `Refresh` header.
        links: all `Link` headers.
        others: `Content-Location`, the address of what was negotiated, and `SourceMap`, what a
            script or style sheet was made of; both are of no use to a browser, and pages.
    """
    if location is not None:
        yield from component(_text(location), requisite=False)
    if refresh is not None:
        yield from component(refresh_target(_text(refresh)), requisite=False)
    for value in others:
        yield from page(_text(value))
    left = LINK_LIMIT
    for value in links:
        for found in _LINK.finditer(_text(value)):
            left -= 1
            if left < 0:
                return
            yield from _link(found[1].strip(), found[2])


def _link(url: str, text: str) -> Iterable[Link]:
    parameters: dict[str, str] = {}
    for name, quoted, bare in _PARAMETER.findall(text):
        parameters.setdefault(name.lower(), quoted or bare)
    rel = parameters.get("rel", "")
    meaning = relation(rel)
    if meaning in (REQUISITE, FRAME):
        images = (component(image) for image in candidates(parameters.get("imagesrcset", "")))
        return chain(component(url, requisite=meaning == REQUISITE), *images)
    return page(url, is_feed(rel, parameters.get("type", ""))) if meaning == PAGE else ()


def _text(value: bytes) -> str:
    """Return a header as text; bytes that are not ASCII stand for themselves in a URL."""
    return _NOT_ASCII.sub(lambda byte: b"%%%02X" % byte[0][0], value).decode("ascii").strip()
