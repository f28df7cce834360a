"""Which bytes of a content a request wants (RFC 9110 §14). Pure."""

import re

from attrs import frozen

_ONE = re.compile(
    rb"[ \t]*bytes[ \t]*=[ \t,]*(\d{0,18})[ \t]*-[ \t]*(\d{0,18})[ \t,]*", re.IGNORECASE
)
_CONTENT_RANGE = re.compile(
    rb"[ \t]*bytes[ \t]+(\d{1,18})-(\d{1,18})/(\d{1,18}|\*)[ \t]*", re.IGNORECASE
)


@frozen
class Span:
    """Bytes of a representation, from `start` up to and without `stop`."""

    start: int
    stop: int

    @property
    def size(self) -> int:
        """How many there are."""
        return self.stop - self.start


NOTHING = Span(0, 0)
"""What is answered to a range that begins past the end."""


@frozen
class Stored:
    """Where the bytes of a content lie in the representation that they are of.

    Attributes:
        span: all of it, or the part that a capture of status 206 holds.
        complete: bytes of the whole representation.
    """

    span: Span
    complete: int

    @classmethod
    def whole(cls, size: int) -> "Stored":
        """Return a content that is all of its representation."""
        return cls(Span(0, size), size)

    @classmethod
    def part(cls, content_range: bytes, size: int) -> "Stored | None":
        """Return what a `Content-Range` says of `size` bytes; None when it does not fit them."""
        found = _CONTENT_RANGE.fullmatch(content_range)
        if found is None or found[3] == b"*":
            return None
        start, last, complete = int(found[1]), int(found[2]), int(found[3])
        if last + 1 - start != size or last >= complete:
            return None
        return cls(Span(start, last + 1), complete)

    def content_range(self, span: Span) -> bytes:
        """Return what is said of an answer that holds `span`, or `NOTHING`."""
        if span == NOTHING:
            return b"bytes */%d" % self.complete
        return b"bytes %d-%d/%d" % (span.start, span.stop - 1, self.complete)


def wanted_span(text: bytes, stored: Stored) -> Span | None:
    """Return the bytes that a `Range` field asks for, as far as they are stored.

    Returns:
        None when the whole is to be given: the field makes no sense, is of another unit, or asks
        for several ranges, or there are no bytes at all. `NOTHING` when no byte that it asks for
        is there.
    """
    found = _ONE.fullmatch(text)
    if found is None or not stored.complete:
        return None
    if found[1]:
        first = int(found[1])
        last = int(found[2]) if found[2] else stored.complete - 1
        if found[2] and last < first:
            return None
    elif found[2]:
        first, last = max(0, stored.complete - int(found[2])), stored.complete - 1
    else:
        return None
    # Fewer bytes than were asked for may be given, but the first one must be there.
    if not stored.span.start <= first < stored.span.stop or first > last:
        return NOTHING
    return Span(first, min(last + 1, stored.span.stop))
