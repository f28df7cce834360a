"""A site full of sessions and traps is crawled to its end, and what was left aside is told."""

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.web.resource import Resource
from twisted.web.server import Site


class Maze(Resource):
    """Each page links to all others with a new session, and to further days of a calendar."""

    isLeaf = True

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def render_GET(self, request: Any) -> bytes:
        target = request.uri.decode()
        self.asked.append(target)
        request.setHeader("Content-Type", "text/html")
        links = [f"/page?n={n}&PHPSESSID={uuid4().hex}" for n in range(4)]
        links += [f"/file{n}.html;jsessionid={uuid4().hex}" for n in range(4)]
        if target.startswith("/calendar"):
            day = int(target.rpartition("=")[2])
            links += [f"/calendar.php?day={day + step}" for step in (1, 2)]
        links.append("/calendar.php?day=0")
        return "".join(f'<a href="{link}">x</a>' for link in links).encode()


@pytest.fixture
def maze() -> Iterator[tuple[Maze, str]]:
    """Serve a maze on loopback."""
    resource = Maze()
    port: Any = reactor.listenTCP(0, Site(resource), interface="127.0.0.1")
    yield resource, f"http://127.0.0.1:{port.getHost().port}/"
    port.stopListening()


@ensureDeferred
async def test_a_maze(maze: tuple[Maze, str], crawl: Any) -> None:
    """Each page is fetched once without its session; the calendar ends at its limits."""
    site, url = maze
    result = await crawl(
        url, politeness={"robots": False}, strategy={"script_limit": 6, "dynamic_depth": 10}
    )
    asked = [target for target in site.asked if target != "/favicon.ico"]
    files, pages = [f"/file{n}.html" for n in range(4)], [f"/page?n={n}" for n in range(4)]
    days = [f"/calendar.php?day={n}" for n in range(6)]
    assert sorted(asked) == sorted(["/", *files, *pages, *days])
    # Four files and five dynamic pages of the first level take turns.
    assert [target in files for target in asked[1:10]] == [False, True] * 4 + [False]
    assert "too many sets of parameters of its script" in result.found("traps/trap", "reason")
    assert len(result.found("sessions/session", "followed")) > 8
