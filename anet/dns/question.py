"""One question of the DNS, and the answer that belongs to it; the messages are Twisted's."""

import struct

from attrs import field, frozen
from twisted.names import dns

KINDS = {dns.A: "IPv4", dns.AAAA: "IPv6"}


@frozen
class Question:
    """A question about one name.

    Attributes:
        name: the name asked about, in ASCII.
        kind: which records: `twisted.names.dns.A` or `AAAA`.
        number: sixteen random bits by which the answer is known.
    """

    name: str
    kind: int
    number: int = field(factory=dns.randomSource)

    def to_bytes(self) -> bytes:
        """Return the message that asks."""
        message = dns.Message(self.number, recDes=1)
        message.queries = [dns.Query(self.name, self.kind, dns.IN)]
        return bytes(message.toStr())

    def answer(self, data: bytes) -> dns.Message | None:
        """Return the answer that `data` holds; None when it is not one to this question.

        What another sends in the server's name must guess the number and the port; it is passed
        over, and the true answer waited for.
        """
        if data[:2] != struct.pack("!H", self.number):
            return None
        message = dns.Message()
        try:
            message.fromStr(data)
        except (EOFError, ValueError):
            return None
        if not message.answer or message.opCode != dns.OP_QUERY or not self._repeated_in(message):
            return None
        return message

    def _repeated_in(self, message: dns.Message) -> bool:
        """Tell whether a message repeats the question; a bare complaint need not."""
        if not message.queries:
            return message.rCode not in (dns.OK, dns.ENAME)
        return bool(message.queries == [dns.Query(self.name, self.kind, dns.IN)])
