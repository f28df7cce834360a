"""The HTTP interface of a storage node: docs/reference/storage-http.md."""

from collections.abc import Callable

from attrs import asdict

from agents.storage.disk.node_store import NodeStore
from agents.storage.node.answers import Credential, Trusts
from agents.storage.node.body import BodyReader
from agents.storage.node.content_routes import ContentRoutes
from agents.storage.node.listing_routes import ListingRoutes
from agents.storage.node.structure_routes import StructureRoutes
from agents.storage.status import NodeStatus
from anet.http import Request, Response, Router


class NodeRoutes:
    """Answers requests from the disks.

    Args:
        name: the node's.
        store: the disks.
        status: what the node says of itself.
        secret: the credential for writes.
        content_limit: bytes of the largest content taken.
        memory_limit: bytes of a body that is kept in memory.
        trusts: tells whether a client's certificate allows it to write; None asks for none.

    Attributes:
        contents: gives and takes contents.
        structures: searches and writes structure files.
    """

    def __init__(
        self,
        name: str,
        store: NodeStore,
        status: Callable[[], NodeStatus],
        secret: str,
        content_limit: int,
        memory_limit: int,
        trusts: Trusts | None = None,
    ) -> None:
        credential = Credential(secret, trusts)
        bodies = BodyReader(store, content_limit, memory_limit)
        self.contents = ContentRoutes(name, store, credential, bodies)
        self.structures = StructureRoutes(name, store, credential)
        self._listings = ListingRoutes(store)
        self._store, self._status = store, status

    @property
    def served(self) -> int:
        """Contents, searches and lists given."""
        return self.contents.served + self.structures.served

    def prompt(self, target: str, host: bytes) -> bytes | None:
        """Give what is at hand: a small content, or a capture with it; None leaves the rest."""
        if target.startswith("/contents/"):
            return self.contents.prompt(target, host)
        return self.structures.prompt(target, host)

    def router(self) -> Router:
        """Return the table of paths."""
        router = Router()
        router.route("GET", "/contents/{key}", self.contents.get_content)
        router.route("PUT", "/contents/{key}", self.contents.put_content)
        router.route("POST", "/contents", self.contents.post_contents)
        router.route("GET", "/structures/{key}", self.structures.get_structure)
        router.route("GET", "/nearest/{key}", self.structures.get_nearest)
        router.route("POST", "/structures", self.structures.post_structures)
        router.route("GET", "/urls", self._listings.get_urls)
        router.route("GET", "/listing/{kind}", self._listings.get_listing)
        router.route("GET", "/additions", self._listings.get_additions)
        router.route("GET", "/status", self.get_status)
        return router

    async def get_status(self, request: Request) -> Response:
        """Say how the node is."""
        return Response.json(200, {**asdict(self._status()), "waiting": self._store.waiting})
