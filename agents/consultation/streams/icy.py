"""Titles put back between the bytes of a stream, where a listener asks for them (ICY). Pure.

Every so many bytes of media comes a block of metadata: a byte that tells its length in sixteens,
and a title if it changed. What was received without a block of its own gets one made of its text.
"""

from agents.stream_log import TitleEntry

METAINT = 16_000  # bytes between two blocks, where the head as received says no number
_LONGEST = 255 * 16


class IcyMux:
    """Puts blocks between bytes.

    Args:
        metaint: bytes of media between two blocks.
    """

    def __init__(self, metaint: int) -> None:
        self._metaint = metaint
        self._left = metaint
        self._said: bytes | None = None

    def feed(self, data: bytes, title: TitleEntry | None) -> bytes:
        """Return the next bytes with blocks between them.

        Args:
            data: bytes of media.
            title: what was last said before they came.
        """
        out = bytearray()
        while len(data) >= self._left:
            out += data[: self._left]
            data = data[self._left :]
            out += self._block(title)
            self._left = self._metaint
        self._left -= len(data)
        return bytes(out + data)

    def _block(self, title: TitleEntry | None) -> bytes:
        said = block_of(title) if title is not None else b"\0"
        if said == self._said:
            return b"\0"
        self._said = said
        return said


def block_of(title: TitleEntry) -> bytes:
    """Return a block with a title: as it came, or made of its text."""
    raw = title.raw.rstrip(b"\0")
    if not raw.startswith(b"Stream"):
        text = title.title.replace("';", "' ;")
        raw = f"StreamTitle='{text}';".encode()
    raw = raw[:_LONGEST]
    sixteens = -(-len(raw) // 16)
    return bytes([sixteens]) + raw.ljust(sixteens * 16, b"\0")


def metaint_of(text: str) -> int:
    """Return the number that a received `icy-metaint` says, or the usual one."""
    is_number = text.isascii() and text.isdigit() and len(text) < 8
    return int(text) if is_number and 256 <= int(text) <= 1 << 20 else METAINT
