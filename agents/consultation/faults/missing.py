"""What readers asked for and the archive did not give: a bounded log, newest last."""

from collections import OrderedDict

from attrs import evolve, frozen

from agents.consultation.faults.fault import Fault

TEXT_LIMIT = 2000  # characters kept of a URL


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
    """

    url: str
    status: int
    code: str
    page: str
    date: str
    times: int = 1


class Missing:
    """The newest holes, one a URL."""

    def __init__(self, limit: int) -> None:
        """Keep at most `limit` holes."""
        self._limit = limit
        self._holes: OrderedDict[str, Hole] = OrderedDict()

    def note(self, fault: Fault, page: str, date: str) -> None:
        """Note a fault, met at `date` on the way from `page`."""
        url = fault.url[:TEXT_LIMIT]
        hole = Hole(url, fault.status, fault.code, page[:TEXT_LIMIT], date)
        former = self._holes.pop(url, None)
        if former is not None:
            hole = evolve(hole, times=former.times + 1, page=hole.page or former.page)
        self._holes[url] = hole
        while len(self._holes) > self._limit:
            self._holes.popitem(last=False)

    def newest(self, limit: int) -> list[Hole]:
        """Return at most `limit` holes, the newest first."""
        return [hole for _, hole in zip(range(limit), reversed(self._holes.values()), strict=False)]

    def __len__(self) -> int:
        return len(self._holes)
