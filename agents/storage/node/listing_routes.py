"""What a node holds, over HTTP: URLs, keys, and the log of additions."""

from contextlib import suppress

from agents.storage.disk import scan
from agents.storage.disk.layout import KINDS, Kind
from agents.storage.disk.store import DiskStore
from agents.storage.disk.structures import url_of
from agents.storage.errors import DamagedStructure
from agents.storage.node.answers import answers, number_of, page_of
from agents.storage.status import Added
from anet.http import Request, Response


class ListingRoutes:
    """`/urls`, `/listing/{kind}` and `/additions`."""

    def __init__(self, store: DiskStore) -> None:
        self._store = store

    @answers
    async def get_urls(self, request: Request) -> Response:
        """List archived URLs in the order of their keys."""
        after, limit = page_of(request)

        def read() -> tuple[list[dict[str, str]], list[str]]:
            keys = scan.listing(self._store.layout, "structures", after, limit)
            urls: list[dict[str, str]] = []
            for key in keys:
                with suppress(DamagedStructure, FileNotFoundError):  # a check names these
                    urls.append({"url": url_of(self._store.layout, key), "key": key})
            return urls, keys

        urls, keys = await self._store.workers.run(read)
        return Response.json(200, {"urls": urls, "after": keys[-1] if len(keys) == limit else None})

    @answers
    async def get_listing(self, request: Request, kind: str) -> Response:
        """List keys in order."""
        if kind not in KINDS:
            return Response.text(404, f"Kinds are {' and '.join(KINDS)}.\n")
        after, limit = page_of(request)
        wanted: Kind = "contents" if kind == "contents" else "structures"
        keys = await self._store.listing(wanted, after, limit)
        return Response.json(200, {"keys": keys, "after": keys[-1] if len(keys) == limit else None})

    @answers
    async def get_additions(self, request: Request) -> Response:
        """Give a part of the log of additions of a disk."""
        since = number_of(request.query, "since", 0)
        log = request.query.get("log", "")
        disk = request.query.get("disk", self._store.name)
        if disk != self._store.name:
            return Response.text(404, f"This node has no disk {disk[:40]!r}.\n")
        part = await self._store.workers.run(self._store.additions.read, log, since)
        return Response.json(200, Added(part.log, part.since, part.position, part.entries, disk))
