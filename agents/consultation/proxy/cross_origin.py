"""What lets a page read an answer of another origin, where the capture lacks it. Pure.

The crawler asks as itself and names no origin, so many a server did not say that the pages which
use its answers may read them, and no preflight was ever sent to it (pywb pull 520). A browser at
an archived page needs both.
"""

import re

from anet.http import Request, Response
from anet.http.message import Headers

_ORIGIN = re.compile(r"https?://[!-~]{1,300}|null")
_NAMES = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~, -]{0,1000}")
_MAX_AGE = b"600"  # seconds for which a browser need not ask again
ALLOW_ORIGIN = b"access-control-allow-origin"
_ALLOW_CREDENTIALS = b"access-control-allow-credentials"


def asking_origin(request: Headers) -> str | None:
    """Return the origin of the page that asks to read what it gets; None when none does."""
    origin = request.text(b"origin")
    if not origin or not _ORIGIN.fullmatch(origin) or _is_harbor(origin):
        return None
    return origin if request.text(b"sec-fetch-mode") in ("", "cors") else None


def missing_permission(origin: str, capture: Headers) -> tuple[list[tuple[bytes, bytes]], bool]:
    """Return the fields that the browser needs beside those of the capture.

    Returns:
        The fields, and whether the capture's own `Access-Control-Allow-Origin` has to go, since
        it names another origin and two of them make the browser refuse.
    """
    named = capture.get_all(ALLOW_ORIGIN)
    if named and all(each.strip() in (b"*", origin.encode()) for each in named):
        return [], False
    fields = [(b"Access-Control-Allow-Origin", origin.encode())]
    if _ALLOW_CREDENTIALS not in capture:
        fields.append((b"Access-Control-Allow-Credentials", b"true"))
    return fields, bool(named)


def preflight(request: Request) -> Response | None:
    """Return the answer to a preflight, or None when the request is none.

    It allows what is asked for without looking whether there is a capture: the request itself
    will tell.
    """
    headers = request.headers
    origin = asking_origin(headers)
    method = headers.text(b"access-control-request-method")
    if request.method != "OPTIONS" or origin is None or not method:
        return None
    wanted = headers.text(b"access-control-request-headers")
    if not _NAMES.fullmatch(method) or not _NAMES.fullmatch(wanted):
        return None
    fields = [
        (b"Access-Control-Allow-Origin", origin.encode()),
        (b"Access-Control-Allow-Credentials", b"true"),
        (b"Access-Control-Allow-Methods", method.encode()),
        (b"Access-Control-Max-Age", _MAX_AGE),
        (b"Vary", b"Origin"),
    ]
    if wanted:
        fields.append((b"Access-Control-Allow-Headers", wanted.encode()))
    return Response(204, fields)


def _is_harbor(origin: str) -> bool:
    """Tell whether an origin is one of the archive's own; those read no captures."""
    host = origin.partition("://")[2].partition(":")[0].lower()
    return host == "dlweb" or host.endswith(".dlweb")
