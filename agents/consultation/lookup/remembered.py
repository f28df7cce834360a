"""Where files lie, remembered for some seconds, since readers ask for the same again and again."""

from collections import OrderedDict

from twisted.internet.interfaces import IReactorTime

from agents.consultation.lookup.locators import Kind, Locator

SECONDS = 10.0  # a node that comes later is asked no later than this
LIMIT = 100_000  # files


class Remembered:
    """A locator that asks another one, and remembers what was found; never that nothing was.

    Args:
        clock: tells the time.
        locator: is asked.
    """

    def __init__(self, clock: IReactorTime, locator: Locator) -> None:
        self._clock, self._locator = clock, locator
        self._known: OrderedDict[tuple[Kind, str], tuple[float, list[str]]] = OrderedDict()

    @property
    def lookup(self) -> str:
        """What is used now."""
        return self._locator.lookup

    async def locate(self, kind: Kind, key: str) -> list[str]:
        """Return the base URLs of the nodes that hold it, as they were some seconds ago at most.

        Raises:
            LookupFailed: nobody who knows could be asked.
            NodesFailed: the archive has it, and none of its nodes can be reached.
        """
        found = self._known.get((kind, key))
        if found is not None and found[0] > self._clock.seconds():
            return found[1]
        nodes = await self._locator.locate(kind, key)
        if nodes:
            self._known[kind, key] = self._clock.seconds() + SECONDS, nodes
            while len(self._known) > LIMIT:
                self._known.popitem(last=False)
        return nodes

    async def elsewhere(self, kind: Kind, key: str, nodes: list[str]) -> list[str]:
        """Return where a file lies that these nodes do not give; none when nobody else is named.

        Whoever was led there asks for himself: others may have asked, and been told, before.

        Raises:
            LookupFailed, NodesFailed: as `locate`.
        """
        found = self._known.get((kind, key))
        if found is not None and found[1] == nodes:
            del self._known[kind, key]
        now = await self.locate(kind, key)
        return [] if now == nodes else now
