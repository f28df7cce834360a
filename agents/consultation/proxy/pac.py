"""What a browser needs to use the proxy: its automatic configuration, and the certificate.

Everybody may have both, before they show a credential: without them no browser could show one.
"""

import json
import re
from collections.abc import Callable

from attrs import frozen
from cryptography.hazmat.primitives.serialization import Encoding

from agents.consultation.proxy.authority import Authority, AuthorityOffer
from anet.address import Address
from anet.http import Request, Response, Router

PAC = "/proxy.pac"
DER, PEM = "/certificate.crt", "/certificate.pem"
OPEN_PATHS = frozenset((PAC, DER, PEM))
_HOST = re.compile(r"([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?")
_SCRIPT = """// The archive's proxy for the whole web, but not for this machine itself.
function FindProxyForURL(url, host) {
  if (host === "localhost" || host === "127.0.0.1" || host === "::1" || host === "[::1]") {
    return "DIRECT";
  }
  return %s;
}
"""


@frozen
class Setup:
    """Gives what a browser is set up with.

    Attributes:
        proxy: tells `host:port` where the proxy listens.
        proxy_tls: whether it is reached over TLS.
        authority: makes the certificates of https:// URLs; None where there are none.
    """

    proxy: Callable[[], str]
    proxy_tls: bool
    authority: Authority | None

    def offer(self) -> AuthorityOffer | None:
        """Return what readers are offered to trust."""
        return None if self.authority is None else self.authority.offer(DER, PEM, PAC)

    def add_to(self, router: Router) -> Router:
        """Let a router give it."""
        router.route("GET", PAC, self.configuration)
        router.route("GET", DER, self.der)
        router.route("GET", PEM, self.pem)
        return router

    async def configuration(self, request: Request) -> Response:
        """Give the proxy's automatic configuration; it names the host as the reader does."""
        proxy = Address.parse(self.proxy())
        shown = _HOST.fullmatch(request.headers.text(b"host"))
        if shown is not None and request.target.startswith("/"):
            where = f"{shown[1]}:{proxy.port}"
        else:  # through the proxy the harbor's name is no name of this machine
            where = str(proxy)
        way = f"{'HTTPS' if self.proxy_tls else 'PROXY'} {where}"
        fields = [
            (b"Content-Type", b"application/x-ns-proxy-autoconfig"),
            (b"Cache-Control", b"no-cache"),
        ]
        return Response(200, fields, (_SCRIPT % json.dumps(way)).encode())

    async def der(self, _: Request) -> Response:
        """Give the certificate as browsers and phones take it."""
        return self._certificate(Encoding.DER, b"application/x-x509-ca-cert")

    async def pem(self, _: Request) -> Response:
        """Give the certificate as programs take it."""
        return self._certificate(Encoding.PEM, b"application/x-pem-file")

    def _certificate(self, encoding: Encoding, media_type: bytes) -> Response:
        if self.authority is None:
            return Response.text(404, "This archive answers no https:// URLs.\n")
        body = self.authority.certificate.public_bytes(encoding)
        return Response(200, [(b"Content-Type", media_type)], body)
