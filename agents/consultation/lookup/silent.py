"""Storage nodes that hang: nobody waits long for one while another may have the same.

A node that is stopped or overloaded takes connections and says nothing. It is left for the next
node after a moment, and for a while it is asked last; where no other gives what is wanted it is
asked again, and has all its time.
"""

import time
from collections import OrderedDict
from collections.abc import Callable, Iterable

PATIENCE = 1.0  # seconds for which a node is waited for while there is another
SECONDS = 30.0  # for which it is asked last
LIMIT = 1000  # nodes


class Silent:
    """Which nodes said nothing lately.

    Args:
        clock: tells seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._until: OrderedDict[str, float] = OrderedDict()

    def note(self, node: str) -> None:
        """Note that a node said nothing, or nothing true."""
        self._until.pop(node, None)
        self._until[node] = self._clock() + SECONDS
        if len(self._until) > LIMIT:
            self._until.popitem(last=False)

    def last(self, nodes: Iterable[str]) -> list[str]:
        """Return nodes as they are, but those that said nothing lately after the others."""
        return sorted(nodes, key=self._is_silent) if self._until else list(nodes)

    def heard(self, nodes: Iterable[str]) -> list[str]:
        """Return those nodes that did not say nothing lately."""
        return [node for node in nodes if not self._is_silent(node)]

    def _is_silent(self, node: str) -> bool:
        until = self._until.get(node)
        return until is not None and until > self._clock()


class Turns:
    """The nodes that one thing is asked of, one after the other.

    Args:
        nodes: in the order in which they are asked.
        silent: notes those that said nothing.
    """

    def __init__(self, nodes: Iterable[str], silent: Silent) -> None:
        self._silent = silent
        self._nodes = silent.last(nodes)
        self._late: set[str] = set()

    def __bool__(self) -> bool:
        return bool(self._nodes)

    @property
    def node(self) -> str:
        """Whose turn it is."""
        return self._nodes[0]

    @property
    def patience(self) -> float | None:
        """Seconds to wait for it; None where it has all its time."""
        return None if len(self._nodes) == 1 or self.node in self._late else PATIENCE

    def leave(self, *, silent: bool = False) -> None:
        """Go on to the next; one that was silent and had little time has another turn."""
        again, node = self.patience is not None, self._nodes.pop(0)
        if silent:
            self._silent.note(node)
            if again:
                self._late.add(node)
                self._nodes.append(node)
