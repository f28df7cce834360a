"""Through the proxy a client gets what the web gave, and never the web itself."""

import gzip
import http.client

import pytest
from attrs import evolve
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytest_twisted import ensureDeferred
from twisted.internet.threads import deferToThread

from agents.consultation.access.audit import Audit
from agents.consultation.access.doors import Doors
from agents.consultation.faults.missing import Missing
from agents.consultation.measures import Measures
from agents.consultation.proxy.proxy import Proxy
from agents.consultation.readers.readers import Readers
from agents.consultation.readers.screens import Screens
from anet.http import Response
from anet.http.connect import connect
from anet.http.message import HOP_BY_HOP, parse_head

URL = "http://www.example.org/page.html"
OLD, NEW = "20200101000000000000", "20260101000000000000"
HEAD = b"HTTP/1.1 200 Fine\r\nServer: nginx\r\nX-Odd:  spaced  out \r\nSet-Cookie: a=1\r\n\r\n"


class Client:
    """Asks a proxy, and knows what stands behind it."""

    def __init__(self, proxy: Proxy, address: str, reactor) -> None:
        self.proxy, self.address, self.reactor = proxy, address, reactor

    async def ask(self, url, method="GET", body=b"", **fields):
        """Return head and body of the answer."""
        host, _, port = self.address.partition(":")
        connection = await connect(self.reactor, host, int(port))
        sent = [(name.replace("_", "-").encode(), value) for name, value in fields.items()]
        answer = await connection.request(method, url, sent, body)
        try:
            return answer.head, await answer.read(30_000_000)
        finally:
            connection.close()


@pytest.fixture
def client(archive, serve, reactor):
    """A client of a proxy before the archive."""

    async def harbor(request):
        return Response.text(200, f"harbor {request.path}")

    proxy = Proxy(
        clock=reactor,
        doors=Doors(),
        retrieval=archive.retrieval,
        readers=Readers(10),
        screens=Screens(),
        missing=Missing(10),
        measures=Measures(),
        audit=Audit(),
        harbor=harbor,
    )
    return Client(proxy, serve(proxy), reactor)


@ensureDeferred
async def test_status_fields_and_bytes_are_those_of_the_web(archive, client):
    """The answer has the status line, the fields and the bytes that were received."""
    capture = archive.add(URL, b"<p>bytes", head=HEAD)
    head, body = await client.ask(URL)
    assert body == b"<p>bytes"
    assert head.raw.startswith(HEAD[:-2])
    assert head.headers.get(b"content-length") == b"8"
    assert head.headers.get(b"dlweb-date") == capture.date.encode()
    assert head.headers.get(b"dlweb-content") == capture.content.encode()


@ensureDeferred
async def test_head_has_the_same_fields_and_no_body(archive, client):
    """HEAD differs from GET by the body alone, and fetches no content."""
    archive.add(URL, b"<p>bytes", head=HEAD)
    got, _ = await client.ask(URL)
    archive.first.asked.clear()
    head, body = await client.ask(URL, "HEAD")
    assert (head.raw, body) == (got.raw, b"")
    assert not [target for target in archive.first.asked if target.startswith("/contents")]


@ensureDeferred
async def test_an_empty_content_is_given(archive, client):
    """A redirect with no body is a capture like any other."""
    archive.add(URL, b"", head=b"HTTP/1.1 302 Found\r\nLocation: /there\r\n\r\n")
    head, body = await client.ask(URL)
    assert (head.status, head.headers.get(b"location"), body) == (302, b"/there", b"")


@ensureDeferred
async def test_coded_bytes_stay_coded(archive, client):
    """A compressed body goes out as it was received, its chunks put together."""
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n"
    archive.add(URL, b"\x1f\x8bnot really", head=head)
    given, body = await client.ask(URL)
    assert body == b"\x1f\x8bnot really"
    assert given.headers.get(b"content-encoding") == b"gzip"
    assert b"transfer-encoding" not in given.headers


