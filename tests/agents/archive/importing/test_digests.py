"""Digests as records declare them."""

from base64 import b32encode
from hashlib import new

from hypothesis import given
from hypothesis import strategies as st

from agents.archive.importing.digests import declared, digester, key_of

ALGORITHMS = st.sampled_from(["md5", "sha1", "sha256", "sha512"])


@given(ALGORITHMS, st.binary(max_size=50), st.booleans(), st.booleans())
def test_base32_and_hexadecimal_are_read(
    name: str, body: bytes, hexadecimal: bool, small: bool
) -> None:
    """Both ways in which digests are written give their bytes, in letters of either size."""
    digest = new(name, body).digest()
    text = digest.hex() if hexadecimal else b32encode(digest).decode()
    text = text.lower() if small else text.upper()
    assert declared(f"{name}:{text}") == (name, digest)
    assert declared(f"{name.upper()}:{text.rstrip('=')}") == (name, digest)
    assert digester(name)(body).digest() == digest


@given(st.text(max_size=300) | st.from_regex(r"sha1:.{30,42}"))
def test_whatever_is_written_gives_a_digest_of_the_right_size_or_none(text: str) -> None:
    """No text raises, and none gives a digest that its algorithm has not."""
    found = declared(text)
    if found is not None:
        assert len(found[1]) == digester(found[0])().digest_size
        assert key_of(found).startswith(found[0].encode() + b":")


def test_what_is_no_digest_is_none() -> None:
    """Unknown algorithms, wrong lengths and letters that base32 lacks are not guessed at."""
    for text in ("", "sha1", "sha1:", "xxh:AAAA", "sha1:" + "A" * 31, "sha1:" + "1" * 32):
        assert declared(text) is None
