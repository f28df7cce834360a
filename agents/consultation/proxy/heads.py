"""A stored response head as it may be sent on to a browser.

What the archive stores is never changed. What goes out differs only where two readers of the
same head could see different messages in it, which RFC 9112 tells whoever forwards to mend.
"""

import re
from collections.abc import Collection

from agents.capture import Capture
from agents.urls import canonical
from anet.http.message import reason_of

_REDIRECTIONS = frozenset((301, 302, 303, 307, 308))
_BARE = re.compile(rb"\r(?!\n)|\0")
_STATUS_LINE = re.compile(rb"\S+ +(\d{3})(?:\s|$)")
_VERSION = re.compile(rb"HTTP/|ICY ", re.IGNORECASE)
_NAME = re.compile(rb"[!-9;-~]+")
_ODD_NAME = re.compile(rb"\n(?![!-9;-~]+:|[ \t\r\n]|\Z)")
_LOCATION = re.compile(rb"^location[ \t]*:[ \t]*(.*?)[ \t\r]*$", re.IGNORECASE | re.MULTILINE)


def forwardable(head: bytes) -> bytes | None:
    """Return the head with what is ambiguous in it mended, or None when there is no status line.

    A bare CR and NUL become spaces (RFC 9112 §2.2, RFC 9110 §5.5); white space at the beginning
    of the first field line takes the line with it (RFC 9112 §2.2). White space after a name goes
    (§5.1), and so does a line whose name is none: clients take what follows for the content. What
    is no version of HTTP is called one. All else stays, byte for byte.
    """
    if b"\0" in head or head.count(b"\r") != head.count(b"\r\n"):  # counting is quick
        head = _BARE.sub(b" ", head)
    first, newline, rest = head.partition(b"\n")
    if not _STATUS_LINE.match(first):
        return None
    if not _VERSION.match(first):
        first = b"HTTP/1.1" + first[first.index(b" ") :]
    while rest[:1] in (b" ", b"\t"):
        rest = rest.partition(b"\n")[2]
    if _ODD_NAME.search(newline + rest):
        rest = _with_names(rest)
    return first + newline + rest


def _with_names(fields: bytes) -> bytes:
    """Return the lines of fields whose names are some, without white space after the names."""
    kept: list[bytes] = []
    stays = True
    for line in fields.splitlines(keepends=True):
        name, colon, value = line.partition(b":")
        if line[:1] not in (b" ", b"\t"):  # a folded line goes where its field goes
            name = name.rstrip(b" \t")
            stays = not line.strip(b" \t\r\n") or bool(colon and _NAME.fullmatch(name))
        if stays:
            kept.append(name + colon + value)
    return b"".join(kept)


def status_of(head: bytes) -> int:
    """Return what a head that is forwardable says; where that is not the status of the capture,
    the browser would take the content for the beginning of the next answer, or wait for one.
    """
    found = _STATUS_LINE.match(head)
    return int(found[1]) if found else 0


def with_status(head: bytes, status: int) -> bytes:
    """Return a head that says another status, and all else as before."""
    rest = head.partition(b"\n")[2]
    return b"HTTP/1.1 %d %s\r\n%s" % (status, reason_of(status).encode(), rest)


def without(head: bytes, names: Collection[bytes]) -> tuple[bytes, list[bytes]]:
    """Return a head without the fields of these names (in small letters), and those it had."""
    kept: list[bytes] = []
    removed: dict[bytes, None] = {}
    leaves = False
    for index, line in enumerate(head.splitlines(keepends=True)):
        if index and line[:1] not in (b" ", b"\t"):  # a folded line goes where its field goes
            name = line.partition(b":")[0].strip().lower()
            leaves = name in names
            if leaves:
                removed[name] = None
        if not leaves:
            kept.append(line)
    return b"".join(kept), [*removed]


def secure_twin(url: str) -> str | None:
    """Return the https:// URL of the same place as an http:// URL; None where there is none."""
    scheme, colon, rest = url.partition(":")
    host_port = rest[2:].partition("/")[0]
    if scheme != "http" or re.search(r":\d+$", host_port):
        return None
    return f"https{colon}{rest}"


def only_redirects_to(capture: Capture, url: str) -> bool:
    """Tell whether a capture does nothing but send the browser to `url`."""
    if capture.status not in _REDIRECTIONS:
        return False
    found = _LOCATION.search(capture.head.replace(b"\r\n", b"\n"))
    return found is not None and canonical(found[1].decode("latin-1"), capture.url) == url
