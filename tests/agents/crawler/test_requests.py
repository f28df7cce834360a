"""What crawlers sent, as their captures keep it."""

import base64
from typing import Any

from pytest_twisted import ensureDeferred

from agents.order import Access, Cookie, Credential
from agents.origin import request_of
from anet.http import Request, Response
from tests.agents.crawler.fetching import scripted

ANSWER = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nSet-Cookie: own=1\r\nContent-Length: 14\r\n\r\n"
    b"<a href=/next>"
)


def sent(result: Any) -> list[Any]:
    """Return the requests that the captures of a crawl keep."""
    return [request_of(line["origin"]) for line in result.lines]


@ensureDeferred
async def test_requests_are_kept_as_they_were_sent(crawl: Any) -> None:
    """Byte for byte, with what a site's own cookies are, for the heads of answers tell them too."""
    server = scripted((ANSWER, False))
    try:
        result = await crawl(server.url)
    finally:
        await server.port.stopListening()
    kept = [each.head for each in sent(result)]
    assert kept == server.requests
    assert len(kept) > 2 and b"\r\nCookie: own=1\r\n" in kept[-1]
    assert not any(each.without for each in sent(result))


@ensureDeferred
async def test_secrets_of_an_order_are_not_kept(web: Any, crawl: Any) -> None:
    """Neither credentials nor cookies; the names of their fields are."""

    def inside(request: Request) -> Response:
        if b"authorization" not in request.headers:
            return Response(401, [(b"WWW-Authenticate", b'Basic realm="r"')], b"who?")
        return Response.html(200, "<a href=/next>")

    web.pages |= {"/": inside, "/next": inside}
    access = Access(
        given_cookies=(Cookie("127.0.0.1", "key", "treasure"),),
        credentials=(Credential(f"127.0.0.1:{web.server.port}", "me", "password"),),
    )
    result = await crawl(web.url, access=access)
    page = next(each for each in result.lines if each["url"] == f"{web.url}next")
    kept = request_of(page["origin"])
    assert kept is not None
    assert kept.without == "Cookie, Authorization"
    assert kept.head.startswith(b"GET /next HTTP/1.1\r\nHost: ")
    for path in (path for path in result.directory.rglob("*") if path.is_file()):
        text = path.read_bytes()
        assert not any(
            secret in text for secret in (b"treasure", base64.b64encode(b"me:password"))
        ), path


@ensureDeferred
async def test_what_is_asked_when_only_changes_are_wanted(web: Any, crawl: Any) -> None:
    """The conditions are there, in the capture that repeats the former one."""

    def page(request: Request) -> Response:
        if request.headers.get(b"if-none-match") == b'"1"':
            return Response(304, [(b"ETag", b'"1"')])
        return Response(200, [(b"ETag", b'"1"'), (b"Content-Type", b"text/html")], b"same")

    web.pages["/"] = page
    first = await crawl(web.url)
    again = await crawl(
        web.url, name="again", former=str(first.directory), access=Access(conditional=True)
    )
    line = next(each for each in again.lines if each["url"] == web.url)
    assert "revisit: not-modified" in line["origin"]
    kept = request_of(line["origin"])
    assert kept is not None and b'\r\nIf-None-Match: "1"\r\n' in kept.head
