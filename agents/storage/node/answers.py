"""What the parts of a storage node's HTTP interface share: refusals, errors, parameters."""

from collections.abc import Awaitable, Callable, Collection
from functools import wraps
from hmac import compare_digest
from typing import Any

from cryptography.x509 import Certificate

from agents.capture import is_key
from agents.dates import InvalidDate, parse
from agents.storage.errors import (
    DamagedStructure,
    DigestMismatch,
    DiskFailed,
    DiskFull,
    InvalidCapture,
    StorageError,
)
from agents.storage.stores.errors import StoreRefused, StoreUnreachable
from anet.errors import Overloaded
from anet.http import Request, Response

Method = Callable[..., Awaitable[Response]]
Trusts = Callable[[Certificate | None, Collection[str]], bool]

WRITERS = ("connectivity", "index-node")  # roles of who brings something

LISTING_LIMIT = 10_000  # keys of one listing


_NO_WRITER = (
    "Writing needs a certificate of the archive's authority that is not revoked, with the role "
    f"{' or '.join(WRITERS)}: `hip certs create`.\n"
)


class BadRequest(StorageError):
    """The request makes no sense; the message says why."""


_STATUS: dict[type[Exception], int] = {
    BadRequest: 400,
    InvalidCapture: 400,
    DigestMismatch: 409,
    DamagedStructure: 500,
    Overloaded: 503,
    DiskFull: 507,
    DiskFailed: 507,
    StoreUnreachable: 503,
    StoreRefused: 503,
}


def answers(method: Method) -> Method:
    """Turn what can go wrong into the status that docs/reference/storage-http.md names."""

    @wraps(method)
    async def answer(*args: Any, **kwargs: Any) -> Response:
        try:
            return await method(*args, **kwargs)
        except (StorageError, Overloaded) as error:
            return Response.text(_STATUS.get(type(error), 500), f"{error}\n")

    return answer


class Credential:
    """What every write must show: the archive's secret, and over TLS a certificate too.

    Args:
        secret: the archive's.
        trusts: tells whether a certificate is good, and has one of some roles; without it none is
            asked for.
    """

    def __init__(self, secret: str, trusts: Trusts | None = None) -> None:
        self._wanted = f"Bearer {secret}".encode()
        self._trusts = trusts

    def suffices(self, shown: bytes) -> bool:
        """Tell whether the secret alone was asked for, and shown."""
        return self._trusts is None and compare_digest(shown, self._wanted)

    def refusal(self, request: Request) -> Response | None:
        """Return what to answer a request that lacks something, or None for one that has all."""
        shown = request.headers.get(b"authorization") or b""
        if not compare_digest(shown, self._wanted):
            text = (
                "Writing needs the archive's secret, Authorization: Bearer …, which stands in the "
                "file `secret` of the archive's folder; copy it from the storage node's machine.\n"
            )
            return Response(401, [(b"WWW-Authenticate", b"Bearer")], text.encode())
        if self._trusts is not None and not self._trusts(request.certificate, WRITERS):
            return Response.text(403, _NO_WRITER)
        return None


def not_a_key() -> Response:
    """Refuse what is no key."""
    return Response.text(400, "A key is a SHA-256 in 64 lower-case hexadecimal digits.\n")


def not_held(key: str) -> Response:
    """Say that the node lacks a key."""
    return Response.text(404, f"This node does not hold {key}.\n")


def date_of(text: str) -> str:
    """Return the date that a parameter says.

    Raises:
        BadRequest: it is none.
    """
    try:
        return parse(text)
    except InvalidDate as error:
        raise BadRequest(str(error)) from None


def number_of(query: dict[str, str], name: str, default: int) -> int:
    """Return a parameter that is a number.

    Raises:
        BadRequest: it is none.
    """
    text = query.get(name, str(default))
    if not (text.isascii() and text.isdigit() and len(text) <= 15):
        raise BadRequest(f"{name} is a number, not {text[:40]!r}")
    return int(text)


def page_of(request: Request) -> tuple[str, int]:
    """Return the last key seen, and how many to list.

    Raises:
        BadRequest: one of them is no such thing.
    """
    query = request.query
    after = query.get("after", "")
    if after and not is_key(after):
        raise BadRequest("after is the last key seen, 64 hexadecimal digits")
    return after, max(1, min(number_of(query, "limit", 1000), LISTING_LIMIT))
