"""What a node holds, over HTTP: URLs, keys, and the log of additions."""

from collections.abc import Sequence
from contextlib import suppress

from agents.storage.disk.depot import Depot, sizes_of
from agents.storage.disk.layout import KINDS, Kind, Layout
from agents.storage.disk.node_store import NodeStore
from agents.storage.disk.structures import url_of
from agents.storage.errors import DamagedStructure
from agents.storage.node.answers import answers, number_of, page_of
from agents.storage.status import Added
from anet.http import Request, Response


class ListingRoutes:
    """`/urls`, `/listing/{kind}` and `/additions`."""

    def __init__(self, store: NodeStore) -> None:
        self._store = store

    @answers
    async def get_urls(self, request: Request) -> Response:
        """List archived URLs in the order of their keys."""
        after, limit = page_of(request)
        keys = await self._store.listing("structures", after, limit)
        named: dict[str, str] = {}
        for disk in self._store.disks:
            named |= await disk.workers.run(_urls_of, disk.layout, keys)
        urls = [{"url": named[key], "key": key} for key in keys if key in named]
        return Response.json(200, {"urls": urls, "after": keys[-1] if len(keys) == limit else None})

    @answers
    async def get_listing(self, request: Request, kind: str) -> Response:
        """List keys in order."""
        if kind not in KINDS:
            return Response.text(404, f"Kinds are {' and '.join(KINDS)}.\n")
        after, limit = page_of(request)
        wanted: Kind = "contents" if kind == "contents" else "structures"
        keys = await self._store.listing(wanted, after, limit)
        sizes = dict.fromkeys(keys, 0)
        for disk in self._store.disks:
            found = await disk.workers.run(_sizes_of, disk.layout, disk.depot, wanted, keys)
            for key, size in found.items():
                sizes[key] += size
        last = keys[-1] if len(keys) == limit else None
        return Response.json(200, {"keys": keys, "sizes": list(sizes.values()), "after": last})

    @answers
    async def get_additions(self, request: Request) -> Response:
        """Give a part of the log of additions of a disk."""
        since = number_of(request.query, "since", 0)
        log = request.query.get("log", "")
        wanted = request.query.get("disk", "")
        disk = self._store.disk(wanted)
        if disk is None:
            return Response.text(404, f"This node has no disk {wanted[:40]!r}.\n")
        try:
            part = await disk.workers.run(disk.additions.read, log, since)
        except OSError as error:  # a disk that has just gone; its node leaves it out soon
            disk.health.note(error)
            return Response.text(503, f"The log of the disk {disk.name}: {error.strerror}\n")
        added = Added(part.log, part.since, part.position, part.entries, disk.name)
        return Response.json(200, added)


def _sizes_of(layout: Layout, depot: Depot, kind: Kind, keys: Sequence[str]) -> dict[str, int]:
    """Return the bytes of those contents, or lines of structure files, that a disk has."""
    if kind == "contents":
        return sizes_of(layout, depot, keys)
    sizes: dict[str, int] = {}
    for key in keys:
        with suppress(OSError):
            sizes[key] = layout.path(kind, key).stat().st_size
    return sizes


def _urls_of(layout: Layout, keys: Sequence[str]) -> dict[str, str]:
    """Return the URLs of those structure files that a disk has and can name."""
    urls: dict[str, str] = {}
    for key in keys:
        with suppress(DamagedStructure, OSError):  # a check names these
            urls[key] = url_of(layout, key)
    return urls