@ensureDeferred
async def test_a_large_content_comes_whole(archive, client):
    """A content larger than what is held in memory is streamed."""
    archive.add(URL, bytes(3_000_000), head=HEAD)
    assert (await client.ask(URL))[1] == bytes(3_000_000)
    assert client.proxy.measures.bytes.total == 3_000_000


FIELD = st.tuples(
    st.from_regex(rb"[A-Za-z][A-Za-z0-9-]{0,12}", fullmatch=True),
    st.text(st.characters(min_codepoint=32, max_codepoint=255, exclude_characters="\x7f")).map(
        lambda text: text.encode("latin-1").strip()
    ),
)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(fields=st.lists(FIELD, max_size=8), body=st.binary(max_size=50))
@ensureDeferred
async def test_what_goes_out_is_what_came_in(archive, client, fields, body):
    """All fields come in their order, but for those of one connection and the archive's own."""
    lines = [b"HTTP/1.1 200 OK", *(b"%s: %s" % pair for pair in fields)]
    archive.add(URL, body, head=b"\r\n".join(lines) + b"\r\n\r\n", date=NEW)
    for node in (archive.first, archive.second):
        del next(iter(node.captures.values()))[:-1]
    given, received = await client.ask(URL)
    ours = {*HOP_BY_HOP, b"content-length"}
    end = [name for name, _ in given.headers].index(b"Dlweb-Date")  # from here on the archive's
    kept = [pair for pair in [*given.headers][:end] if pair[0].lower() not in ours]
    assert kept == [pair for pair in fields if pair[0].lower() not in ours]
    assert received == body


@ensureDeferred
async def test_the_date_of_the_reader_counts(archive, client):
    """Who chose a date sees the archive at that date."""
    archive.add(URL, b"old", head=HEAD, date=OLD)
    archive.add(URL, b"new", head=HEAD, date=NEW)
    assert (await client.ask(URL))[1] == b"new"
    client.proxy.readers.choose("127.0.0.1", date=OLD)
    assert (await client.ask(URL))[1] == b"old"


@pytest.mark.parametrize("date", [b"Wed, 01 Jan 2020 00:00:00 GMT", b"2020-01-01", b"2020"])
@ensureDeferred
async def test_accept_datetime_counts_for_one_request(archive, client, date):
    """A request may name its own date (RFC 7089), in any form."""
    archive.add(URL, b"old", head=HEAD, date=OLD)
    archive.add(URL, b"new", head=HEAD, date=NEW)
    client.proxy.readers.choose("127.0.0.1", date=NEW)
    assert (await client.ask(URL, Accept_Datetime=date))[1] == b"old"
    assert (await client.ask(URL))[1] == b"new"


@ensureDeferred
async def test_a_date_that_is_none_is_refused(client):
    """A wrong Accept-Datetime is answered with the forms that are right."""
    head, body = await client.ask(URL, Accept_Datetime=b"yesterday", Accept=b"text/plain")
    assert head.status == 400 and b"2026-11-21" in body


@ensureDeferred
async def test_only_browsers_are_told_not_to_cache(archive, client):
    """A browser's cache would mix dates; any other program gets the web's own fields."""
    archive.add(URL, b"x", head=HEAD)
    assert (await client.ask(URL))[0].headers.get(b"cache-control") is None
    head, _ = await client.ask(URL, User_Agent=b"Mozilla/5.0 (X11; Linux x86_64)")
    assert head.headers.get(b"cache-control") == b"no-store"


@ensureDeferred
async def test_the_capture_of_another_url_is_named(archive, client):
    """When https:// stands in for http://, the answer says so."""
    archive.add(URL.replace("http:", "https:"), b"secure", head=HEAD)
    head, body = await client.ask(URL)
    assert (head.headers.get(b"dlweb-url"), body) == (
        URL.replace("http:", "https:").encode(),
        b"secure",
    )


@ensureDeferred
async def test_https_may_be_asked_for_in_the_open(archive, client):
    """A client that sends https:// URLs to its proxy as they are needs no tunnel."""
    archive.add("https://a.example/", b"secure", head=HEAD)
    assert (await client.ask("https://a.example/"))[1] == b"secure"


