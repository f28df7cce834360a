"""Recording captures: in every copy of their structure file, and only of contents that are safe.

A capture is acknowledged once it is durable on every node that keeps its structure file and is
up, at least one. A node that fails meanwhile is passed over when another has it; the logs of
additions then show that its copy lacks captures, and the master has it mended (*INA §2.3.1*).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from agents.capture import Capture, is_key, structure_key
from agents.storage.disk.lines import check
from agents.storage.errors import InvalidCapture, NoStorage, NotDurable
from agents.storage.index.asking import Asking
from agents.storage.index.holders import Holders
from agents.storage.index.posting import Posting, Share
from agents.storage.index.siblings import Known, Place
from agents.storage.index.view import ClusterView
from agents.storage.policy import keepers
from agents.storage.status import NodeState


class Recording:
    """Answers `record`.

    Attributes:
        recorded: captures acknowledged.
        shortfalls: captures acknowledged without all of the nodes that were asked.
        on_recorded: given the content of each capture that was recorded.
    """

    def __init__(
        self,
        holders: Holders,
        asking: Asking,
        view: ClusterView,
        posting: Posting,
    ) -> None:
        self._holders, self._asking, self._view = holders, asking, view
        self._posting = posting
        self.recorded = self.shortfalls = 0
        self.on_recorded: Callable[[Iterable[str]], None] = lambda contents: None

    async def record(self, captures: Sequence[Capture], stored: Mapping[str, Sequence[str]]) -> int:
        """Record captures; return how many, once all of them are durable.

        Args:
            captures: of any URLs; those recorded before change nothing.
            stored: nodes, by name or base URL, that have acknowledged each new content.

        Raises:
            InvalidCapture: a capture has no place in a structure line, or nobody holds its
                content; none was recorded.
            NoStorage: no node is up.
            NotDurable: no node acknowledged some of them; repeat all.
        """
        for capture in captures:
            check(capture)
        contents = {key: self._view.names(nodes) for key, nodes in stored.items() if is_key(key)}
        held = await self._held(captures)
        await self._refuse_unknown_contents(captures, contents, held)
        keys = {capture.url: structure_key(capture.url) for capture in captures}
        shares = self._share(captures, keys, held)
        took = await self._posting.post_all(shares)
        self._judge(captures, shares, took)
        await self._note(contents, keys, shares, took)
        self.recorded += len(captures)
        self.on_recorded(capture.content for capture in captures)
        return len(captures)

    async def _held(self, captures: Sequence[Capture]) -> dict[Place, Known]:
        wanted: set[Place] = {("contents", capture.content) for capture in captures}
        wanted |= {("structures", structure_key(url)) for url in {each.url for each in captures}}
        return await self._holders.of(wanted)

    async def _refuse_unknown_contents(
        self,
        captures: Sequence[Capture],
        contents: Mapping[str, Sequence[str]],
        held: Mapping[Place, Known],
    ) -> None:
        """Make sure that each content is on a node; of what is not known, ask the nodes."""
        doubtful = {
            capture.content: capture
            for capture in captures
            if not held["contents", capture.content].holdings and not contents.get(capture.content)
        }
        for capture in doubtful.values():
            if not (await self._asking.holders("contents", capture.content)).holdings:
                raise _unknown_content(capture)

    def _share(
        self,
        captures: Sequence[Capture],
        keys: Mapping[str, str],
        held: Mapping[Place, Known],
    ) -> dict[str, Share]:
        """Return what each node is to record."""
        nodes = self._view.nodes
        wanted = self._view.rules.wanted("structures")
        shares: dict[str, Share] = {}
        chosen: dict[str, list[NodeState]] = {}
        for capture in captures:
            key = keys[capture.url]
            if key not in chosen:
                holders = {holding.node for holding in held["structures", key].holdings}
                chosen[key] = keepers(key, holders, nodes, wanted)
            for node in chosen[key]:
                shares.setdefault(node.name, Share(node)).captures.append(capture)
            if not chosen[key]:
                raise NoStorage("no storage node is up with room: start one, or free some space")
        return shares

    def _judge(
        self, captures: Sequence[Capture], shares: Mapping[str, Share], took: set[str]
    ) -> None:
        """Count the captures that nodes lack.

        Raises:
            NotDurable: no node has acknowledged one of them.
        """
        if took == set(shares):
            return
        safe = {id(each) for name in took for each in shares[name].captures}
        lost = sum(id(capture) not in safe for capture in captures)
        if lost:
            raise NotDurable(f"no storage node acknowledged {lost} captures; record all again")
        self.shortfalls += len(captures)

    async def _note(
        self,
        contents: Mapping[str, Sequence[str]],
        keys: Mapping[str, str],
        shares: Mapping[str, Share],
        took: set[str],
    ) -> None:
        """Have it noted what is held where now, before the nodes' logs tell."""
        stored: list[tuple[Place, Sequence[str]]] = [
            (("contents", key), names) for key, names in contents.items()
        ]
        for name in took:
            urls = {capture.url for capture in shares[name].captures}
            stored += [(("structures", keys[url]), [name]) for url in urls]
        await self._holders.note(stored)


def _unknown_content(capture: Capture) -> InvalidCapture:
    return InvalidCapture(
        f"the content {capture.content} of {capture.url[:200]} is on no node; PUT it first, and "
        "say which nodes took it"
    )
