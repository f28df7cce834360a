"""Content codings that a client does not take are undone on the way (RFC 9110 §12.5.3)."""

import re
from collections.abc import AsyncIterator

from agents.consultation.errors import ContentDamaged
from agents.decoding import Decoding

_NO_WEIGHT = re.compile(rb"q[ \t]*=[ \t]*0(\.0*)?[ \t]*")


def takes(accepted: bytes | None, coding: bytes) -> bool:
    """Tell whether a client takes a `Content-Encoding`.

    Args:
        accepted: what its `Accept-Encoding` says; None if it says nothing: then it takes any.
        coding: as the web gave it, maybe several, maybe none.
    """
    names = {_plain(name) for name in coding.split(b",")} - {b"", b"identity"}
    if accepted is None or not names:
        return True
    weights: dict[bytes, bool] = {}
    for each in accepted.split(b","):
        name, _, weight = each.partition(b";")
        weights[_plain(name)] = _NO_WEIGHT.fullmatch(weight.strip().lower()) is None
    others = weights.get(b"*", False)
    return all(weights.get(name, others) for name in names)


def _plain(name: bytes) -> bytes:
    return name.strip().lower().removeprefix(b"x-")


class Decoded:
    """A content without its codings; as long as nobody reads, nothing is decoded."""

    def __init__(self, content: AsyncIterator[bytes], decoding: Decoding) -> None:
        self._content = content
        self._decoding = decoding
        self._pieces = self._read()

    def __aiter__(self) -> "Decoded":
        return self

    async def __anext__(self) -> bytes:
        return await anext(self._pieces)

    async def _read(self) -> AsyncIterator[bytes]:
        async for chunk in self._content:
            for piece in self._decoding.pieces(chunk):
                yield piece
            if self._decoding.cut:  # the client must not take the part for the whole
                raise ContentDamaged("its bytes are not of the coding that its head names")

    async def aclose(self) -> None:
        """Let go of the content."""
        close = getattr(self._content, "aclose", None)
        if close is not None:
            await close()
