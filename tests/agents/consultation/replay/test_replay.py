"""The archive without its proxy, over real sockets."""

from typing import Any

import pytest
import pytest_twisted
from attrs import evolve
from pytest_twisted import ensureDeferred

from agents.consultation.access.audit import Audit
from agents.consultation.access.doors import Doors
from agents.consultation.errors import Faulted
from agents.consultation.faults.fault import Fault
from agents.consultation.faults.missing import Missing
from agents.consultation.measures import Measures
from agents.consultation.memento.fields import Addresses
from agents.consultation.replay.engine import POLICY, EngineMissing
from agents.consultation.replay.frame import frame_fields
from agents.consultation.replay.replay import Replay, front
from anet.http import HttpClient

OLD, NEW = "20200101000000000000", "20260101000000000000"
URL = "http://www.example.org/"
CSS = b"HTTP/1.1 200 OK\r\nContent-Type: text/css\r\nSet-Cookie: a=1\r\n\r\n"
MOVED = b"HTTP/1.1 302 Found\r\nLocation: /there\r\n\r\n"


@pytest_twisted.async_yield_fixture
async def replay(reactor, archive):
    """A replay over the fake archive."""
    yield Replay(
        clock=reactor, doors=Doors(), retrieval=archive.retrieval, missing=Missing(10),
        measures=Measures(), audit=Audit(), addresses=Addresses(), script=b"the engine",
    )  # fmt: skip


@pytest_twisted.async_yield_fixture
async def ask(reactor, serve, replay):
    """Ask a replay; return status, fields and body."""
    client = HttpClient(reactor)

    async def ask(target: str, method: str = "GET", of: Replay = replay, **fields: str) -> Any:
        address = serve(front(of, lambda: "http://harbor.test/"))
        pairs = [(name.replace("_", "-").encode(), it.encode()) for name, it in fields.items()]
        response = await client.request(method, f"http://{address}{target}", pairs)
        return response.head.status, response.head.headers, await response.read(1 << 20)

    yield ask
    await client.stopService()


@ensureDeferred
async def test_a_capture_is_given_as_it_was_received(archive, ask):
    """The very bytes, as a memento, and nothing that speaks for the past in today's browser."""
    archive.add(f"{URL}a.css", b"a { b: c }", head=CSS, date=NEW)
    status, fields, body = await ask(f"/web/{NEW}id_/{URL}a.css")
    assert (status, body) == (200, b"a { b: c }")
    assert fields.text(b"memento-datetime") == "Thu, 01 Jan 2026 00:00:00 GMT"
    assert fields.text(b"x-archive-orig-set-cookie") == "a=1"
    assert fields.get(b"set-cookie") is None
    assert f'<{URL}a.css>; rel="original"' in fields.text(b"link")


@ensureDeferred
async def test_another_date_leads_to_that_of_the_capture(archive, ask):
    """The nearest capture's own address is the memento's; what leads there is none."""
    for date in (OLD, NEW):
        archive.add(f"{URL}a.css", date.encode(), head=CSS, date=date)
    for asked, given in (("2021", OLD), ("2025", NEW), ("", NEW)):
        status, fields, _ = await ask(f"/web/{asked}id_/{URL}a.css")
        assert (status, fields.text(b"location")) == (302, f"/web/{given}id_/{URL}a.css")
        assert fields.get(b"memento-datetime") is None
    status, fields, _ = await ask(
        f"/web/id_/{URL}a.css", accept_datetime="Wed, 01 Jan 2020 00:00:00 GMT"
    )
    assert fields.text(b"location") == f"/web/{OLD}id_/{URL}a.css"


@ensureDeferred
async def test_the_second_of_an_address_is_that_of_its_capture(archive, ask):
    """Also where another capture was made shortly before that second began."""
    archive.add(f"{URL}a.css", b"before", head=CSS, date="20200101000000900000")
    archive.add(f"{URL}a.css", b"then", head=CSS, date="20200101000001950000")
    assert (await ask(f"/web/20200101000001id_/{URL}a.css"))[2] == b"then"


@ensureDeferred
async def test_the_parts_of_a_page_come_at_once(archive, ask):
    """The engine gets the nearest capture without another round, and is told its address."""
    archive.add(f"{URL}a.css", b"old", head=CSS, date=OLD)
    status, fields, body = await ask(f"/web/2021ir_/{URL}a.css")
    assert (status, body) == (200, b"old")
    assert fields.text(b"content-location") == f"/web/{OLD}id_/{URL}a.css"


@ensureDeferred
async def test_parts_of_a_content_are_given(archive, ask):
    """A film is sought in by ranges."""
    archive.add(f"{URL}film", b"0123456789", head=CSS, date=NEW)
    status, fields, body = await ask(f"/web/{NEW}ir_/{URL}film", range="bytes=3-5")
    assert (status, body, fields.text(b"content-range")) == (206, b"345", "bytes 3-5/10")


@ensureDeferred
async def test_a_redirection_is_followed_in_the_archive(archive, ask):
    """Its target is asked of the archive at the page's date."""
    archive.add(URL, b"", head=MOVED, date=NEW)
    status, fields, _ = await ask(f"/web/{NEW}ir_/{URL}")
    assert (status, fields.text(b"location")) == (302, f"/web/{NEW}ir_/{URL}there")


@ensureDeferred
async def test_a_page_is_shown_in_a_frame_that_leads_nowhere_else(archive, ask):
    """The frame is of this server only, opens no window, and asks the engine for the page."""
    archive.add(URL, b"<p>page", date=NEW)
    status, fields, body = await ask(f"/web/{NEW}/{URL}")
    assert status == 200
    policy = fields.text(b"content-security-policy")
    assert "default-src 'none'" in policy and "frame-src 'self'" in policy
    assert f'data-page="/web/{NEW}mp_/{URL}"'.encode() in body
    assert b"allow-top-navigation" not in body and b"allow-popups" not in body


