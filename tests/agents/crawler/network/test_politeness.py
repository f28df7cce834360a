"""Delays are owed for each request and paid in groups, by the letter of the paper."""

from hypothesis import given
from hypothesis import strategies as st

from agents.crawler.network.politeness import ACCOUNTS, DELAYS, QUOTA, Account, Accounts, rest_asked
from agents.order import Politeness


def test_no_delay_until_the_group_is_full() -> None:
    """Requests follow each other at once; then the whole debt is paid without a connection."""
    account, now = Account(), 100.0
    for _ in range(2):
        account.begin(now)
        assert not account.end(now, 5.0, 15.0, closed=False)
        assert account.wait(now) == 0
    account.begin(now)
    assert account.end(now, 5.0, 15.0, closed=False)
    assert account.wait(now) == 15.0
    assert account.wait(now + 15.0) == 0
    account.begin(now + 15.0)
    assert account.owed == 0


def test_a_close_by_the_server_is_a_point_to_pay() -> None:
    """What is owed is paid when the connection is gone anyway."""
    account = Account()
    account.begin(0.0)
    assert account.end(0.0, 5.0, 15.0, closed=True)
    assert account.wait(1.0) == 4.0


def test_time_without_requests_pays() -> None:
    """A server that is left alone while others are asked is owed less."""
    account = Account()
    account.begin(0.0)
    account.end(0.0, 5.0, 15.0, closed=False)
    account.begin(3.0)
    assert account.owed == 2.0
    account.end(3.0, 5.0, 15.0, closed=False)
    account.begin(100.0)
    assert account.owed == 0.0


def test_no_delay_means_none() -> None:
    """Without a delay the connection is kept for ever."""
    account = Account()
    for now in range(100):
        account.begin(float(now))
        assert not account.end(float(now), 0.0, 15.0, closed=True)
    assert account.wait(100.0) == 0


@given(
    st.lists(st.tuples(st.floats(0, 30), st.booleans()), max_size=50),
    st.floats(0.01, 10),
    st.floats(0, 60),
)
def test_the_mean_pace_is_kept(steps: list[tuple[float, bool]], delay: float, group: float) -> None:
    """At any time the server has had the delay of each request but for one group at most."""
    account, now, waited = Account(), 0.0, 0.0
    for requests, (pause, closed) in enumerate(steps, 1):
        wait = account.wait(now)
        now += max(wait, pause)
        waited += max(wait, pause)
        account.begin(now)
        account.end(now, delay, group, closed)
        assert waited + account.wait(now) >= requests * delay - group - delay - 1e-6


def test_rest_asked_by_a_server() -> None:
    """Retry-After counts in seconds or as a date, within a bound; without one, rests double."""
    date = "Sat, 21 Nov 2026 07:30:30 GMT"
    now = 1795246200.0  # 07:30:00
    assert rest_asked("7", now, 0, 120) == 7
    assert rest_asked(date, now, 0, 120) == 30
    assert rest_asked(date, now + 100, 0, 120) == 0
    assert rest_asked("99999999999999", now, 0, 120) == 120
    assert [rest_asked("", now, attempt, 120) for attempt in range(3)] == [5, 10, 20]
    assert rest_asked("soon", now, 99, 120) == 120


@given(st.text(max_size=30), st.integers(0, 1000))
def test_any_retry_after_is_bounded(text: str, attempt: int) -> None:
    """Whatever a server says, the rest is bounded."""
    assert 0 <= rest_asked(text, 0.0, attempt, 60) <= 60


def test_accounts_are_bounded() -> None:
    """The server longest unused is forgotten."""
    accounts = Accounts()
    first = accounts.of("0")
    second = accounts.of("1")
    accounts.of("0")
    for number in range(2, ACCOUNTS + 1):
        accounts.of(str(number))
    assert accounts.of("0") is first
    assert accounts.of("1") is not second


def test_why_a_server_is_left_alone() -> None:
    """The longest wait gives the reason: delays, what the server said, or a quota."""
    account = Account()
    account.end(100.0, 20.0, 15.0, False)
    assert (account.wait(100.0), account.reason(100.0)) == (20.0, DELAYS)
    account.rest(100.0, 5.0, "it answered 503")
    assert account.reason(100.0) == DELAYS
    account.rest(100.0, 30.0, "it answered 503")
    assert account.reason(100.0) == "it answered 503"
    limited = Accounts(Politeness(requests_per_period=1, period=60.0)).of("a.org")
    limited.note(100.0, 10)
    assert (limited.wait(100.0), limited.reason(100.0)) == (60.0, QUOTA)
