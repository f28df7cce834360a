"""Pages are answered under names that are ours, and under no other."""

import pytest
from pytest_twisted import ensureDeferred

from anet.http import Headers, Request, Response, guarded


async def page(_: Request) -> Response:
    """Answer."""
    return Response.text(200, "our page")


@pytest.mark.parametrize(
    ("host", "status"),
    [
        (b"127.0.0.1:7107", 200),
        (b"[::1]:7107", 200),
        (b"::1", 200),
        (b"192.168.1.7", 200),
        (b"localhost", 200),
        (b"storage-2:7112", 200),
        (b"archive.example:7107", 200),
        (b"ARCHIVE.example.", 200),
        (b"", 200),
        (b"evil.example:7107", 421),
        (b"127.0.0.1.evil.example", 421),
        (b"localhost.evil.example", 421),
        (b"[::1].evil.example", 200),
        (b"\xff.evil.example", 421),
    ],
)
@ensureDeferred
async def test_only_our_own_names_are_answered(host: bytes, status: int) -> None:
    """A name that leads here by somebody else's DNS is refused; no browser sends the odd one."""
    handler = guarded(page, ["archive.example:80"])
    response = await handler(Request("GET", "/", Headers([(b"Host", host)])))
    assert response.status == status
