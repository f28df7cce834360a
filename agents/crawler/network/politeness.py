"""How long a server is left alone: delays are owed for each request and paid in groups.

Between requests no delay is applied until what is owed reaches the length of a group; then the
connection is closed for that time. A connection that the server closes is also a point to pay
(*INA §1.4.4*). Pure: time is passed in.
"""

from collections import OrderedDict
from contextlib import suppress
from email.utils import parsedate_to_datetime

from agents.crawler.network.pace import Pace
from agents.crawler.network.quota import Quota
from agents.order import Politeness

DELAYS = "the delays owed to it are paid"
QUOTA = "its quota of the period is used up"
ACCOUNTS = 10_000  # servers remembered; the one longest unused is forgotten


class Account:
    """What one server is owed.

    Args:
        quota: how much it may be asked for in a period, if that is limited.

    Attributes:
        owed: seconds of delay not yet paid.
        free_at: when the server may be asked again, by the caller's clock.
        pace: how fast it usually answers.
    """

    __slots__ = ("_last", "_quota", "_why", "free_at", "owed", "pace")

    def __init__(self, quota: Quota | None = None) -> None:
        self.pace = Pace()
        self._quota = quota
        self.owed = 0.0
        self.free_at = 0.0
        self._why = ""
        self._last: float | None = None

    def wait(self, now: float) -> float:
        """Return the seconds to wait before the next request."""
        seconds = max(0.0, self.free_at - now)
        return seconds if self._quota is None else max(seconds, self._quota.wait(now))

    def reason(self, now: float) -> str:
        """Return why there is a wait, in words."""
        quota = 0.0 if self._quota is None else self._quota.wait(now)
        return QUOTA if quota > self.free_at - now else self._why

    def begin(self, now: float) -> None:
        """Note a request; the time since the last one has paid for itself."""
        if self._last is not None and self.owed:
            self.owed = max(0.0, self.owed - (now - self._last))

    def note(self, now: float, size: int) -> None:
        """Note a request that brought so many bytes of a body."""
        if self._quota is not None:
            self._quota.note(now, size)

    def end(self, now: float, delay: float, group: float, closed: bool) -> bool:
        """Note the end of a request; tell whether the debt is paid now, without a connection.

        Args:
            now: the time.
            delay: seconds owed for the request.
            group: seconds of debt at which it is paid.
            closed: whether the server closed the connection.
        """
        self._last = now
        self.owed += delay
        if not self.owed or (self.owed < group and not closed):
            return False
        self.rest(now, self.owed, DELAYS)
        self.owed = 0.0
        return True

    def rest(self, now: float, seconds: float, why: str) -> None:
        """Leave the server alone for some time: why, in words."""
        if now + seconds > self.free_at:
            self.free_at, self._why = now + seconds, why


class Accounts:
    """The accounts of the servers met lately, by address.

    Args:
        politeness: sets how much a server may be asked for in a period.
    """

    def __init__(self, politeness: Politeness | None = None) -> None:
        self._politeness = politeness or Politeness()
        self._accounts: OrderedDict[str, Account] = OrderedDict()

    def of(self, address: str) -> Account:
        """Return the account of a server."""
        account = self._accounts.get(address)
        if account is None:
            account = self._accounts[address] = Account(Quota.of(self._politeness))
            if len(self._accounts) > ACCOUNTS:
                self._accounts.popitem(last=False)
        else:
            self._accounts.move_to_end(address)
        return account


def rest_asked(retry_after: str, now: float, attempt: int, longest: float) -> float:
    """Return how long to rest after a 429 or 503.

    Args:
        retry_after: the `Retry-After` header, seconds or an HTTP date; empty if there is none.
        now: seconds since the epoch.
        attempt: earlier attempts at the URL; the rest doubles with each.
        longest: seconds that are never exceeded.
    """
    seconds = 5.0 * 2.0 ** min(attempt, 16)
    text = retry_after.strip()
    if text.isascii() and text.isdigit():
        seconds = float(text[:9])
    elif text:
        with suppress(ValueError, TypeError, OverflowError):
            seconds = float(parsedate_to_datetime(text).timestamp()) - now
    return min(max(seconds, 0.0), longest)
