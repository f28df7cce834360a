"""What a browser wants an answer for, told from its request. Pure.

Browsers say it in `Sec-Fetch-Dest`, but only to https:// and to their own machine; for the http://
web of the past it is read from `Accept`, in which they still say whether they want a page, a
picture or a style.
"""

from anet.http.message import Headers

DOCUMENT = "document"
FRAMES = frozenset(("iframe", "frame", "object", "embed", "fencedframe"))
PAGE = "page"
"""A page, and nobody says whether it is for the window or for a frame in it."""
OTHER = "other"
"""A browser's request for a script, a font, or what a script asks for; nobody says which."""


def destination_of(headers: Headers) -> str:
    """Return what a request is for: as `Sec-Fetch-Dest` says it, `page`, `other`, or nothing.

    Programs that are no browsers say nothing, and belong to no page.
    """
    said = headers.text(b"sec-fetch-dest")
    if said:
        return said[:20].lower()
    accept = headers.text(b"accept").lower()
    if accept.startswith("text/html"):
        return PAGE
    if accept.startswith("image/"):
        return "image"
    if accept.startswith("text/css"):
        return "style"
    return OTHER if headers.text(b"user-agent").startswith("Mozilla/") else ""


def is_navigation(headers: Headers) -> bool:
    """Tell whether a browser may be going to a page in a window of its own, by GET.

    Without `Sec-Fetch-Dest` this is so for frames too.
    """
    if headers.text(b"user-agent").startswith("Mozilla/"):
        return destination_of(headers) in (DOCUMENT, PAGE)
    return False


def is_worker(headers: Headers) -> bool:
    """Tell whether a browser asks for a service worker, to install it."""
    return b"service-worker" in headers
