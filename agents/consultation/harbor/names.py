"""Names under `dlweb`: `http://calendar.dlweb/` is a way to a page of the harbor (*INA §2.4.3*).

A name only leads to its page at `http://dlweb/`, as `https://dlweb/` does, so that the harbor stays
one origin, with one guard of its forms. A name of digits is a door to a date: it proposes the date,
and the reader presses the button, for no link of an archived page shall change what the reader
reads.
"""

import re

from agents.consultation.errors import Faulted
from agents.consultation.faults.fault import Fault
from agents.consultation.harbor.asked import is_absolute
from agents.consultation.harbor.parts import path_to
from agents.urls import canonical, host, target
from anet.http import Handler, Request, Response

TOP = "dlweb"
PAGES = {
    "calendar": "/calendar",
    "captures": "/captures",
    "certificate": "/certificate",
    "difference": "/difference",
    "missing": "/missing",
    "page": "/page",
    "search": "/urls",
    "settings": "/settings",
    "streams": "/streams",
    "urls": "/urls",
}
_DATE = re.compile(r"\d{4}(?:\d\d){0,5}")


def path_of(name: str) -> str | None:
    """Return the path of the page that a host leads to, or None when there is no such harbor.

    Args:
        name: a host in small letters, such as `calendar.dlweb` or `20100101.dlweb`.
    """
    if name == TOP:
        return "/"
    first, dot, top = name.partition(".")
    if not dot or top != TOP:
        return None
    return path_to("/", date=first) if _DATE.fullmatch(first) else PAGES.get(first)


def named(harbor: Handler) -> Handler:
    """Return a handler that leads from names under `dlweb` to their pages, and else is `harbor`.

    It raises `Faulted` for a name that is no harbor's.
    """

    async def answer(request: Request) -> Response:
        url = canonical(request.target) if is_absolute(request) else None
        if url is None or url.startswith(f"http://{TOP}/"):
            return await harbor(request)
        return Response.redirect(f"http://{TOP}{_page_of(url)}", 302)

    return answer


def _page_of(url: str) -> str:
    """Return path and query of the page that another URL under `dlweb` leads to."""
    name, asked = host(url), target(url)
    if name == TOP:
        return asked
    path = path_of(name)
    if path is None:
        raise Faulted(_no_such_harbor(name))
    query = asked.partition("?")[2]
    return f"{path}?{query}" if query and "?" not in path else path


def _no_such_harbor(name: str) -> Fault:
    known = ", ".join(f"{each}.{TOP}" for each in PAGES)
    message = f"There is no {name}. The archive's harbor is http://{TOP}/; names under it: {known}."
    return Fault(404, "unknown-harbor", "No such harbor", message)