@ensureDeferred
async def test_what_the_archive_lacks_is_said_and_noted(client):
    """A hole is a fault page that names the URL, and an entry in the log of holes."""
    head, body = await client.ask(URL, Accept=b"text/html", Referer=b"http://www.example.org/")
    assert head.status == 404 and URL.encode() in body
    assert head.headers.get(b"dlweb-fault") == b"unknown-url"
    (hole,) = client.proxy.missing.newest(10)
    assert (hole.url, hole.page) == (URL, "http://www.example.org/")
    assert client.proxy.measures.outcomes["unknown"] == 1


LONG = bytes(range(251)) * 4000  # about a megabyte


@pytest.mark.parametrize(
    ("wanted", "part", "said"),
    [
        (b"bytes=10-19", LONG[10:20], b"bytes 10-19/1004000"),
        (b"bytes=-5", LONG[-5:], b"bytes 1003995-1003999/1004000"),
        (b"bytes=500000-", LONG[500_000:], b"bytes 500000-1003999/1004000"),
        (b"bytes=0-", LONG, b"bytes 0-1003999/1004000"),
    ],
)
@ensureDeferred
async def test_a_range_is_asked_of_the_node_alone(archive, client, wanted, part, said):
    """A player that jumps in a video gets these bytes, and no others are read for it."""
    archive.add(URL, LONG, head=HEAD)
    head, body = await client.ask(URL, Range=wanted)
    assert (head.status, body == part, head.headers.get(b"content-range")) == (206, True, said)
    assert head.headers.get(b"content-length") == b"%d" % len(part)
    assert head.headers.get(b"x-odd") == b"spaced  out"


@ensureDeferred
async def test_a_range_past_the_end(archive, client):
    """It is answered 416 with the length there is, on a connection that goes on."""
    archive.add(URL, b"short", head=HEAD)
    host, _, port = client.address.partition(":")
    connection = await connect(client.reactor, host, int(port))
    answer = await connection.request("GET", URL, [(b"Range", b"bytes=5-")])
    assert (answer.head.status, await answer.read(10)) == (416, b"")
    assert answer.head.headers.get(b"content-range") == b"bytes */5"
    assert await (await connection.request("GET", URL)).read(10) == b"short"
    connection.close()


@ensureDeferred
async def test_who_has_it_gets_nothing_again(archive, client):
    """A conditional request is answered 304, and no content is read."""
    capture = archive.add(URL, b"x", head=HEAD)
    archive.first.asked.clear()
    head, body = await client.ask(URL, If_None_Match=b'"%s"' % capture.content.encode())
    assert (head.status, body, head.headers.get(b"server")) == (304, b"", b"nginx")
    assert not [target for target in archive.first.asked if target.startswith("/contents")]


@ensureDeferred
async def test_a_client_without_the_coding_gets_it_undone(archive, client):
    """The bytes are those that the coding stands for, and the answer says what was done."""
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"
    archive.add(URL, gzip.compress(LONG), head=head)
    given, body = await client.ask(URL, Accept_Encoding=b"identity")
    assert body == LONG
    assert b"content-encoding" not in given.headers
    assert given.headers.get(b"dlweb-removed") == b"content-encoding"
    assert (await client.ask(URL, Accept_Encoding=b"gzip"))[1] == gzip.compress(LONG)


FORM = b"application/x-www-form-urlencoded"


@ensureDeferred
async def test_a_form_gets_the_answer_it_got(archive, client):
    """What was answered to the same form is given, and is no memento of its URL."""
    archive.add(URL + "?__wb_method=POST&q=a+b", b"found", head=HEAD)
    head, body = await client.ask(URL, "POST", b"q=a%20b", Content_Type=FORM)
    assert (head.status, body) == (200, b"found")
    assert b"memento-datetime" not in head.headers
    assert (await client.ask(URL, "POST", b"q=other", Content_Type=FORM))[0].status == 405


