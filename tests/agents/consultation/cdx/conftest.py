"""The CDX server over an archive in memory, and its answers."""

import http.client
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest_twisted
from twisted.internet.threads import deferToThread

from agents.consultation.access.doors import Doors
from agents.consultation.cdx.server import CdxServer
from agents.consultation.lookup.fuzzy import Fuzzy
from agents.consultation.lookup.url_rules import read_rules
from agents.consultation.urls.service import make_index
from agents.consultation.urls.tables import Progress
from anet.http import Router


class Served:
    """An archive, the index of its URLs, and the server's address."""

    def __init__(self, reactor: Any, archive: Any, folder: Path) -> None:
        self.archive, self.rules = archive, archive.retrieval._rules
        fuzzy = Fuzzy(read_rules())
        self.index, self.workers = make_index(folder / "urls", reactor, fuzzy, self.rules, "1")
        archive.retrieval._alike = self.index.alike
        self.server = CdxServer(reactor, Doors(), self.rules, archive.retrieval, self.index)
        self.router = self.server.add_to(Router())
        self.address = ""

    async def add(self, url: str, body: bytes = b"body", **given: Any) -> Any:
        capture = self.archive.add(url, body, **given)
        await self.index.add("node", Progress(), [url])
        return capture

    async def get(self, target: str) -> Any:
        """Return status, fields and body of an answer."""

        def ask() -> Any:
            with closing(http.client.HTTPConnection(self.address, timeout=20)) as connection:
                connection.request("GET", target)
                answer = connection.getresponse()
                return answer.status, answer.headers, answer.read()

        return await deferToThread(ask)

    async def lines(self, target: str) -> list[str]:
        """Return the lines of an answer."""
        status, _, body = await self.get(target)
        assert status == 200, body
        return body.decode().splitlines()


@pytest_twisted.async_yield_fixture
async def served(reactor: Any, archive: Any, serve: Any, tmp_path: Path) -> Any:
    """An archive that is served to other tools."""
    made = Served(reactor, archive, tmp_path)
    for each in made.workers:
        each.startService()
    await made.index.open()
    made.address = serve(made.router)
    yield made
    await made.index.close()
    for each in made.workers:
        await each.stopService()
