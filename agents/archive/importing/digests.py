"""Digests as WARC records declare them (`WARC-Payload-Digest: sha1:BASE32`), as values."""

import hashlib
import re
from collections.abc import Callable
from typing import Any

_SIZES = {"md5": 16, "sha1": 20, "sha224": 28, "sha256": 32, "sha384": 48, "sha512": 64}
_LENGTH_LIMIT = 200  # characters of a digest that is looked at
_BASE32 = str.maketrans(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567abcdefghijklmnopqrstuvwxyz",
    "0123456789abcdefghijklmnopqrstuv0123456789abcdefghijklmnop",
)
_IS_BASE32 = re.compile("[A-Za-z2-7]+").fullmatch

Digest = tuple[str, bytes]
"""An algorithm and its bytes."""


def declared(text: str) -> Digest | None:
    """Return what a field declares, or None when it is no digest of a kind that is known here.

    Base32 is what most write, hexadecimal what some do; the length tells them apart.
    """
    name, colon, value = text[:_LENGTH_LIMIT].partition(":")
    name = name.strip().lower().replace("-", "")
    size = _SIZES.get(name)
    if not colon or size is None:
        return None
    value = value.strip().rstrip("=")
    try:
        if len(value) == 2 * size:
            return name, bytes.fromhex(value)
        return name, _from_base32(value, size)
    except (ValueError, OverflowError):
        return None


def _from_base32(value: str, size: int) -> bytes:
    """Return the bytes of a text in base32, at a tenth of what the standard library takes.

    Raises:
        ValueError: it is none of that size.
    """
    digits = value.translate(_BASE32)
    if len(digits) != (size * 8 + 4) // 5 or not _IS_BASE32(value):
        raise ValueError(f"not base32 of {size} bytes: {value[:80]!r}")
    padding = len(digits) * 5 - size * 8
    return (int(digits, 32) >> padding).to_bytes(size, "big")


def key_of(digest: Digest) -> bytes:
    """Return what a digest is found by in an index."""
    return digest[0].encode() + b":" + digest[1]


def digester(name: str) -> Callable[..., Any]:
    """Return what makes digests of an algorithm that `declared` knows."""
    return getattr(hashlib, name)  # type: ignore[no-any-return]
