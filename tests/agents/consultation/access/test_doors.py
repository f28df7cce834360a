"""Who is let in: this machine, and whoever shows what is in the file as it is now."""

from base64 import b64encode

import pytest
import pytest_twisted
from hypothesis import given
from hypothesis import strategies as st
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import Deferred, gatherResults

from agents.consultation.access import credentials, keys
from agents.consultation.access.credentials import add_reader, remove_reader
from agents.consultation.access.doors import Doors, read_basic
from agents.consultation.access.guesses import ALLOWED
from agents.consultation.access.keys import Keys
from agents.consultation.errors import Faulted
from agents.consultation.readers.reader import Reader
from anet.http import Headers, Request, Response
from anet.tasks import Tasks
from anet.workers import Workers

HERE, THERE = "127.0.0.1", "192.0.2.7"
PAGE, PROXIED = "/harbor", "http://www.example.org/"


def basic(name: str, password: str) -> bytes:
    """Return what a browser shows."""
    return b"Basic " + b64encode(f"{name}:{password}".encode())


def asking(target=PAGE, client=THERE, shown=b"", method="GET") -> Request:
    """Return a request."""
    field = b"Authorization" if target.startswith("/") else b"Proxy-Authorization"
    fields = [(b"Accept", b"text/html"), *([(field, shown)] if shown else [])]
    return Request(method, target, Headers(fields), client)


class Clock:
    """The reactor, but for its time."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def seconds(self) -> float:
        return reactor.seconds() + self.ahead

    def __getattr__(self, name):
        return getattr(reactor, name)


@pytest.fixture
def clock():
    """A clock that can be put ahead."""
    return Clock()


@pytest_twisted.async_yield_fixture
async def known(tmp_path, monkeypatch, clock):
    """The keys of an archive that anna may read."""
    monkeypatch.setattr(credentials, "_COST", 10)
    add_reader(tmp_path, "anna", "correct horse")
    workers, tasks = Workers(clock, 1, 3, "passwords"), Tasks()
    workers.startService()
    yield Keys(workers, tasks, tmp_path)
    await tasks.stop()
    await workers.stopService()


@pytest.fixture
def tries(monkeypatch):
    """What was tried by scrypt."""
    tried = []
    right = keys._is_right
    monkeypatch.setattr(keys, "_is_right", lambda *of: tried.append(of) or right(*of))
    return tried


async def status_of(doors: Doors, request: Request) -> int:
    """Return how a request is answered through the doors."""

    async def handler(request):
        assert isinstance(request.asker, Reader)
        return Response.text(200, "")

    return (await doors.guarded(handler, {"/proxy.pac"})(request)).status


@ensureDeferred
async def test_this_machine_needs_nothing_and_others_a_credential(known):
    """Also where nobody has one, and before a handler that forgot to ask."""
    for doors in (Doors(known), Doors()):
        assert await status_of(doors, asking(client=HERE)) == 200
        assert await status_of(doors, asking(client="::1")) == 200
        assert await status_of(doors, asking()) == 401
        assert await status_of(doors, asking(PROXIED)) == 407
        assert await status_of(doors, asking("example.org:443", method="CONNECT")) == 407
        with pytest.raises(Faulted):
            doors.admit(asking())
    shown = asking("/harbor?q", shown=basic("anna", "correct horse"))
    assert await status_of(Doors(known), shown) == 200
    assert shown.asker == Reader("anna", THERE, "anna")
    assert await status_of(Doors(), asking(shown=basic("anna", "correct horse"))) == 401


@ensureDeferred
async def test_everybody_or_nobody_may_be_asked(known):
    """Behind another server all come from this machine; on a closed network nobody is asked."""
    always, never = Doors(known, "always"), Doors(known, "none")
    assert await status_of(always, asking(client=HERE)) == 401
    shown = basic("anna", "correct horse")
    assert await status_of(always, asking(client=HERE, shown=shown)) == 200
    request = asking(shown=shown)
    assert await status_of(never, request) == 200
    assert request.asker == Reader(THERE, THERE)


@ensureDeferred
async def test_what_a_browser_needs_first_is_open(known):
    """The certificate and the proxy's configuration, and nothing that only looks like them."""
    assert await status_of(Doors(), asking("/status.json")) == 401

    async def handler(request):
        return Response.text(200, "")

    opened = Doors(known).guarded(handler, {"/proxy.pac"})
    for target, status in (
        ("/proxy.pac", 200), ("/proxy.pac?x", 200), ("/proxy.pac/", 401), ("//proxy.pac", 401),
        ("http://dlweb/proxy.pac", 200),
    ):  # fmt: skip
        assert (await opened(asking(target))).status == status, target


@ensureDeferred
async def test_a_challenge_is_given_in_the_right_field():
    """A browser asks its reader for a name and a password."""

    async def handler(request):
        raise AssertionError

    for target, field in ((PAGE, b"www-authenticate"), (PROXIED, b"proxy-authenticate")):
        answer = await Doors().guarded(handler)(asking(target))
        fields = Headers(answer.headers)
        assert fields.get(field) == b'Basic realm="web archive", charset="UTF-8"'
        assert fields.get(b"cache-control") == b"no-store"


