"""Archived pictures as the harbor shows them.

Nothing that the archive holds may act in the harbor's origin: only formats of pixels are given,
known by their first bytes whatever the web said of them, under a policy that forbids all else.
SVG is not among them, for it is a document.
"""

from agents import dates
from agents.consultation.errors import Faulted
from agents.consultation.harbor.means import Means, url_of
from agents.consultation.harbor.parts import path_to
from agents.consultation.lookup.contents import Content
from anet.http import Request, Response

PICTURE_LIMIT = 32 * 1024 * 1024  # bytes
_BEGINNINGS = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"BM", "image/bmp"),
    (b"\0\0\1\0", "image/x-icon"),
)
_FIELDS = (
    (b"Content-Security-Policy", b"default-src 'none'; sandbox; frame-ancestors 'none'"),
    (b"Content-Disposition", b"inline"),
    (b"Cross-Origin-Resource-Policy", b"same-origin"),
    (b"X-Content-Type-Options", b"nosniff"),
    (b"Cache-Control", b"no-store"),
)


def picture_type(beginning: bytes) -> str:
    """Return the media type of a picture by its first bytes; empty when it is none."""
    for known, kind in _BEGINNINGS:
        if beginning.startswith(known):
            return kind
    if beginning[:4] == b"RIFF" and beginning[8:12] == b"WEBP":
        return "image/webp"
    return "image/avif" if beginning[4:12] in (b"ftypavif", b"ftypavis") else ""


def picture_path(url: str, date: str) -> str:
    """Return the path of a picture as the harbor shows it."""
    return path_to("/picture", url=url, date=date)


async def picture(means: Means, request: Request) -> Response:
    """Give the picture that `url` was at `date`."""
    url, date = url_of(request), request.query.get("date", "")
    try:
        dates.to_datetime(date)
        found = await means.retrieval.retrieve(url or "", date, reader=means.reader(request))
    except (dates.InvalidDate, Faulted):
        return _none()
    content, capture = found.content, found.nearest.capture
    if content is None:
        return _none()
    beginning = await anext(aiter(content), b"")
    kind = picture_type(beginning)
    if not kind or capture.size > PICTURE_LIMIT:
        await content.aclose()
        return _none()
    fields = [(b"Content-Type", kind.encode()), *_FIELDS]
    return Response(200, fields, _Whole(beginning, content), length=capture.size)


def _none() -> Response:
    return Response.text(404, "This is no picture.\n")


class _Whole:
    """A content whose first piece was looked at; the node is let go of even when nobody reads."""

    def __init__(self, beginning: bytes, content: Content) -> None:
        self._beginning = beginning
        self._content = content

    def __aiter__(self) -> "_Whole":
        return self

    async def __anext__(self) -> bytes:
        beginning, self._beginning = self._beginning, b""
        return beginning or await anext(self._content)

    async def aclose(self) -> None:
        """Let go of the node."""
        self._content.close()
