"""A bundle: many small contents in the body of one request (docs/reference/storage-http.md).

Each content comes after a line of its own that says its key and its size:

    KEY SIZE LF, then SIZE bytes

Spoken to storage nodes by whoever brings them much. Sans I/O.
"""

import re
from collections.abc import Iterable

BUNDLE_LIMIT = 8 * 2**20  # bytes of a whole bundle
COUNT_LIMIT = 1000  # contents of a bundle
CONTENT_LIMIT = 256 * 1024  # bytes of a content that should go in a bundle; larger ones go alone

_LINE = re.compile(rb"([0-9a-f]{64}) (\d{1,8})\n")


class BadBundle(Exception):
    """A body is no bundle; the message says why."""


def pack(contents: Iterable[tuple[str, bytes | memoryview]]) -> bytes:
    """Return the bundle of contents, each with its key."""
    pieces: list[bytes | memoryview] = []
    for key, data in contents:
        pieces += (f"{key} {len(data)}\n".encode("ascii"), data)
    return b"".join(pieces)


def unpack(bundle: bytes) -> list[tuple[str, memoryview]]:
    """Return the contents of a bundle, each with the key that it was said to have.

    Raises:
        BadBundle: it is none, or has too many contents.
    """
    contents: list[tuple[str, memoryview]] = []
    whole = memoryview(bundle)
    at = 0
    while at < len(bundle):
        line = _LINE.match(bundle, at)
        if line is None:
            raise BadBundle(f"no line `KEY SIZE` at byte {at}")
        at = line.end() + int(line[2])
        if at > len(bundle):
            raise BadBundle(f"it ends {at - len(bundle)} bytes before its last content does")
        contents.append((line[1].decode("ascii"), whole[line.end() : at]))
        if len(contents) > COUNT_LIMIT:
            raise BadBundle(f"at most {COUNT_LIMIT} contents in one bundle")
    return contents
