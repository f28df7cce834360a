"""The scheduler's HTTP interface for programs: the operator's methods of HIP, as JSON.

`docs/reference/scheduler-http.md` describes it. `POST /api/METHOD` takes an object of arguments;
what changes nothing is also answered to `GET /api/METHOD?name=value`.
"""

from typing import Any

import msgspec
from twisted.logger import Logger

from agents.page.access import Access
from agents.page.forms import FormRefused, check_origin
from agents.scheduler.desk import Desk
from anet.errors import AnetError, BodyTooLarge, Overloaded
from anet.http import Request, Response, Router
from hip import CallRefused

BODY_LIMIT = 4 * 1024 * 1024  # bytes
# Methods that change nothing; for these, whoever may read the pages may ask.
LOOKS = frozenset(
    {"status", "sites", "crawls", "portion", "find_sites", "site", "graph", "timeline"}
    | {"campaigns", "machines", "streams", "stream_counts", "stream_agents"}
)
_NUMBERS = frozenset({"days", "limit", "sites", "size"})  # parameters of these
_DIGITS = 18  # of a number
_STATUS = {
    "unknown-method": 404,
    "bad-arguments": 400,
    "forbidden": 403,
    "overloaded": 503,
    "failed": 500,
}
_log = Logger()


class Api:
    """Answers programs."""

    def __init__(self, desk: Desk, access: Access) -> None:
        """Answer by the methods of a desk, as far as somebody has access."""
        self._desk, self._access = desk, access

    def add_to(self, router: Router) -> None:
        """Answer under /api."""
        router.route("GET", "/api", self._list)
        router.route("GET", "/api/{method}", self._look)
        router.route("POST", "/api/{method}", self._call)
        router.route("GET", "/api/{rest:path}", self._nothing)

    async def _list(self, _request: Request) -> Response:
        methods = [
            {"name": one.name, "signature": one.signature, "words": one.words}
            | {"get": one.name in LOOKS}
            for one in self._desk.methods()
        ]
        return Response.json(200, {"methods": methods})

    async def _look(self, request: Request, method: str) -> Response:
        if method not in LOOKS and self._desk.has(method):
            words = f"{method} may change something: ask by POST, with a JSON object"
            response = refused(405, "not-by-get", words)
            return Response(405, [*response.headers, (b"Allow", b"POST")], response.body)
        return await self._answer(method, {n: _value(n, text) for n, text in request.query.items()})

    async def _call(self, request: Request, method: str) -> Response:
        if method not in LOOKS:
            refusal = self._access.refusal(request)
            if refusal is not None:
                return refusal_as_json(refusal)
        try:
            check_origin(request)
            arguments = await _arguments(request)
        except FormRefused as error:
            return refused(403, "other-site", str(error))
        except BodyTooLarge:
            return refused(413, "too-large", f"a request has at most {BODY_LIMIT:,} bytes")
        except ValueError as error:
            return refused(400, "bad-request", str(error))
        return await self._answer(method, arguments)

    async def _nothing(self, _request: Request, rest: str) -> Response:
        return refused(404, "unknown-method", f"there is no method {rest[:80]!r}; see GET /api")

    async def _answer(self, method: str, arguments: dict[str, Any]) -> Response:
        try:
            return Response.json(200, await self._desk.call(method, arguments))
        except CallRefused as error:
            return refused(status_of(error.code), error.code, error.message)
        except Overloaded:
            return refused(503, "overloaded", "too many ask at once; try again in a moment")
        except AnetError as error:
            return refused(503, "unavailable", str(error))
        except Exception:
            _log.failure("{method} over HTTP failed", method=method)
            return refused(500, "failed", "this went wrong here; the scheduler's log says how")


def refused(status: int, code: str, words: str) -> Response:
    """Return an error: for programs by its code, and for people in words."""
    return Response.json(status, {"error": code, "message": words})


def refusal_as_json(refusal: Response) -> Response:
    """Return a refusal in plain text as one for programs."""
    assert isinstance(refusal.body, bytes)  # for the type checker
    answer = refused(refusal.status, "credential", refusal.body.decode().strip())
    asked = [field for field in refusal.headers if field[0].lower() == b"www-authenticate"]
    return Response(refusal.status, [*asked, *answer.headers], answer.body)


def status_of(code: str) -> int:
    """Return the HTTP status of a refusal by its code."""
    if code in _STATUS:
        return _STATUS[code]
    if code.startswith("no-"):
        return 404
    return 400 if code.startswith("bad-") else 409


async def _arguments(request: Request) -> dict[str, Any]:
    """Return the arguments in the body of a request.

    Raises:
        ValueError: it is no JSON object, in words.
        BodyTooLarge: it is too large.
    """
    kind = request.headers.text(b"content-type").partition(";")[0].strip().lower()
    if kind != "application/json":  # a page in a browser cannot send this to another site
        raise ValueError("send a JSON object, with Content-Type: application/json")
    body = await request.read(BODY_LIMIT)
    try:
        return msgspec.json.decode(body or b"{}", type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise ValueError(f"the body is no JSON object: {error}") from None


def _value(name: str, text: str) -> str | int:
    """Return a parameter of a query: a number where one is meant."""
    return int(text) if name in _NUMBERS and text.isdecimal() and len(text) <= _DIGITS else text
