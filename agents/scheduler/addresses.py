"""Addresses of the hosts that crawls begin at, looked up beside everything else."""

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable

from twisted.internet.defer import Deferred, TimeoutError
from twisted.internet.interfaces import IReactorTime

from anet.errors import AnetError
from anet.names import literal
from anet.tasks import Tasks

LookUp = Callable[[str], Awaitable[Iterable[str]]]

PATIENCE = 5.0  # seconds for a look-up; a host that takes longer goes by its name
_FRESH = 30.0  # seconds until whoever looks names up, and keeps them by their TTL, is asked again
_AT_ONCE = 200  # look-ups
_KEPT = 20_000  # hosts


class Addresses:
    """Addresses of hosts, as far as they are known without a wait.

    A host that leads nowhere, or about which nobody answers in time, has none.
    """

    def __init__(
        self,
        clock: IReactorTime,
        tasks: Tasks,
        look_up: LookUp | None,
        on_known: Callable[[], None],
    ) -> None:
        """Ask `look_up`, or nobody; call `on_known` when an answer is there."""
        self._clock, self._tasks, self._look_up = clock, tasks, look_up
        self._on_known = on_known
        self._known: OrderedDict[str, tuple[frozenset[str], float]] = OrderedDict()
        self._asked: set[str] = set()

    @property
    def asked(self) -> int:
        """How many look-ups are under way."""
        return len(self._asked)

    def of(self, hosts: Iterable[str]) -> frozenset[str] | None:
        """Return the addresses of hosts; None while some of them are being looked up."""
        found: list[frozenset[str] | None] = [self._of_one(host) for host in hosts]
        known = [one for one in found if one is not None]
        return frozenset().union(*known) if len(known) == len(found) else None

    def _of_one(self, host: str) -> frozenset[str] | None:
        if address := literal(host):
            return frozenset([address])
        if self._look_up is None:
            return frozenset()
        addresses, until = self._known.get(host, (None, 0.0))
        if addresses is not None and self._clock.seconds() < until:
            return addresses
        if host not in self._asked and len(self._asked) < _AT_ONCE:
            self._asked.add(host)
            self._tasks.start(self._ask(host, self._look_up), f"looking for {host}")
            return self._known[host][0] if host not in self._asked else None
        return None

    async def _ask(self, host: str, look_up: LookUp) -> None:
        found: Iterable[str] = ()
        try:
            asked = Deferred.fromCoroutine(_answer(look_up, host))
            found = await asked.addTimeout(PATIENCE, self._clock)
        except (AnetError, TimeoutError):
            pass  # it goes by its name
        finally:
            self._asked.discard(host)
            self._known[host] = (frozenset(found), self._clock.seconds() + _FRESH)
            self._known.move_to_end(host)
            if len(self._known) > _KEPT:
                self._known.popitem(last=False)
        self._on_known()


async def _answer(look_up: LookUp, host: str) -> Iterable[str]:
    return await look_up(host)
