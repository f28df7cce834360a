"""What a form or a script sends is looked up; nothing is sent on."""

from agents.consultation.errors import Faulted
from agents.consultation.faults.fault import Fault, wrong_method
from agents.posted import BODY_LIMIT, WITH_BODY, form_as_get, posted_url
from anet.errors import BodyTooLarge
from anet.http import Request

NAMED = frozenset(("POST", "PUT", "PATCH", "DELETE"))
"""Methods whose answers can be in the archive, beside those of GET."""


async def posted_names(request: Request, url: str) -> list[str]:
    """Return the URLs under which the answer to a request may be kept, the likeliest first.

    Raises:
        Faulted: nothing of the sort is kept (405), or its body is too long to be a name (413).
    """
    if request.method not in NAMED:
        raise Faulted(wrong_method(request.method, url))
    try:
        body = await request.read(BODY_LIMIT) if request.method in WITH_BODY else b""
    except BodyTooLarge:
        raise Faulted(too_long(url)) from None
    content_type = request.headers.text(b"content-type")
    as_get = form_as_get(url, content_type, body) if request.method == "POST" else None
    names = [posted_url(url, request.method, content_type, body)]
    return names if as_get is None else [*names, as_get]


def too_long(url: str) -> Fault:
    """Return the fault of a body that is longer than the archive looks up."""
    return Fault(
        413, "too-long", "Too much was sent",
        f"The archive looks up what was answered to forms of up to {BODY_LIMIT // 1024} KiB; "
        "nothing that is sent here reaches the live web.", url,
    )  # fmt: skip


def no_answer(method: str, url: str) -> Fault:
    """Return the fault of something sent to which no answer was archived."""
    return Fault(
        405, "read-only", "The archive is read only",
        f"It holds no answer to this {method}. What is sent here does not reach the live web: "
        "the archive can only repeat what a site has answered to the very same.", url,
    )  # fmt: skip
