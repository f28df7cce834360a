"""A coding is undone for whom it would be no use, and for nobody else."""

import gzip

import pytest
from pytest_twisted import ensureDeferred

from agents.consultation.errors import ContentDamaged
from agents.consultation.proxy.codings import Decoded, takes
from agents.decoding import Decoding


@pytest.mark.parametrize(
    ("accepted", "coding", "taken"),
    [
        (None, b"gzip", True),
        (b"gzip, deflate", b"gzip", True),
        (b"gzip, deflate", b"x-gzip", True),
        (b"GZip;q=0.5", b"gzip", True),
        (b"gzip, deflate", b"br", False),
        (b"gzip, br", b"gzip, br", True),
        (b"gzip", b"gzip, br", False),
        (b"", b"gzip", False),
        (b"identity", b"gzip", False),
        (b"identity", b"identity", True),
        (b"identity", b"", True),
        (b"*", b"br", True),
        (b"*;q=0", b"br", False),
        (b"gzip;q=0, *", b"gzip", False),
        (b"br;q=0.000", b"br", False),
        (b"identity;q=1, *;q=0", b"gzip", False),
    ],
)
def test_what_a_client_takes(accepted, coding, taken):
    """As RFC 9110 §12.5.3 has it; who says nothing takes all."""
    assert takes(accepted, coding) is taken


class Pieces:
    """A content of a few pieces that notes whether it was let go."""

    def __init__(self, body):
        self.left = [body[at : at + 7] for at in range(0, len(body), 7)]
        self.closed = False

    def __aiter__(self):
        return self

    async def __anext__(self):
        if not self.left:
            raise StopAsyncIteration
        return self.left.pop(0)

    async def aclose(self):
        self.closed = True


@ensureDeferred
async def test_the_bytes_are_decoded_as_they_come():
    """What is given is what the coding stands for, and the content is let go with it."""
    body = bytes(range(256)) * 1000
    pieces = Pieces(gzip.compress(body))
    decoded = Decoded(pieces, Decoding.of("gzip"))
    assert b"".join([piece async for piece in decoded]) == body
    await decoded.aclose()
    assert pieces.closed


@ensureDeferred
async def test_what_is_not_of_its_coding_never_looks_whole():
    """An answer that cannot be decoded breaks off."""
    decoded = Decoded(Pieces(b"not gzip at all"), Decoding.of("gzip"))
    with pytest.raises(ContentDamaged):
        [piece async for piece in decoded]