@ensureDeferred
async def test_a_form_may_be_answered_by_get(archive, client):
    """Where the same fields were asked for by GET, that answer is given."""
    archive.add(URL + "?q=1", b"by GET", head=HEAD)
    assert (await client.ask(URL, "POST", b"q=1", Content_Type=FORM))[1] == b"by GET"
    assert client.proxy.measures.outcomes["hit"] == 1


@ensureDeferred
async def test_too_long_a_form_is_refused(archive, client):
    """What is too long to be looked up is said to be so."""
    head, body = await client.ask(URL, "POST", bytes(20_000), Accept=b"text/plain")
    assert (head.status, b"16 KiB" in body) == (413, True)


@ensureDeferred
async def test_a_page_of_another_origin_may_read(archive, client):
    """A preflight is allowed, and the answer lets the page read it; the harbor does not."""
    archive.add(URL, b"{}", head=HEAD)
    origin = b"http://page.example"
    asked = {"Origin": origin, "Access_Control_Request_Method": b"GET"}
    head, _ = await client.ask(URL, "OPTIONS", **asked)
    assert (head.status, head.headers.get(b"access-control-allow-origin")) == (204, origin)
    head, _ = await client.ask(URL, Origin=origin, Sec_Fetch_Mode=b"cors")
    assert head.headers.get(b"access-control-allow-origin") == origin
    assert b"access-control-allow-origin" not in (await client.ask(URL))[0].headers
    for method in ("OPTIONS", "GET"):
        head, _ = await client.ask("http://dlweb/", method, **asked)
        assert b"access-control-allow-origin" not in head.headers


@ensureDeferred
async def test_a_capture_is_a_memento(archive, client):
    """It says its date and that its URL is its own TimeGate (RFC 7089, pattern 1.3)."""
    archive.add(URL, b"old", head=HEAD, date=OLD)
    archive.add(URL, b"new", head=HEAD, date=NEW)
    head, _ = await client.ask(URL, "HEAD", Accept_Datetime=b"Wed, 01 Jan 2020 00:00:00 GMT")
    fields = head.headers
    assert fields.get(b"memento-datetime") == b"Wed, 01 Jan 2020 00:00:00 GMT"
    assert fields.get(b"vary") == b"accept-datetime"
    assert b'<%s>; rel="original timegate"' % URL.encode() in fields.get(b"link")
    assert b"<http://dlweb/timemap/link/%s>" % URL.encode() in fields.get(b"link")
    assert b"content-location" not in fields


@pytest.mark.parametrize(
    "url", ["http://dlweb/", "http://nothing.example/", "http://other.dlweb/", "/"]
)
@ensureDeferred
async def test_nothing_else_is_a_memento(client, url):
    """Faults and the harbor have no date (pywb issue 549)."""
    head, _ = await client.ask(url, Accept_Datetime=b"Wed, 01 Jan 2020 00:00:00 GMT")
    assert b"memento-datetime" not in head.headers
    assert b"timegate" not in (head.headers.get(b"link") or b"")


@ensureDeferred
async def test_a_memento_of_another_archive_keeps_its_word(archive, client):
    """A capture that says when it is from is not contradicted."""
    head = HEAD[:-2] + b"Memento-Datetime: Fri, 01 Jan 2010 00:00:00 GMT\r\n\r\n"
    archive.add(URL, b"x", head=head, date=OLD)
    given, _ = await client.ask(URL)
    assert given.headers.get_all(b"memento-datetime") == [b"Fri, 01 Jan 2010 00:00:00 GMT"]


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"])
@ensureDeferred
async def test_the_past_cannot_be_changed(archive, client, method):
    """Methods that write are refused, whatever the URL."""
    archive.add(URL, b"x")
    head, _ = await client.ask(URL, method, b"form" if method == "POST" else b"")
    assert (head.status, head.headers.get(b"allow")) == (405, b"GET, HEAD")