@ensureDeferred
async def test_what_is_no_page_is_given_itself(archive, ask):
    """A style sheet or a PDF needs no engine."""
    archive.add(f"{URL}a.css", b"", head=CSS, date=NEW)
    status, fields, _ = await ask(f"/web/{NEW}/{URL}a.css")
    assert (status, fields.text(b"location")) == (302, f"/web/{NEW}id_/{URL}a.css")


@ensureDeferred
async def test_what_the_engine_would_answer_leads_to_it(archive, ask):
    """A browser that has no engine yet gets it by the page's own address."""
    archive.add(URL, b"<p>page", date=NEW)
    status, fields, _ = await ask(f"/web/{NEW}mp_/{URL}")
    assert (status, fields.text(b"location")) == (302, f"/web/{NEW}/{URL}")


@ensureDeferred
async def test_the_engine_may_ask_this_server_only(ask):
    """Its policy keeps whatever a page wants in the archive."""
    status, fields, body = await ask("/web/sw.js?replayPrefix=")
    assert (status, body) == (200, b"the engine")
    assert fields.text(b"content-security-policy") == POLICY.decode()


@ensureDeferred
async def test_without_an_engine_captures_are_given_all_the_same(archive, ask, replay):
    """A page says what is missing; the capture as received needs nothing."""
    archive.add(URL, b"<p>page", date=NEW)
    without = evolve(replay, script=EngineMissing("Install it."))
    status, _, body = await ask(f"/web/{NEW}/{URL}", of=without, accept="text/html")
    assert status == 501 and b"Install it." in body
    status, _, body = await ask(f"/web/{NEW}id_/{URL}", of=without)
    assert (status, body) == (200, b"<p>page")


@ensureDeferred
async def test_an_archived_script_is_no_service_worker(archive, ask):
    """What a browser asks for to install it is refused, so that no site of the past stays on."""
    archive.add(f"{URL}worker.js", b"", head=CSS, date=NEW)
    status, _, _ = await ask(f"/web/{NEW}id_/{URL}worker.js", service_worker="script")
    assert status == 403


@ensureDeferred
async def test_the_engine_is_installed_as_the_frame_does_and_not_otherwise(archive, ask):
    """Its query sets what it injects into pages and whom it asks; an archived script may not."""
    worker = {"service_worker": "script"}
    assert (await ask("/web/sw.js?replayPrefix=&root=$root", **worker))[0] == 200
    for target in ("/web/sw.js", "/web/sw.js?root=$root&injectScripts=/web/2020id_/http://a.test/"):
        assert (await ask(target, **worker))[0] == 403


@ensureDeferred
async def test_other_sites_can_read_nothing_here(archive, ask):
    """A site of today in the reader's browser may ask, and its browser tells it nothing."""
    open_head = CSS[:-2] + b"Access-Control-Allow-Origin: *\r\n\r\n"
    archive.add(f"{URL}a.css", b"a { b: c }", head=CSS, date=NEW)
    archive.add(f"{URL}open.css", b"a { b: c }", head=open_head, date=NEW)
    for path in ("a.css", "open.css", "hole.css"):
        _, fields, _ = await ask(f"/web/{NEW}id_/{URL}{path}", origin="https://evil.example")
        assert not [name for name, _ in fields if name.lower().startswith(b"access-control-")]
        assert fields.text(b"cross-origin-resource-policy") == "same-origin"


@ensureDeferred
async def test_the_harbor_is_not_to_be_had_here(ask):
    """Archived scripts run at this origin, and must not read or press anything of ours."""
    for target in ("/web/2026id_/http://dlweb/", "/web/2026id_/http://any.dlweb/"):
        status, _, _ = await ask(target)
        assert status in (400, 404)
    status, fields, _ = await ask("/captures")
    assert (status, fields.text(b"location")) == (302, "http://harbor.test/")


@ensureDeferred
async def test_faults_come_in_the_kind_that_is_expected(ask, replay):
    """What is not archived is said so, and logged."""
    status, fields, _ = await ask(f"/web/2026ir_/{URL}hole.png", accept="image/avif,image/*")
    assert status == 404
    assert fields.text(b"content-type").startswith("image/")
    assert [hole.url for hole in replay.missing.newest(5)] == [f"{URL}hole.png"]
    assert (await ask("/web/2026id_/ftp://a.test/"))[0] == 400
    assert (await ask(f"/web/2026id_/{URL}", "POST"))[0] in (404, 405)


@ensureDeferred
async def test_who_is_not_let_in_gets_nothing(archive, ask, replay):
    """The doors are asked before anything else."""
    archive.add(URL, b"secret", date=NEW)

    class Shut:
        def admit(self, request: Any) -> Any:
            raise Faulted(Fault(401, "shut", "Shut", "Nobody comes in."))

    for target in (f"/web/{NEW}id_/{URL}", "/web/sw.js", f"/web/{NEW}/{URL}"):
        status, _, body = await ask(target, of=evolve(replay, doors=Shut()))
        assert status == 401 and b"secret" not in body


@pytest.mark.parametrize(
    ("host", "may"),
    [("archive.example", b" http://archive.example:* https://archive.example:*"),
     ("[::1]", b" http://[::1]:* https://[::1]:*"), ("", b""), ("a; script-src *", b"")],
)  # fmt: skip
def test_only_this_machine_may_show_a_page_in_a_frame(host, may):
    """The harbor shows two pages side by side; no other site may show one."""
    policy = dict(frame_fields(host))[b"Content-Security-Policy"]
    assert policy.partition(b"frame-ancestors ")[2] == b"'self'" + may
