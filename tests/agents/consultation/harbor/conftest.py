"""A reader of the harbor of an archive in memory."""

from typing import Any
from urllib.parse import urlencode

import pytest
from lxml import html

from agents.consultation.access.doors import Doors
from agents.consultation.faults.missing import Missing
from agents.consultation.harbor.answers import Harbor
from agents.consultation.harbor.forms import Forms
from agents.consultation.harbor.listing import Listings
from agents.consultation.readers.readers import Readers
from anet.http import Headers, Request, Response

READER = "127.0.0.7"
FORM = "application/x-www-form-urlencoded"


class Visitor:
    """A reader of a harbor, through the proxy unless told otherwise."""

    def __init__(self, harbor: Harbor) -> None:
        self.harbor = harbor

    async def answer(self, path: str, beside: bool = False, **fields: str) -> Response:
        """Ask for a page; underscores in names of fields are hyphens."""
        pairs = [
            (name.replace("_", "-").encode(), value.encode()) for name, value in fields.items()
        ]
        target = path if beside else f"http://dlweb{path}"
        router = self.harbor.router("/harbor" if beside else "/")
        return await router(Request("GET", target, Headers(pairs), READER))

    async def get(self, path: str, beside: bool = False, **fields: str) -> tuple[int, bytes]:
        """Return status and body of a page."""
        response = await self.answer(path, beside, **fields)
        return response.status, response.body

    async def tree(self, path: str, **fields: str) -> Any:
        """Return a page's elements."""
        return html.fromstring((await self.get(path, **fields))[1])

    async def post(
        self,
        fields: dict[str, str],
        origin: str = "http://dlweb",
        site: str = "",
        kind: str = FORM,
        target: str = "http://dlweb/date",
    ) -> Response:
        """Send a form."""
        pairs = [(b"Content-Type", kind.encode()), (b"Host", b"127.0.0.1:7107")]
        pairs += [(b"Origin", origin.encode())] if origin else []
        pairs += [(b"Sec-Fetch-Site", site.encode())] if site else []
        request = Request("POST", target, Headers(pairs), READER)
        request.body.take(urlencode(fields).encode())
        request.body.end()
        return await self.harbor.router("/")(request)

    @property
    def token(self) -> str:
        """Of this reader's forms."""
        return self.harbor.forms.token(READER)

    @property
    def date(self) -> str:
        """That this reader chose."""
        return self.harbor.readers.choice_of(READER).date


@pytest.fixture
def harbor_of(archive: Any, reactor: Any) -> Any:
    """Return what makes the harbor of an archive, with parts of its own."""

    def make(**parts: Any) -> Harbor:
        return Harbor(
            clock=reactor,
            retrieval=archive.retrieval,
            listings=Listings(archive.client, archive.locator.all_nodes),
            doors=Doors(),
            readers=Readers(10),
            missing=Missing(1000),
            forms=Forms(b"secret"),
            proxy=lambda: "127.0.0.1:7106",
            **parts,
        )

    return make


@pytest.fixture
def visit(harbor_of: Any) -> Any:
    """Return what lets a reader visit a harbor with parts of its own."""

    def make(**parts: Any) -> Visitor:
        return Visitor(harbor_of(**parts))

    return make


@pytest.fixture
def visitor(visit: Any) -> Visitor:
    """A reader of the harbor of an archive."""
    return visit()
