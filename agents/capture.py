"""A capture: one line of the archive's history, and the keys its parts are found by."""

import re
from hashlib import sha256

from attrs import frozen

ORIGIN_LIMIT = 999_999  # bytes; six digits in a structure line
HEAD_LIMIT = 9_999_999  # bytes; seven digits in a structure line
METADATA_LIMIT = 16  # characters

_KEY = re.compile(r"[0-9a-f]{64}")


@frozen
class Capture:
    """What one URL answered at one date (*INA §2.2.2*).

    Attributes:
        url: the canonical URL.
        date: when the answer began, 20 digits (see `agents.dates`).
        content: SHA-256 of the body as received, hexadecimal.
        size: bytes of the body.
        status: HTTP status of the answer.
        head: the response head byte for byte, from the status line to the empty line.
        origin: where it comes from, as `name: value` lines (crawl, site, address, agent).
        metadata: for streamed contents, the time offset inside the content; else empty.
    """

    url: str
    date: str
    content: str
    size: int
    status: int
    head: bytes
    origin: str = ""
    metadata: str = ""


def content_key(body: bytes | memoryview) -> str:
    """Return the name of a content: the SHA-256 of its bytes, hexadecimal (*INA §2.2.1*)."""
    return sha256(body).hexdigest()


def structure_key(url: str) -> str:
    """Return the name of a URL's structure file: the SHA-256 of the URL, hexadecimal."""
    return sha256(url.encode("utf-8", "surrogatepass")).hexdigest()


def is_key(text: str) -> bool:
    """Tell whether `text` is a SHA-256 in lower-case hexadecimal, and so safe in a path."""
    return _KEY.fullmatch(text) is not None