@ensureDeferred
async def test_an_archived_script_is_no_service_worker(archive, client):
    """It would stay in the browser: over other dates, and over the live site afterwards."""
    archive.add(URL, b"x")
    head, body = await client.ask(URL, service_worker=b"script")
    assert head.status == 403 and body != b"x"
    assert head.headers.get(b"dlweb-fault") == b"no-worker"


@pytest.mark.parametrize(
    ("target", "status"),
    [
        ("/page", 400),
        ("ftp://a.example/x", 400),
        ("http://", 400),
        ("http://other.dlweb:81/", 404),
        ("http://dlweb:81/", 404),
        ("https://dlweb:444/", 404),
        ("http://127.0.0.1:22/", 404),
        ("http://[::1]:8080/", 404),
        ("http://169.254.169.254/latest/meta-data", 404),
    ],
)
@ensureDeferred
async def test_nothing_is_relayed(client, target, status):
    """Whatever address is asked for, nothing but the archive answers."""
    assert (await client.ask(target))[0].status == status


@ensureDeferred
async def test_a_tunnel_is_refused_with_a_reason(client):
    """CONNECT is answered 501, and says what to do instead."""

    def tunnel():
        host, _, port = client.address.partition(":")
        connection = http.client.HTTPConnection(host, int(port), timeout=5)
        connection.putrequest("CONNECT", "a.example:443", skip_host=True)
        connection.endheaders()
        connection.sock.settimeout(5)
        answer = b""
        while piece := connection.sock.recv(65536):
            answer += piece
        connection.close()
        return answer

    answer = await deferToThread(tunnel)
    assert answer.startswith(b"HTTP/1.1 501 ") and b"http://" in answer


@ensureDeferred
async def test_the_harbor_is_at_its_own_name(client):
    """http://dlweb/ is answered by the harbor, and is no capture."""
    assert (await client.ask("http://dlweb/captures?url=x"))[1] == b"harbor /captures"
    assert (await client.ask("http://DLWEB"))[1] == b"harbor /"
    assert (await client.ask("http://calendar.dlweb/"))[1] == b"harbor /"
    assert (await client.ask("http://notdlweb/"))[0].status == 404


@ensureDeferred
async def test_the_living_web_is_for_whom_asks_for_it(archive, client, serve, reactor):
    """Only where it is allowed, only for who chose it, and never as a memento."""
    archive.add(URL, b"archived", head=HEAD)

    async def live(_, asked):
        return Response.text(200, f"live {asked.url}")

    client.proxy.readers.choose("127.0.0.1", live=True)
    assert (await client.ask(URL))[1] == b"archived"
    allowed = Client(evolve(client.proxy, live=live), "", reactor)
    allowed.address = serve(allowed.proxy)
    head, body = await allowed.ask(URL)
    assert (body, b"memento-datetime" in head.headers) == (f"live {URL}".encode(), False)
    assert (await allowed.ask("http://dlweb/"))[1] == b"harbor /"
    client.proxy.readers.choose("127.0.0.1", live=False)
    assert (await allowed.ask(URL))[1] == b"archived"


@ensureDeferred
async def test_a_client_that_leaves_frees_its_node(archive, client, reactor):
    """The content on its way to a browser that went away is let go."""
    archive.add(URL, bytes(20_000_000), head=HEAD)
    host, _, port = client.address.partition(":")
    for _ in range(12):  # more than the connections kept to one node
        connection = await connect(reactor, host, int(port))
        (await connection.request("GET", URL)).abandon()
    assert len((await client.ask(URL))[1]) == 20_000_000


@ensureDeferred
async def test_a_stored_head_that_is_none_is_replaced(archive, client):
    """A capture without a head of its own is given as bytes."""
    from agents.capture import Capture, content_key

    for node in (archive.first, archive.second):
        node.add(Capture(URL, OLD, content_key(b"raw"), 3, 200, b""), b"raw")
    head, body = await client.ask(URL)
    assert (head.status, body) == (200, b"raw")
    assert parse_head(head.raw).headers.get(b"content-type") == b"application/octet-stream"
