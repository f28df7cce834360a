"""Questions and answers as datagrams: small and bounded; one that is not ours is refused.

question: "MQ1?" number(8) length(1) kind length(1) key
answer:   "MQ1!" number(8) rank(8) length(2) place

Each goes out with a seal of 16 bytes after it; see `seal`.
"""

import struct

from attrs import frozen

from anet.errors import AnetError

KIND_LIMIT = 32  # bytes
KEY_LIMIT = 64
PLACE_LIMIT = 300
_QUESTION = b"MQ1?"
_ANSWER = b"MQ1!"


class MalformedDatagram(AnetError):
    """The bytes are neither question nor answer."""


@frozen
class Question:
    """Who has this key?

    Attributes:
        number: tells answers to different questions apart; eight random bytes.
        kind: what is looked for.
        key: which one.
    """

    number: bytes
    kind: str
    key: bytes

    def encode(self) -> bytes:
        """Return the datagram."""
        kind = self.kind.encode("ascii")
        return b"".join(
            (_QUESTION, self.number, bytes([len(kind)]), kind, bytes([len(self.key)]), self.key)
        )

    @classmethod
    def decode(cls, data: bytes) -> "Question":
        """Read a datagram.

        Raises:
            MalformedDatagram: it is no question.
        """
        if data[:4] != _QUESTION or not 14 < len(data) <= 14 + KIND_LIMIT + KEY_LIMIT:
            raise MalformedDatagram("not a question")
        end = 13 + data[12]
        kind = data[13:end]
        if end >= len(data) or len(data) != end + 1 + data[end]:
            raise MalformedDatagram("a question of another length than it says")
        if not kind.isascii() or not 1 <= data[end] <= KEY_LIMIT or len(kind) > KIND_LIMIT:
            raise MalformedDatagram("a question about nothing")
        return cls(data[4:12], kind.decode("ascii"), data[end + 1 :])


@frozen
class Answer:
    """It is here.

    Attributes:
        number: of the question.
        place: where; a base URL.
        rank: how good this one is; of several the highest is the best.
    """

    number: bytes
    place: str
    rank: int = 0

    def encode(self) -> bytes:
        """Return the datagram."""
        place = self.place.encode("ascii")
        return _ANSWER + self.number + struct.pack("!QH", self.rank, len(place)) + place

    @classmethod
    def decode(cls, data: bytes) -> "Answer":
        """Read a datagram.

        Raises:
            MalformedDatagram: it is no answer.
        """
        if data[:4] != _ANSWER or not 22 < len(data) <= 22 + PLACE_LIMIT:
            raise MalformedDatagram("not an answer")
        rank, length = struct.unpack("!QH", data[12:22])
        place = data[22:]
        if len(place) != length or not place.isascii():
            raise MalformedDatagram("an answer of another length than it says")
        return cls(data[4:12], place.decode("ascii"), rank)
