"""The archive's own cookies among those of the archived web. Pure.

Their names are ours alone: archived scripts cannot read them (`HttpOnly`), and what comes behind
the doors never sees them. One that https:// has set would hide one of the same name from http://,
so each has its own.
"""

from collections.abc import Iterator

from anet.http.message import Headers

PLAIN = "dlweb-reader"
SECURE = "__Host-dlweb-reader"
_LIFE = 400 * 86_400  # seconds; browsers keep none for longer
_TRIED = 10  # cookies of our names that are looked at; scripts may have set some


def set_cookie(value: str, *, secure: bool) -> tuple[bytes, bytes]:
    """Return the field that has a browser remember a cookie of ours at the host it asked."""
    name, end = (SECURE, "; Secure") if secure else (PLAIN, "")
    text = f"{name}={value}; Path=/; Max-Age={_LIFE}; HttpOnly; SameSite=Lax{end}"
    return b"Set-Cookie", text.encode("ascii")


def ours(headers: Headers, *, secure: bool) -> list[str]:
    """Return the values of our cookies in a request; the surest first."""
    names = (SECURE, PLAIN) if secure else (PLAIN,)
    found = [pair.partition("=") for pair in _pairs(headers) if _is_ours(pair)]
    return [value for name in names for key, _, value in found if key == name][:_TRIED]


def without_ours(headers: Headers) -> Headers:
    """Return the fields of a request without our cookies in them."""
    if not any(_is_ours(pair) for pair in _pairs(headers)):
        return headers
    others = "; ".join(pair for pair in _pairs(headers) if not _is_ours(pair))
    rest = [field for field in headers if field[0].lower() != b"cookie"]
    return Headers([*rest, (b"Cookie", others.encode("latin-1"))] if others else rest)


def _pairs(headers: Headers) -> Iterator[str]:
    for value in headers.get_all(b"cookie"):
        yield from (pair.strip() for pair in value.decode("latin-1").split(";") if pair.strip())


def _is_ours(pair: str) -> bool:
    return pair.partition("=")[0] in (PLAIN, SECURE)
