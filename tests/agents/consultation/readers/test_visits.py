"""Readers behind one address are told apart by a cookie that every host gets; nobody circles."""

from urllib.parse import quote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.consultation.readers.cookies import PLAIN, SECURE
from agents.consultation.readers.reader import Reader
from agents.consultation.readers.visits import LIFE, REFUSAL, Visits
from agents.urls import canonical
from anet.http import Request
from anet.http.message import Headers

ADDRESS = "192.0.2.1"
A, B, S = "http://a.example/page?x=1", "http://b.example/", "https://s.example/secure"


class Clock:
    """Seconds that a test lets pass."""

    now = 1000.0

    def __call__(self):
        return self.now


class Browser:
    """Follows redirections and keeps cookies, or refuses them from some hosts."""

    def __init__(self, visits, refuses=lambda host: False, agent="Mozilla/5.0", address=ADDRESS):
        self.visits, self.refuses = visits, refuses
        self.agent, self.address = agent, address
        self.jar = {}
        self.path = []

    def ask(self, url, **fields):
        """Make one request; return it and the answer, None for what the archive answers."""
        parts = urlsplit(url)
        secure = parts.scheme == "https"
        names = (SECURE, PLAIN) if secure else (PLAIN,)
        held = [f"{name}={self.jar[parts.hostname, name]}" for name in names
                if (parts.hostname, name) in self.jar]  # fmt: skip
        pairs = {"User-Agent": self.agent, "Accept": "text/html", "Cookie": "; ".join(held)}
        given = [(k.replace("_", "-").encode(), v.encode()) for k, v in (pairs | fields).items()]
        request = Request("GET", url, Headers(given), self.address)
        request.asker = Reader(self.address, self.address)
        answer = self.visits.detour(request, canonical(url))
        for name, value in answer.headers if answer else ():
            if name == b"Set-Cookie" and not self.refuses(parts.hostname):
                key, _, rest = value.decode().partition("=")
                self.jar[parts.hostname, key] = rest.partition(";")[0]
        return request, answer

    def go(self, url, **fields):
        """Go to a page; return the request that the archive answers, or our page."""
        self.path = []
        for _ in range(10):
            self.path.append(url)
            request, answer = self.ask(url, **fields)
            if answer is None:
                return request
            if answer.status != 302:
                return answer
            url = dict(answer.headers)[b"Location"].decode()
        raise AssertionError(f"a circle: {self.path}")


@pytest.fixture
def clock():
    """A clock that stands."""
    return Clock()


@pytest.fixture
def visits(clock):
    """Visits by the clock."""
    return Visits(b"secret", clock)


def test_the_first_page_leads_to_the_choice_of_a_date(visits):
    """Once; from then on every host is known without being asked."""
    browser = Browser(visits)
    request = browser.go(A)
    assert request.target == "http://dlweb/captures?url=" + quote(A, safe="")
    key = request.asker.key
    assert len(key) == 23 and key.startswith("~")
    for url in (A, B, S, "http://dlweb/"):
        request = browser.go(url)
        assert (request.target, request.asker.key) == (url, key)
        assert len(browser.path) == (1 if "dlweb" in url else 5)
        assert browser.go(url).asker.key == key and len(browser.path) == 1


def test_two_browsers_behind_one_address_are_two_readers(visits):
    """That is what it is for."""
    one, other = Browser(visits), Browser(visits)
    keys = {browser.go(url).asker.key for browser in (one, other) for url in (A, A, B)}
    assert len(keys) == 2 and ADDRESS not in keys


def test_the_harbor_gives_a_cookie_by_itself(visits):
    """Whoever begins there is not asked for anything."""
    browser = Browser(visits)
    request = browser.go("http://dlweb/settings")
    assert request.target == "http://dlweb/settings" and request.asker.key.startswith("~")


def test_a_cookie_outlasts_the_agent(visits, clock):
    """It is proven by the archive's secret, and nothing is remembered for it."""
    browser = Browser(visits)
    key = browser.go("http://dlweb/").asker.key
    browser.visits = Visits(b"secret", clock)
    assert browser.go(A).asker.key == key
    browser.visits = Visits(b"other", clock)
    assert browser.go("http://dlweb/").asker.key != key


@pytest.mark.parametrize("hosts", [{"dlweb"}, {"a.example"}, {"dlweb", "a.example"}])
def test_who_refuses_cookies_is_told_and_reads_by_address(visits, clock, hosts):
    """One try; then a page that says so, and the address again."""
    browser = Browser(visits, refuses=hosts.__contains__)
    if "dlweb" not in hosts:
        browser.go("http://dlweb/")
    answer = browser.go(A)
    assert answer.status == 200 and b"Cookies are refused" in answer.body
    assert A.encode() in answer.body
    request = browser.go(A)
    assert (request.target, request.asker.key) == (A, ADDRESS) and len(browser.path) == 1
    clock.now += REFUSAL
    assert browser.go(A).status == 200


