"""What a request to the harbor says of who asks, and for what."""

import re

from agents.urls import canonical
from anet.http import Request


def typed_url(text: str) -> str | None:
    """Return the canonical form of a URL that a person typed, http:// where no scheme is."""
    has_scheme = re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", text) is not None
    return canonical(text if has_scheme else f"http://{text}") if text else None


def wants_json(request: Request) -> bool:
    """Tell whether a program asks."""
    accept = request.headers.text(b"accept")
    return request.query.get("format") == "json" or accept.startswith("application/json")


def origin_of(request: Request) -> str:
    """Return the origin of the harbor as the reader's browser sees it."""
    if is_absolute(request):
        return "http://dlweb"
    host = request.headers.text(b"host")
    secure = f"https://{host}"  # where the pages are reached over TLS; no one else is at this host
    return secure if request.headers.text(b"origin") == secure else f"http://{host}"


def is_absolute(request: Request) -> bool:
    """Tell whether a request came as to a proxy, with a whole URL."""
    return "://" in request.target.partition("?")[0]
