"""What proves a reader's cookie, and carries it from host to host. Pure but for its secret.

A cookie is good at one host, for as long as the archive's secret lasts. A ticket is good at one
host, from one address, for one step of a detour, and for a minute.
"""

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from hashlib import sha256

import msgspec

LIFE = 60.0  # seconds
TICKET_LIMIT = 16_000  # characters


class Ticket(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """What one step of a detour hands to the next.

    Attributes:
        step: for which it is good.
        host: where.
        address: from where.
        url: that the reader wanted.
        until: seconds since the epoch.
        reader: whose cookie it carries, if it does.
    """

    step: str
    host: str
    address: str
    url: str
    until: float
    reader: str = ""


class Tickets:
    """Makes and checks cookies and tickets."""

    def __init__(self, secret: bytes) -> None:
        """Sign with a key of our own, made of a secret that nobody else has."""
        self._key = hmac.digest(secret, b"dlweb readers 1", "sha256")

    def cookie(self, reader: str, host: str) -> str:
        """Return what a reader's browser remembers at a host."""
        return f"{reader}.{self._sign('cookie', host, reader)}"

    def reader_of(self, cookie: str, host: str) -> str | None:
        """Return whose a cookie is, or None: it is none of ours, or of another host."""
        reader, _, signature = cookie.rpartition(".")
        return reader if self._is_signed(signature, "cookie", host, reader) and reader else None

    def write(self, ticket: Ticket) -> str:
        """Return a ticket as text that a URL can hold."""
        text = urlsafe_b64encode(msgspec.json.encode(ticket)).decode().rstrip("=")
        return f"{text}.{self._sign('ticket', text)}"

    def read(self, text: str, step: str, host: str, address: str, now: float) -> Ticket | None:
        """Return a ticket, or None: it is not ours, too old, or for another step, host, address."""
        said, _, signature = text[:TICKET_LIMIT].rpartition(".")
        if not self._is_signed(signature, "ticket", said):
            return None
        ticket = msgspec.json.decode(urlsafe_b64decode(said + "=" * (-len(said) % 4)), type=Ticket)
        right = (ticket.step, ticket.host, ticket.address) == (step, host, address)
        return ticket if right and now < ticket.until else None

    def _sign(self, *texts: str) -> str:
        said = "\0".join(texts).encode("utf-8", "surrogatepass")
        digest = hmac.new(self._key, said, sha256).digest()
        return urlsafe_b64encode(digest).decode().rstrip("=")

    def _is_signed(self, signature: str, *texts: str) -> bool:
        given = signature.encode("utf-8", "surrogatepass")
        return hmac.compare_digest(given, self._sign(*texts).encode())
