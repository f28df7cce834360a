"""A client that has what the archive has is told so, and no other is."""

import pytest

from agents.consultation.proxy.conditional import is_known, may_give_range
from anet.http.message import Headers

CONTENT = "ab" * 32
MODIFIED = b"Wed, 01 Jan 2020 00:00:00 GMT"
CAPTURE = Headers([(b"ETag", b'"v1"'), (b"Last-Modified", MODIFIED)])
WEAK = Headers([(b"ETag", b'W/"v1"')])


@pytest.mark.parametrize(
    ("field", "value", "known"),
    [
        (b"If-None-Match", b'"v1"', True),
        (b"If-None-Match", b'W/"v1"', True),
        (b"If-None-Match", b'"v0", "v1"', True),
        (b"If-None-Match", b'"%s"' % CONTENT.encode(), True),
        (b"If-None-Match", b"*", True),
        (b"If-None-Match", b'"v2"', False),
        (b"If-None-Match", b"v1", False),
        (b"If-Modified-Since", MODIFIED, True),
        (b"If-Modified-Since", b"Wednesday, 01-Jan-20 00:00:00 GMT", True),
        (b"If-Modified-Since", b"Thu, 02 Jan 2020 00:00:00 GMT", False),
        (b"If-Modified-Since", b"Tue, 31 Dec 2019 00:00:00 GMT", False),
        (b"If-Modified-Since", b"yesterday", False),
    ],
)
def test_what_a_client_has(field, value, known):
    """Tags compare weakly; of dates only the capture's own counts, since a later is another's."""
    assert is_known(Headers([(field, value)]), CAPTURE, CONTENT) is known


def test_the_tag_counts_more_than_the_date():
    """With If-None-Match the date is not looked at (RFC 9110 §13.1.3)."""
    asked = Headers([(b"If-None-Match", b'"v2"'), (b"If-Modified-Since", MODIFIED)])
    assert not is_known(asked, CAPTURE, CONTENT)


def test_without_validators_there_is_the_content():
    """A capture without validators is known by its content alone."""
    asked = Headers([(b"If-None-Match", b'W/"%s"' % CONTENT.encode())])
    assert is_known(asked, Headers(), CONTENT)
    assert not is_known(Headers([(b"If-Modified-Since", MODIFIED)]), Headers(), CONTENT)
    assert not is_known(Headers(), CAPTURE, CONTENT)


@pytest.mark.parametrize(
    ("value", "capture", "may"),
    [
        (b'"v1"', CAPTURE, True),
        (b'W/"v1"', CAPTURE, False),
        (b'W/"v1"', WEAK, False),
        (b'"v2"', CAPTURE, False),
        (b'"%s"' % CONTENT.encode(), CAPTURE, True),
        (MODIFIED, CAPTURE, True),
        (b"Thu, 02 Jan 2020 00:00:00 GMT", CAPTURE, False),
        (b"nonsense", CAPTURE, False),
        (MODIFIED, WEAK, False),
    ],
)
def test_a_range_of_the_same_only(value, capture, may):
    """If-Range compares strongly: a part must be of the bytes that the client has."""
    assert may_give_range(Headers([(b"If-Range", value)]), capture, CONTENT) is may
    assert may_give_range(Headers(), capture, CONTENT)
