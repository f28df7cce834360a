"""A crawl among servers that break off."""

from hashlib import sha256
from typing import Any

from pytest_twisted import ensureDeferred

from tests.agents.crawler.fetching import scripted

PLAIN = b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"
RANGED = PLAIN.replace(b"\r\n\r\n", b'\r\nAccept-Ranges: bytes\r\nETag: "1"\r\n\r\n')
REST = b"HTTP/1.1 206 X\r\nContent-Length: 6\r\nContent-Range: bytes 4-9/10\r\n\r\n456789"


def origin(line: dict[str, Any]) -> dict[str, str]:
    """Return the origin of a capture by name."""
    return dict(each.split(": ", 1) for each in line["origin"].splitlines())


@ensureDeferred
async def test_a_download_is_whole_after_all(crawl: Any) -> None:
    """Content and signature are of the whole; the capture says that it was gone on with."""
    server = scripted((RANGED + b"0123", True), (REST, False))
    result = await crawl(server.url, politeness={"robots": False})
    line = result.lines[0]
    assert line["content"] == sha256(b"0123456789").hexdigest()
    assert (line["size"], origin(line)["resumed"]) == (10, "1")
    assert line["head"].encode("latin-1") == RANGED
    assert result.content(server.url) == b"0123456789"
    server.port.stopListening()


@ensureDeferred
async def test_a_part_is_kept_at_last(crawl: Any) -> None:
    """After all attempts, what came is a capture that says so."""
    server = scripted((PLAIN + b"0123", True))
    result = await crawl(server.url, politeness={"robots": False})
    line = next(line for line in result.lines if line["url"] == server.url)
    assert (line["size"], origin(line)["truncated"]) == (4, "disconnect")
    assert result.content(server.url) == b"0123"
    server.port.stopListening()
