"""What a browser wants an answer for is read from what it says."""

import pytest

from agents.consultation.readers.destinations import destination_of, is_navigation
from anet.http.message import Headers

BROWSER = (b"User-Agent", b"Mozilla/5.0")
PAGE = b"text/html,application/xhtml+xml,*/*;q=0.8"


@pytest.mark.parametrize(
    ("fields", "destination"),
    [
        ([(b"Sec-Fetch-Dest", b"iframe"), (b"Accept", PAGE)], "iframe"),
        ([(b"Accept", PAGE)], "page"),
        ([(b"Accept", b"image/avif,image/webp,*/*;q=0.8")], "image"),
        ([(b"Accept", b"text/css,*/*;q=0.1")], "style"),
        ([BROWSER, (b"Accept", b"*/*")], "other"),
        ([(b"Accept", b"*/*"), (b"User-Agent", b"Wget/1.21")], ""),
        ([], ""),
    ],
)
def test_a_destination_is_said_or_read_from_what_is_accepted(fields, destination):
    """Browsers say it by https; by http their Accept tells as much as needed."""
    assert destination_of(Headers(fields)) == destination


@pytest.mark.parametrize(
    ("fields", "navigates"),
    [
        ([BROWSER, (b"Sec-Fetch-Dest", b"document")], True),
        ([BROWSER, (b"Accept", PAGE)], True),
        ([BROWSER, (b"Sec-Fetch-Dest", b"iframe"), (b"Accept", PAGE)], False),
        ([BROWSER, (b"Accept", b"*/*")], False),
        ([(b"Accept", PAGE)], False),
    ],
)
def test_only_browsers_navigate(fields, navigates):
    """A crawler that accepts pages is sent round no redirections."""
    assert is_navigation(Headers(fields)) is navigates
