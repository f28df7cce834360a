"""Answering only under names that cannot be somebody else's.

A web site may let its own name lead to this machine (DNS rebinding); a browser then takes what
answers here for a part of that site, and its scripts may read it. An address, a name of one label
and a name that the operator has configured cannot be such a site's.
"""

from collections.abc import Awaitable, Callable, Collection
from functools import lru_cache
from ipaddress import ip_address

from twisted.internet.defer import Deferred

from anet.http.plain import PlainPut, Prompt, Taker
from anet.http.request import Request
from anet.http.response import Response

_Handler = Callable[[Request], Awaitable[Response]]

_REFUSAL = (
    "These pages are not served under this name, which could belong to a web site that wants to "
    "read them. Ask by IP address, or configure the name.\n"
)


def guarded(handler: _Handler, names: Collection[str] = ()) -> _Handler:
    """Return a handler that refuses (421) requests under a name that may not be ours.

    Args:
        handler: what answers the others.
        names: further names that are ours; with or without a port.
    """
    ours = {_name(each) for each in names}

    async def answer(request: Request) -> Response:
        if is_ours(request, ours):
            return await handler(request)
        return Response.text(421, _REFUSAL)

    return answer


def guarded_prompt(prompt: Prompt, names: Collection[str] = ()) -> Prompt:
    """Return a prompt (see `HttpServer`) that leaves requests under other names to the handler."""
    is_known = _known(names)

    def answer(target: str, host: bytes) -> bytes | None:
        return prompt(target, host) if is_known(host) else None

    return answer


def guarded_taker(taker: Taker, names: Collection[str] = ()) -> Taker:
    """Return a taker (see `HttpServer`) that leaves requests under other names to the handler."""
    is_known = _known(names)

    def take(put: PlainPut) -> Deferred[bytes] | None:
        return taker(put) if is_known(put.host) else None

    return take


def _known(names: Collection[str]) -> Callable[[bytes], bool]:
    """Return what tells, of a `Host` field, whether it names us."""
    ours = {_name(each) for each in names}

    @lru_cache(maxsize=256)
    def is_known(host: bytes) -> bool:
        return _is_our_name(_name(host.decode("latin-1").strip()), ours)

    return is_known


def is_ours(request: Request, names: Collection[str] = ()) -> bool:
    """Tell whether the host that a request names is an address, of one label, or in `names`."""
    return _is_our_name(_name(request.headers.text(b"host")), names)


def _is_our_name(name: str, names: Collection[str]) -> bool:
    if "." not in name and ":" not in name:
        return True  # localhost, storage-2, or no name at all
    if name in names:
        return True
    try:
        ip_address(name.partition("%")[0])
    except ValueError:
        return False
    return True


def _name(authority: str) -> str:
    """Return the host of `host:port`, lower-case, without brackets and final dot."""
    if authority.startswith("["):
        return authority[1:].partition("]")[0].lower()
    return authority.partition(":")[0].lower().rstrip(".")
