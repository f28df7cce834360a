"""The built-in website that a new archive collects first: `site/`, as an HTTP handler.

It holds one of everything that makes archiving hard (imported styles, pictures in three sizes,
frames, an image map, a redirection, a refresh, a missing page, a room closed to robots), and
tells its reader what a web archive is. It never changes between visits.
"""

from hashlib import sha256
from pathlib import Path

from attrs import frozen

from anet.http import Handler, Request, Response

_SITE = Path(__file__).parent / "site"
_MOVED = {"/moved.html": "/time.html", "/gallery": "/gallery/", "/frames": "/frames/"}
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".txt": "text/plain; charset=utf-8",
    ".xml": "application/atom+xml",
}


@frozen
class _File:
    """A file of the site, ready to be sent."""

    headers: list[tuple[bytes, bytes]]
    body: bytes


def website() -> Handler:
    """Return the handler that serves the site; its few files are kept in memory."""
    files = {f"/{path.relative_to(_SITE)}": _load(path) for path in sorted(_SITE.rglob("*.*"))}

    async def serve(request: Request) -> Response:
        if request.method not in ("GET", "HEAD"):
            return Response(405, [(b"Allow", b"GET, HEAD")], b"This site is only read.\n")
        path = request.path
        if path in _MOVED:
            return Response.redirect(_MOVED[path], 301)
        found = files.get(path + "index.html" if path.endswith("/") else path)
        if found is None:
            missing = files["/missing.html"]
            return Response(404, missing.headers[:1], missing.body)
        if request.headers.get(b"if-none-match") == dict(found.headers)[b"ETag"]:
            return Response(304, found.headers)
        return Response(200, found.headers, found.body)

    return serve


def _load(path: Path) -> _File:
    body = path.read_bytes()
    return _File(
        [
            (b"Content-Type", _TYPES[path.suffix].encode()),
            (b"ETag", f'"{sha256(body).hexdigest()[:16]}"'.encode()),
            (b"Cache-Control", b"no-cache"),
        ],
        body,
    )
