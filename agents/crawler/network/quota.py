"""At most so many requests to a server, and so many bytes from it, in any period (*INA §1.4.4*).

Pure: time is passed in. Requests are remembered in slices of the period, so that a quota of a
million requests takes no more memory than one of ten; a slice counts until its last request has
left the period, so that no period ever sees more than the quota.
"""

from collections import deque

from attrs import define

from agents.order import Politeness

SLICES = 64  # of a period


@define
class _Slice:
    begun: float
    last: float
    requests: int = 0
    size: int = 0


class Quota:
    """What one server has given in the last period.

    Args:
        requests: at most in a period; 0 means any number.
        size: bytes of bodies in a period after which no request follows; 0 means any number.
        period: seconds.
    """

    def __init__(self, requests: int, size: int, period: float) -> None:
        self._requests = requests
        self._size = size
        self._period = period
        self._slices: deque[_Slice] = deque()

    @classmethod
    def of(cls, politeness: Politeness) -> "Quota | None":
        """Return the quota that an order sets, if it sets any."""
        if not politeness.requests_per_period and not politeness.bytes_per_period:
            return None
        return cls(politeness.requests_per_period, politeness.bytes_per_period, politeness.period)

    def wait(self, now: float) -> float:
        """Return the seconds until the quota allows a request."""
        self._forget(now)
        requests = sum(each.requests for each in self._slices)
        size = sum(each.size for each in self._slices)
        until = now
        for each in self._slices:
            if not self._full(requests, size):
                break
            requests -= each.requests
            size -= each.size
            until = each.last + self._period
        return max(0.0, until - now)

    def note(self, now: float, size: int) -> None:
        """Note a request that has ended, with the bytes it brought."""
        if not self._slices or now >= self._slices[-1].begun + self._period / SLICES:
            self._slices.append(_Slice(now, now))
        newest = self._slices[-1]
        newest.last = max(newest.last, now)
        newest.requests += 1
        newest.size += size

    def _full(self, requests: int, size: int) -> bool:
        return bool(
            (self._requests and requests >= self._requests) or (self._size and size >= self._size)
        )

    def _forget(self, now: float) -> None:
        while self._slices and self._slices[0].last + self._period <= now:
            self._slices.popleft()
