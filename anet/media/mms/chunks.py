"""What a server of Windows Media sends in its answer: chunks (MS-WMSP §2.2.3). Sans I/O.

Each begins with `$`, a letter and a length. `$H` brings the header of a file in ASF, `$D` one of
its packets without the zeros that fill it up, `$C` says that another header follows, `$E` that it
ends. The media are the file: its header, then its packets, filled up again.
"""

from attrs import field, frozen

from anet.errors import MalformedMessage
from anet.media.errors import MediaError, StreamBroken, StreamEnded
from anet.media.mms.header import Header, read_header

HEADER_LIMIT = 2**20  # bytes
CHUNK_LIMIT = 20_000  # read at once
GIVEN_LIMIT = 16 * 2**20  # bytes given at once; a chunk of 12 stands for a packet of up to 65,535
_CHUNK = 4  # bytes of what a chunk begins with
_NUMBERED = 8  # bytes before what `$H` and `$D` bring: a number, flags, the length again
_WHOLE = 0x08  # flag of the last part of a header
_MARK = 0x24  # `$`; the highest bit of its byte says nothing to us
_LETTERS = b"HDCEMPT"


@frozen
class Chunk:
    """A chunk.

    Attributes:
        letter: what it is: one of `HDCEMPT`.
        flags: of `$H` and `$D`.
        data: what it brings.
    """

    letter: str
    flags: int
    data: bytes = field(repr=False)


def read_chunk(data: bytes, at: int) -> tuple[Chunk, int] | None:
    """Return the chunk that begins at a byte, and where it ends; None if it is not whole.

    Raises:
        MalformedMessage: none begins there.
    """
    if len(data) - at < _CHUNK:
        return None
    letter = data[at + 1]
    if data[at] & 0x7F != _MARK or letter not in _LETTERS:
        raise MalformedMessage(f"{data[at : at + _CHUNK]!r} is no chunk of Windows Media")
    begin = at + _CHUNK
    end = begin + int.from_bytes(data[at + 2 : at + 4], "little")
    if len(data) < end:
        return None
    if letter not in b"HD":
        return Chunk(chr(letter), 0, data[begin:end]), end
    if end - begin < _NUMBERED:
        raise MalformedMessage(f"a chunk of {end - begin} bytes")
    return Chunk(chr(letter), data[begin + 5], data[begin + _NUMBERED : end]), end


class Unframing:
    """Takes what a server sends; gives the file in ASF that it stands for.

    Attributes:
        header: of the file, once it came.
        end: why nothing more of this file comes; None before.
    """

    def __init__(self) -> None:
        self.header: Header | None = None
        self.end: MediaError | None = None
        self._held = b""
        self._parts = b""  # of a header that is not whole

    def feed(self, data: bytes) -> bytes:
        """Return the next bytes of the file; what comes after its end is left out."""
        data, at = self._held + data, 0
        given: list[bytes] = []
        size = 0
        try:
            while self.end is None and (found := read_chunk(data, at)):
                chunk, at = found
                given.append(self._take(chunk))
                size += len(given[-1])
                if len(given) > CHUNK_LIMIT or size > GIVEN_LIMIT:
                    raise MalformedMessage("more chunks come at once than media can have")
        except MalformedMessage as error:
            self.end = StreamBroken(str(error))
        self._held = data[at:] if self.end is None else b""
        return b"".join(given)

    def _take(self, chunk: Chunk) -> bytes:
        """Return what a chunk adds to the file."""
        if chunk.letter == "D":
            return self._filled_up(chunk.data)
        if chunk.letter == "H":
            return self._header(chunk)
        if chunk.letter == "E":
            self.end = _end(chunk.data)
        elif chunk.letter == "C":
            self.end = StreamBroken("the server goes on with another program")
        return b""

    def _header(self, chunk: Chunk) -> bytes:
        if self.header is not None:
            self.end = StreamBroken("the server goes on with another program")
            return b""
        self._parts += chunk.data
        if len(self._parts) > HEADER_LIMIT:
            raise MalformedMessage(f"the header passes {HEADER_LIMIT} bytes")
        if not chunk.flags & _WHOLE:
            return b""
        self.header = read_header(self._parts)
        return self._parts

    def _filled_up(self, packet: bytes) -> bytes:
        if self.header is None:
            raise MalformedMessage("a packet comes before the header")
        if len(packet) > self.header.packet:
            raise MalformedMessage(f"a packet of {len(packet)} bytes, not of {self.header.packet}")
        return packet.ljust(self.header.packet, b"\0")


def _end(reason: bytes) -> MediaError:
    """Return what an end means: 1 says that another program follows."""
    if int.from_bytes(reason[:4], "little") == 0:
        return StreamEnded("the server ended it")
    return StreamBroken("the server goes on with another program")
