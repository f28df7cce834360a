"""One question of the DNS, and the answer that belongs to it; the messages are Twisted's."""

import struct
from io import BytesIO

from attrs import field, frozen
from twisted.names import dns

_TIMES = 8  # as much as a message has bytes may be read of it, pointers followed
_SPARE = 4096  # and this more, for short messages with long names
_READING = 4  # what each reading costs beyond its bytes


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
            message.decode(_Bounded(data))
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


class _Bounded(BytesIO):
    """Bytes that are not read over and over again.

    Names may point to others, and Twisted knows no longest name: a thousand names that lead to one
    of fifty kilobytes would hold the reactor for half a minute.
    """

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self._left = _TIMES * len(data) + _SPARE

    def read(self, size: int | None = -1, /) -> bytes:
        """Read.

        Raises:
            ValueError: too much was read.
        """
        data = super().read(size)
        self._left -= len(data) + _READING
        if self._left < 0:
            raise ValueError("names that lead in circles, or nearly so")
        return data
