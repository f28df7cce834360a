"""Who may change something over HTTP: whoever is on this machine, or shows the archive's secret."""

from base64 import b64decode
from binascii import Error
from hmac import compare_digest

from anet.address import is_loopback
from anet.http import Request, Response

_REFUSAL = (
    "Beyond the scheduler's own machine a change needs the archive's secret, which stands in the "
    "file `secret` of the archive's folder: as Authorization: Bearer …, or as the password that "
    "the browser asks for, with your name.\n"
)
_FORWARDED = (b"forwarded", b"x-forwarded-for", b"via")  # what proxies on this machine add


class Access:
    """Tells whether a request may change something.

    Args:
        secret: the archive's.
    """

    def __init__(self, secret: str) -> None:
        self._secret = secret.encode()

    def refusal(self, request: Request) -> Response | None:
        """Return what to answer a request that may not, or None for one that may."""
        if _is_local(request) or compare_digest(_shown(request), self._secret):
            return None
        asked = [(b"WWW-Authenticate", b'Basic realm="dlweb", charset="UTF-8"')]
        plain = (b"Content-Type", b"text/plain; charset=utf-8")
        return Response(401, [*asked, plain], _REFUSAL.encode())


def _is_local(request: Request) -> bool:
    """Tell whether somebody on this machine asks, and not for somebody elsewhere."""
    return is_loopback(request.client) and not any(request.headers.get(name) for name in _FORWARDED)


def _shown(request: Request) -> bytes:
    """Return the secret that a request shows, or nothing."""
    scheme, _, rest = (request.headers.get(b"authorization") or b"").partition(b" ")
    if scheme.lower() == b"bearer":
        return rest.strip()
    if scheme.lower() == b"basic":
        try:
            return b64decode(rest.strip(), validate=True).partition(b":")[2]
        except Error:
            return b""
    return b""
