"""A seal on every datagram, so that only those who share a secret are heard.

Whoever is on the network can hear a question and answer it; without a seal, they could send the
one who asks to a place of their own. The number in a question is random and in its answer, so an
answer heard before opens no later question.
"""

from hashlib import blake2b
from hmac import compare_digest

from anet.multicast.datagrams import MalformedDatagram

SIZE = 16  # bytes
_PURPOSE = b"anet.multicast 1"


class Seal:
    """Closes and opens datagrams with a secret; an empty one proves nothing but wholeness."""

    def __init__(self, secret: str) -> None:
        self._key = blake2b(secret.encode()).digest() if secret else b""

    def close(self, data: bytes) -> bytes:
        """Return a datagram with its seal."""
        return data + self._of(data)

    def open(self, sealed: bytes) -> bytes:
        """Return a datagram without its seal.

        Raises:
            MalformedDatagram: it was not sealed with our secret.
        """
        data, seal = sealed[:-SIZE], sealed[-SIZE:]
        if not compare_digest(seal, self._of(data)):
            raise MalformedDatagram("not sealed with our secret")
        return data

    def _of(self, data: bytes) -> bytes:
        return blake2b(data, digest_size=SIZE, key=self._key, person=_PURPOSE).digest()