@pytest.mark.parametrize(
    "fields",
    [
        {"Accept": "image/png"},
        {"Sec_Fetch_Dest": "iframe"},
        {"Sec_Fetch_Dest": "empty"},
        {"User_Agent": "Wget/1.21"},
    ],
)
def test_parts_and_programs_are_led_nowhere(visits, fields):
    """Only a browser that goes to a page is asked for a cookie."""
    browser = Browser(visits)
    pairs = {name.replace("_", "-"): value for name, value in fields.items()}
    assert browser.go(A, **pairs).asker.key == ADDRESS


def test_what_is_fetched_beforehand_is_refused(visits):
    """It has no cookies and is nobody's; who reads is not taken for one who refuses them."""
    browser = Browser(visits)
    ahead = {"Sec-Purpose": "prefetch;anonymous-client-ip", "Sec-Fetch-Dest": "document"}
    assert browser.go(A, **ahead).status == 503
    key = browser.go("http://dlweb/").asker.key
    assert browser.go(A).asker.key == key
    assert browser.go(A, **ahead).asker.key == key


def test_what_is_posted_is_led_nowhere(visits):
    """A redirection would lose it."""
    request = Request("POST", A, Headers([(b"User-Agent", b"Mozilla/5.0")]), ADDRESS)
    request.asker = Reader(ADDRESS, ADDRESS)
    assert visits.detour(request, A) is None


def test_a_credential_comes_before_a_cookie(visits):
    """Whoever is known by name needs none."""
    request = Request("GET", A, Headers([(b"User-Agent", b"Mozilla/5.0")]), ADDRESS)
    request.asker = Reader("anna", ADDRESS, "anna")
    assert visits.detour(request, A) is None and request.asker.key == "anna"


def test_the_archived_site_sees_no_cookie_of_ours(visits):
    """It is gone from the request that goes on."""
    browser = Browser(visits)
    browser.go(A)
    request = browser.go(A)
    assert b"cookie" not in request.headers


def test_a_ticket_is_good_for_one_host_one_address_and_a_minute(visits, clock):
    """Stolen, late or changed ones open nothing, and set nothing."""
    browser = Browser(visits)
    browser.go(A)
    browser.go(A)
    carried = next(url for url in browser.path if "/.well-known/" in url)
    thief = Browser(visits, address="192.0.2.66")
    for asker, url in (
        (thief, carried),
        (browser, carried.replace("a.example", "evil.example")),
        (browser, carried[:-1] + ("A" if carried[-1] != "A" else "B")),
        (browser, carried.partition("?")[0]),
    ):
        asker.jar.clear()
        answer = asker.go(url)
        assert answer.status == 403 and not asker.jar
    clock.now += LIFE
    assert browser.go(carried).status == 403


def test_a_cookie_of_another_host_is_nobodys(visits):
    """A script cannot make a reader of one host that of another."""
    browser = Browser(visits)
    browser.go(A)
    browser.go(A)
    browser.jar["evil.example", PLAIN] = browser.jar["a.example", PLAIN]
    request, answer = browser.ask("http://evil.example/", Accept="image/png")
    assert answer is None and request.asker.key == ADDRESS


URLS = st.sampled_from([A, B, S, "http://dlweb/", "https://b.example/x", "http://c.example:81/"])


@given(
    st.lists(st.tuples(st.integers(0, 1), URLS, st.booleans()), max_size=12),
    st.sets(st.sampled_from(["dlweb", "a.example", "b.example"])),
    st.sets(st.integers(0, 12)),
)
def test_nobody_is_led_in_a_circle(steps, refused, lost):
    """Whatever cookies are refused or lost, each page is five redirections away at most."""
    visits = Visits(b"secret", Clock())
    browsers = [Browser(visits), Browser(visits, refuses=refused.__contains__, agent="Mozilla/4")]
    for number, (which, url, _) in enumerate(steps):
        browser = browsers[which]
        if number in lost:
            browser.jar.clear()
        answer = browser.go(url)
        assert len(browser.path) <= 6
        if which == 0:
            assert isinstance(answer, Request) and answer.asker.key.startswith("~")


def test_who_refuses_is_remembered_within_bounds(visits, monkeypatch):
    """However many come."""
    monkeypatch.setattr("agents.consultation.readers.visits.REFUSALS", 3)
    for number in range(10):
        Browser(visits, refuses=lambda host: True, address=str(number)).go(A)
    assert len(visits._refusing) == 3
