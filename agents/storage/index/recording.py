"""Recording captures: in every copy of their structure file, and only of contents that are safe.

A capture is acknowledged once it is durable on every node that keeps its structure file and is
up, and on as many as the rules want: where holders are down, silent, or fail meanwhile, other nodes
stand in for them. It is on fewer only when every node that is up, as the master says, has been
asked in this very call; with one node up, that one has to do. The logs of additions then show
which copies lack captures, and the master has them mended (*INA §2.3.1*).
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from agents.capture import Capture, is_key, structure_key
from agents.storage.disk.lines import check
from agents.storage.errors import InvalidCapture, NotDurable
from agents.storage.index.asking import Asking
from agents.storage.index.holders import Holders
from agents.storage.index.posting import Posting
from agents.storage.index.siblings import Known, Place
from agents.storage.index.spreading import Spread, Spreading
from agents.storage.index.view import ClusterView


class Recording:
    """Answers `record`.

    Attributes:
        recorded: captures acknowledged.
        shortfalls: captures acknowledged on fewer nodes than were to record them.
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
        self._spreading = Spreading(view, posting)
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
        files: dict[str, list[Capture]] = defaultdict(list)
        for capture in captures:
            files[structure_key(capture.url)].append(capture)
        holders = {key: {each.node for each in held["structures", key].holdings} for key in files}
        spread = await self._spreading.record(files, holders)
        if spread.lost:
            raise NotDurable(
                f"no storage node acknowledged {spread.lost} captures; record all again"
            )
        self.shortfalls += spread.short
        await self._note(contents, spread)
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

    async def _note(self, contents: Mapping[str, Sequence[str]], spread: Spread) -> None:
        """Have it noted what is held where now, before the nodes' logs tell."""
        stored: list[tuple[Place, Iterable[str]]] = [
            (("contents", key), names) for key, names in contents.items()
        ]
        stored += [(("structures", key), names) for key, names in spread.took.items()]
        await self._holders.note(stored)


def _unknown_content(capture: Capture) -> InvalidCapture:
    return InvalidCapture(
        f"the content {capture.content} of {capture.url[:200]} is on no node; PUT it first, and "
        "say which nodes took it"
    )
