"""What readers asked for and the archive did not give: a bounded log, newest last."""

from collections import OrderedDict
from collections.abc import Callable, Iterable

from attrs import evolve, frozen

from agents.consultation.faults.fault import Fault
from agents.urls import canonical

TEXT_LIMIT = 2000  # characters kept of a URL
_TOLD = "unknown-url"  # of the scheduler's business; the rest is the archive's own, or not to be


@frozen
class Hole:
    """A URL that was asked for in vain.

    Attributes:
        url: what was asked for.
        status: 404, 500 or 503.
        code: the fault's short name.
        page: the page that links there, if the browser said.
        date: when it was last asked for, 20 digits.
        times: how often.
        first: when it was first asked for.
        told: how often it had been asked for when the scheduler was last told; 0 before.
        found: when it was given at last, because it has been collected since; empty before.
    """

    url: str
    status: int
    code: str
    page: str
    date: str
    times: int = 1
    first: str = ""
    told: int = 0
    found: str = ""

    @property
    def reported(self) -> bool:
        """Whether the scheduler knows of it."""
        return self.told > 0

    @property
    def due(self) -> bool:
        """Whether the scheduler is to be told: at once, and when it was asked for twice as often.

        Of a URL that many ask for it hears so in ever longer steps.
        """
        asked_for = self.code == _TOLD and "__wb_method=" not in self.url
        return asked_for and self.times >= max(1, 2 * self.told) and not self.found


class Missing:
    """The newest holes, one a URL.

    Attributes:
        limit: how many are kept.
        changed: holes that are to be written into the log.
    """

    def __init__(self, limit: int) -> None:
        """Keep at most `limit` holes."""
        self.limit = limit
        self.changed: dict[str, Hole] = {}
        self._holes: OrderedDict[str, Hole] = OrderedDict()

    def note(self, fault: Fault, page: str, date: str) -> None:
        """Note a fault, met at `date` on the way from `page`."""
        url = fault.url[:TEXT_LIMIT]
        hole = Hole(url, fault.status, fault.code, page[:TEXT_LIMIT], date, first=date)
        former = self._holes.pop(url, None)
        if former is not None:
            hole = evolve(
                hole,
                times=former.times + 1,
                page=hole.page or former.page,
                first=former.first or former.date,
                told=former.told,
            )
        self._keep(hole)

    def found(self, url: str, date: str) -> None:
        """Note that a URL was given after all."""
        hole = self._holes.get(url) if self._holes else None
        if hole is not None and not hole.found:
            self._keep(evolve(hole, found=date))

    def recall(self, holes: Iterable[Hole]) -> None:
        """Take in what a former run had noted, the oldest first; what is known since wins."""
        since = list(self._holes.values())
        self._holes.clear()
        for hole in [*holes, *since]:
            self._put(hole)

    def newest(self, limit: int) -> list[Hole]:
        """Return at most `limit` holes, the newest first."""
        return [hole for _, hole in zip(range(limit), reversed(self._holes.values()), strict=False)]

    def due(self, limit: int) -> list[Hole]:
        """Return at most so many holes that the scheduler is to be told, the oldest first."""
        waiting = (hole for hole in self._holes.values() if hole.due)
        return [hole for _, hole in zip(range(limit), waiting, strict=False)]

    def told(self, holes: Iterable[Hole]) -> None:
        """Take note that the scheduler has heard of some, as they were then."""
        for hole in holes:
            now = self._holes.get(hole.url)
            if now is not None:
                self._keep(evolve(now, told=hole.times))

    def unwritten(self, holes: dict[str, Hole]) -> None:
        """Take changes back that could not be written; of too many the newest are kept."""
        self.changed = holes | self.changed
        for url in list(self.changed)[: -self.limit]:
            del self.changed[url]

    def __contains__(self, url: str) -> bool:
        return url in self._holes

    def __len__(self) -> int:
        return len(self._holes)

    def _keep(self, hole: Hole) -> None:
        self._put(hole)
        self.changed.pop(hole.url, None)  # in their order, the newest last
        self.changed[hole.url] = hole
        if len(self.changed) > self.limit:
            del self.changed[next(iter(self.changed))]

    def _put(self, hole: Hole) -> None:
        """Keep a hole, in its place if it is known."""
        self._holes[hole.url] = hole
        while len(self._holes) > self.limit:
            self._holes.popitem(last=False)


def shown(holes: Iterable[Hole], is_kept_back: Callable[[str], bool]) -> list[Hole]:
    """Return the holes that may be told, without pages that lead there and may not.

    A rule that keeps a URL back may have been made after somebody asked for it in vain.

    Args:
        holes: any.
        is_kept_back: tells of a canonical URL whether it is.
    """
    found = []
    for hole in holes:
        if is_kept_back(hole.url):
            continue
        page = canonical(hole.page)
        is_told = page is not None and not is_kept_back(page)
        found.append(hole if is_told or not hole.page else evolve(hole, page=""))
    return found
