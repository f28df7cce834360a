"""The archived URLs, page by page: from the index of URLs, or from the storage nodes' own lists.

The index answers once it has all that the nodes have, and knows where URLs begin in some way. Until
then, and for a search that begins in the middle of a host's name, which no order by site helps, the
lists of all nodes are merged; these are in the order of keys, and must be looked through.
"""

import re
from collections.abc import Awaitable, Callable

import msgspec
from attrs import define, frozen

from agents.capture import is_key
from agents.consultation.errors import LookupFailed, NodesFailed
from agents.consultation.lookup.structures import Nodes
from agents.consultation.readers.reader import Reader
from agents.consultation.urls.index import UrlIndex
from agents.consultation.urls.tables import Listed
from agents.urls import canonical, is_of_the_web
from anet.errors import AnetError, Overloaded, Stopped
from anet.http import HttpClient
from anet.together import together

__all__ = ["Listed", "Listing", "Listings"]

PART_SIZE = 1000  # URLs asked of a node at once
PART_LIMIT = 16_000_000  # bytes of a part
SCAN_LIMIT = 20  # parts asked of each node for one page of a search


@frozen
class Part:
    """What one node lists; `after` is where to go on, or None at the end."""

    urls: list[Listed]
    after: str | None = None


@define
class Listing:
    """One page of the list.

    Attributes:
        urls: in the order of their sites, or of their keys.
        after: where to go on, or None at the end; it goes into the next question.
        silent: nodes that are down or did not answer; what only they hold is not listed.
        nodes: nodes that there are.
    """

    urls: list[Listed]
    after: str | None
    silent: int
    nodes: int


class Listings:
    """Lists what the archive holds."""

    def __init__(
        self,
        client: HttpClient,
        nodes: Callable[[], Awaitable[Nodes]],
        index: UrlIndex | None = None,
    ) -> None:
        """Ask the index, or the nodes that `nodes` returns."""
        self._client = client
        self._nodes = nodes
        self._index = index

    async def page(
        self, prefix: str, after: str, limit: int, reader: Reader | None = None
    ) -> Listing:
        """Return archived URLs that begin with `prefix`, at most `limit`.

        A search looks at a bounded number of URLs; its page may be short and still go on. What is
        a host's name and no more takes all that is of the host or below it.

        Args:
            prefix: as a person types it, scheme and `www.` left out or not.
            after: of the page before; empty for the first.
            limit: URLs at most.
            reader: for whom.

        Raises:
            LookupFailed: nobody knows which nodes there are, or the index cannot be asked now.
            NodesFailed: no node answers.
        """
        index, place = self._index, None if is_key(after) else searched(prefix)
        if index is not None and place is not None and (after or index.complete):
            try:
                page = await index.urls(*place, after, limit, reader)
            except (Stopped, Overloaded) as error:
                raise LookupFailed(str(error)) from None
            if after or page.urls or page.after:
                return Listing(page.urls, page.after, 0, 0)
        return await self.by_key(prefix, after, limit)

    async def by_key(self, prefix: str, after: str, limit: int) -> Listing:
        """Return a page of the lists of all nodes, in the order of keys.

        Whoever goes through all that is held goes on after any key of a page.

        Raises:
            LookupFailed: nobody knows which nodes there are.
            NodesFailed: no node answers.
        """
        known = await self._nodes()
        nodes, total = known.up, len(known.up) + known.down
        listing = Listing([], after if is_key(after) else "", known.down, total)
        for _ in range(SCAN_LIMIT):
            parts = await self._parts(nodes, listing.after or "")
            listing.silent = max(listing.silent, total - len(parts))
            if total and not parts:
                raise NodesFailed(f"none of {total} storage nodes lists its URLs")
            urls, listing.after = merged(parts)
            listing.urls += [each for each in urls if is_listed(each.url, prefix)]
            if listing.after is None or len(listing.urls) >= limit:
                break
        if len(listing.urls) > limit:
            del listing.urls[limit:]
            listing.after = listing.urls[-1].key
        return listing

    async def _parts(self, nodes: list[str], after: str) -> list[Part]:
        parts = await together(self._part(node, after) for node in nodes)
        return [part for part in parts if isinstance(part, Part)]

    async def _part(self, node: str, after: str) -> Part | None:
        url = f"{node.rstrip('/')}/urls?after={after}&limit={PART_SIZE}"
        try:
            response = await self._client.request("GET", url)
            body = await response.read(PART_LIMIT)
            return msgspec.json.decode(body, type=Part) if response.head.status == 200 else None
        except (AnetError, msgspec.MsgspecError):
            return None


def merged(parts: list[Part]) -> tuple[list[Listed], str | None]:
    """Return the URLs of several parts, each once, as far as all parts reach.

    Returns:
        They are sorted by key; the second value is the key to go on after, or None at the end.
    """
    ends = [part.after for part in parts if part.after is not None]
    horizon = min(ends, default=None)
    known = {
        listed.key: listed
        for part in parts
        for listed in part.urls
        if horizon is None or listed.key <= horizon
    }
    return [known[key] for key in sorted(known)], horizon


def is_listed(name: str, prefix: str) -> bool:
    """Tell whether a name is a URL that begins with what a person typed."""
    return is_of_the_web(name) and begins(name, prefix)


def begins(url: str, prefix: str) -> bool:
    """Tell whether a URL begins with what a person typed, scheme and `www.` left out or not."""
    if not prefix or url.startswith(prefix):
        return True
    rest = url.partition("://")[2]
    return rest.startswith(prefix) or rest.removeprefix("www.").startswith(prefix)


def searched(prefix: str) -> tuple[str, str] | None:
    """Return a URL and how to match it for what a person typed; None when no index helps."""
    if not prefix:
        return "", "prefix"
    scheme, _, rest = prefix.rpartition("://")
    url = canonical(f"{scheme or 'http'}://{rest}")
    if url is None:
        return None
    if re.search(r"[/?]", rest):
        return url, "prefix"
    return (url, "domain") if "." in rest else None
