"""Which handler answers which path."""

import re
from collections.abc import Awaitable, Callable
from typing import Any

from anet.http.request import Request
from anet.http.response import Response

_FIELD = re.compile(r"\{(\w+)(:path)?\}")


class Router:
    """A table of methods and patterns; itself a handler.

    A pattern is a path in which `{name}` stands for one segment and `{name:path}` for any
    rest. GET answers HEAD too. An unknown path gets 404, a known one with another method 405.
    """

    def __init__(self) -> None:
        self._routes: list[
            tuple[re.Pattern[str], dict[str, Callable[..., Awaitable[Response]]]]
        ] = []
        self._patterns: dict[str, dict[str, Callable[..., Awaitable[Response]]]] = {}

    def route(self, method: str, pattern: str, handler: Callable[..., Awaitable[Response]]) -> None:
        """Let `handler` answer; it is called with the request and what the pattern captured."""
        if pattern not in self._patterns:
            self._patterns[pattern] = {}
            self._routes.append((_compile(pattern), self._patterns[pattern]))
        self._patterns[pattern][method] = handler

    async def __call__(self, request: Request) -> Response:
        """Answer a request."""
        path = request.path
        for expression, handlers in self._routes:
            match = expression.fullmatch(path)
            if match is None:
                continue
            method = (
                "GET" if request.method == "HEAD" and "HEAD" not in handlers else request.method
            )
            handler: Any = handlers.get(method)
            if handler is None:
                allowed = ", ".join(sorted(handlers)).encode()
                return Response(405, [(b"Allow", allowed)], b"This path takes other methods.\n")
            response: Response = await handler(request, **match.groupdict())
            return response
        return Response.text(404, "There is nothing here.\n")


def _compile(pattern: str) -> re.Pattern[str]:
    parts: list[str] = []
    end = 0
    for field in _FIELD.finditer(pattern):
        parts.append(re.escape(pattern[end : field.start()]))
        parts.append(f"(?P<{field[1]}>{'.*' if field[2] else '[^/]+'})")
        end = field.end()
    return re.compile("".join(parts) + re.escape(pattern[end:]), re.DOTALL)
