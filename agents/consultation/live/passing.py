"""What goes on of a request to the live web, and of the head of its answer: pure.

Fields that speak of one connection stay (RFC 9110 §7.6.1). Of an answer there stays besides what
would outlive the visit, and lead the browser away from the archive afterwards.
"""

from collections.abc import Iterable

from agents.consultation.proxy.heads import forwardable, without
from anet.http import HOP_BY_HOP, Headers, ResponseHead

_OURS = frozenset((b"host", b"content-length", b"expect", b"via", b"accept-datetime"))
_CONDITIONS = frozenset(
    (b"if-none-match", b"if-modified-since", b"if-match", b"if-unmodified-since", b"if-range")
)
_FROM_THE_BEGINNING = b"bytes=0-"  # as players of sound and video ask first
_LASTING = frozenset((b"strict-transport-security", b"alt-svc", b"clear-site-data", b"nel"))
VIA = (b"Via", b"1.1 dlweb")
MARK = (b"Dlweb-Live", b"1")
"""Tells an answer of the live web from all that the archive gives."""


def request_fields(headers: Headers, whole: bool) -> list[tuple[bytes, bytes]]:
    """Return the fields of a request that go on.

    Args:
        headers: of the reader's request.
        whole: whether the whole content is asked for whatever the browser holds, because it is
            to be kept.
    """
    kept_back = HOP_BY_HOP | _OURS | named(headers) | (_CONDITIONS if whole else frozenset())
    if whole and headers.get(b"range") == _FROM_THE_BEGINNING:
        kept_back |= {b"range"}
    fields = [(name, value) for name, value in headers if name.lower() not in kept_back]
    return [*fields, VIA]


def answer_head(head: ResponseHead) -> bytes | None:
    """Return the head that goes on, byte for byte but for what stays; None if it is none."""
    mended = forwardable(head.raw)
    return None if mended is None else without(mended, _LASTING | named(head.headers))[0]


def answer_fields(browser: bool) -> list[tuple[bytes, bytes]]:
    """Return what the archive adds to the answer.

    Args:
        browser: whether a browser asks, whose cache would else give the live web later on.
    """
    fields = [MARK, VIA]
    return [*fields, (b"Cache-Control", b"no-store")] if browser else fields


def named(headers: Headers) -> frozenset[bytes]:
    """Return the names of fields that `Connection` says are of this connection."""
    return frozenset(_words(headers.get_all(b"connection")))


def body_length(head: ResponseHead) -> int | None:
    """Return the bytes of the body, where the head says so in a way that can be believed."""
    lengths = {value.strip() for value in head.headers.get_all(b"content-length")}
    if b"transfer-encoding" in head.headers or len(lengths) != 1:
        return None
    (said,) = lengths
    return int(said) if said.isdigit() and len(said) <= 18 else None


def _words(values: Iterable[bytes]) -> Iterable[bytes]:
    return (word.strip().lower() for value in values for word in value.split(b","))