@ensureDeferred
async def test_a_credential_goes_no_further_than_the_door(known):
    """What is behind sees no password; that of an archived site stays."""
    shown = basic("anna", "correct horse")
    for target in (PAGE, PROXIED):
        request = asking(target, HERE, shown)
        assert await status_of(Doors(known), request) == 200
        assert list(request.headers) == [(b"Accept", b"text/html")]
    request = Request("GET", PROXIED, Headers([(b"Authorization", b"Basic c2l0ZQ==")]), HERE)
    await Doors(known).enter(request)
    assert request.headers.get(b"authorization") == b"Basic c2l0ZQ=="


@ensureDeferred
async def test_a_password_is_tried_once_in_an_hour(known, tries, clock):
    """However many requests show it, at once or later."""
    doors, shown = Doors(known), basic("anna", "correct horse")
    at_once = [Deferred.fromCoroutine(status_of(doors, asking(shown=shown))) for _ in range(20)]
    assert await gatherResults(at_once) == [200] * 20
    assert await status_of(doors, asking(PROXIED, shown=shown)) == 200 and len(tries) == 1
    clock.ahead = keys.RIGHT_FOR + 1
    assert await status_of(doors, asking(shown=shown)) == 200 and len(tries) == 2


@ensureDeferred
async def test_guessing_is_slow(known, tries):
    """The same wrong guess counts once; after ten of them no other is tried, even a right one."""
    doors = Doors(known)
    for _ in range(2 * ALLOWED):
        assert await status_of(doors, asking(shown=basic("anna", "wrong"))) == 401
    assert len(tries) == 1
    for number in range(ALLOWED - 1):
        assert await status_of(doors, asking(shown=basic(f"name{number}", "x"))) == 401
    assert len(tries) == ALLOWED
    assert await status_of(doors, asking(shown=basic("anna", "correct horse"))) == 429
    assert len(tries) == ALLOWED
    other = asking(client="192.0.2.8", shown=basic("anna", "correct horse"))
    assert await status_of(doors, other) == 200
    assert await status_of(doors, asking(shown=basic("anna", "correct horse"))) == 200


@ensureDeferred
async def test_too_many_tries_at_once_are_put_off(known):
    """One thread tries; what waits for it is bounded."""
    doors = Doors(known)
    shown = [basic("anna", f"guess {number}") for number in range(9)]
    tries = [
        Deferred.fromCoroutine(status_of(doors, asking(client=f"192.0.2.{at}", shown=each)))
        for at, each in enumerate(shown)
    ]
    found = await gatherResults(tries)
    assert sorted(found) == [401] * 3 + [429] * 6


@ensureDeferred
async def test_the_file_is_read_again_when_it_changes(known, tmp_path, clock):
    """Who is new comes in, who is removed does not, also in a tunnel, and a password changes."""
    doors = Doors(known)
    anna, zoe = basic("anna", "correct horse"), basic("zoe", "battery staple")
    inside = asking(PROXIED)
    inside.asker = Reader("anna", THERE, "anna")
    assert await status_of(doors, asking(shown=anna)) == await status_of(doors, inside) == 200
    add_reader(tmp_path, "zoe", "battery staple")
    remove_reader(tmp_path, "anna")
    clock.ahead += keys.LOOK_EVERY
    assert await status_of(doors, asking(shown=zoe)) == 200
    assert await status_of(doors, asking(shown=anna)) == 401
    assert await status_of(doors, inside) == 407
    add_reader(tmp_path, "zoe", "another one")
    clock.ahead += keys.LOOK_EVERY
    assert await status_of(doors, asking(shown=zoe)) == 401
    (tmp_path / credentials.FILE).write_text("nonsense")
    clock.ahead += keys.LOOK_EVERY
    assert await status_of(doors, asking(shown=basic("zoe", "another one"))) == 200


@ensureDeferred
async def test_a_client_that_leaves_spoils_no_other_ones_try(known):
    """A password that is being tried is tried to the end."""
    doors, shown = Doors(known), basic("anna", "correct horse")
    leaving = Deferred.fromCoroutine(status_of(doors, asking(shown=shown)))
    staying = Deferred.fromCoroutine(status_of(doors, asking(shown=shown)))
    leaving.addErrback(lambda _: None)
    leaving.cancel()
    assert await staying == 200


@ensureDeferred
async def test_nonsense_is_no_credential(known):
    """Another scheme, half of one, two of them, and an endless one."""
    doors = Doors(known)
    for shown in (b"Bearer x", b"Basic", b"Basic !", b"Basic eA==", b"Basic " + b"e" * 9000):
        assert await status_of(doors, asking(shown=shown)) == 401
    two = asking(shown=basic("anna", "correct horse"))
    two.headers = Headers([*two.headers, *two.headers])
    assert await status_of(doors, two) == 401


@given(st.text(st.characters(exclude_characters=":", exclude_categories=["Cs"])), st.binary())
def test_what_a_browser_shows_is_read(name, password):
    """Names in UTF-8, passwords of any bytes."""
    coded = b64encode(name.encode() + b":" + password)
    assert read_basic(b"bAsIc " + coded) == (None if len(coded) > 2000 else (name, password))


@given(st.binary(max_size=100))
def test_any_field_is_a_credential_or_none(field):
    """Nothing is raised."""
    assert read_basic(field) is None or isinstance(read_basic(field), tuple)
    assert read_basic(b"Basic " + field) is None or isinstance(read_basic(b"Basic " + field), tuple)
