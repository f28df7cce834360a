"""Content codings undone piece by piece, whatever comes."""

import gzip
import zlib
from collections.abc import Callable

import brotli
import pytest
from backports import zstd
from hypothesis import given
from hypothesis import strategies as st

from agents import decoding as module
from agents.decoding import FREE, PIECE, RATIO_LIMIT, Decoding


def bare(body: bytes) -> bytes:
    """Return a body deflated without any wrapping, as some servers do."""
    deflate = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return deflate.compress(body) + deflate.flush()


def twice(coded: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
    """Return what codes a body in two halves, one after the other."""
    return lambda body: coded(body[: len(body) // 2]) + coded(body[len(body) // 2 :])


CODED: list[tuple[str, Callable[[bytes], bytes]]] = [
    ("gzip", gzip.compress),
    ("X-GZIP", twice(gzip.compress)),
    ("deflate", zlib.compress),
    ("deflate", bare),
    ("br", brotli.compress),
    ("zstd", zstd.compress),
    ("zstd", twice(zstd.compress)),
    ("gzip, br", lambda body: brotli.compress(gzip.compress(body))),
]


def decoded(coding: str, body: bytes, step: int = 10**9) -> tuple[bytes, bool]:
    """Return what a body stands for, and whether something is missing."""
    decoding = Decoding.of(coding)
    assert decoding is not None
    pieces = [
        piece for at in range(0, len(body), step) for piece in decoding.pieces(body[at : at + step])
    ]
    assert all(len(piece) <= 4 * PIECE for piece in pieces)
    return b"".join(pieces), decoding.cut


@given(st.sampled_from(CODED), st.binary(max_size=2000), st.integers(1, 3000), st.integers(1, 90))
def test_any_body_in_any_chunks(
    coded: tuple[str, Callable[[bytes], bytes]], body: bytes, step: int, times: int
) -> None:
    """What was coded comes back, however it was cut."""
    coding, code = coded
    assert decoded(coding, code(body * times), step) == (body * times, False)


@given(st.sampled_from(["gzip", "deflate", "br", "zstd", "zstd,gzip"]), st.binary(), st.integers(1))
def test_any_bytes(coding: str, body: bytes, step: int) -> None:
    """Nonsense gives what it may, and never an error."""
    decoded(coding, body, step)


@pytest.mark.parametrize(
    ("coding", "code"),
    [("gzip", gzip.compress), ("br", brotli.compress), ("zstd", zstd.compress)],
)
def test_bombs(coding: str, code: Callable[[bytes], bytes]) -> None:
    """A small body that becomes very large is cut where no page has come before."""
    body = code(bytes(40 * 2**20))
    found, cut = decoded(coding, body)
    assert cut
    assert len(found) <= max(FREE, RATIO_LIMIT * len(body))


def test_the_total_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the ratio, there is a most."""
    monkeypatch.setattr(module, "TOTAL_LIMIT", 1000)
    assert decoded("gzip", gzip.compress(b"x" * 1001)) == (b"x" * 1000, True)
    assert decoded("gzip", gzip.compress(b"x" * 1000)) == (b"x" * 1000, False)


@pytest.mark.parametrize("coding", ["", "identity", "compress", "gzip,gzip,gzip,gzip", "br, lzma"])
def test_what_is_not_decoded(coding: str) -> None:
    """No coding, unknown ones, and towers of them are left as they are."""
    assert Decoding.of(coding) is None
