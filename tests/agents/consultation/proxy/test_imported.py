"""Captures as files of the field bring them, through the proxy and by `/web/`."""

import gzip
import http.client
from contextlib import closing

import pytest
from attrs import frozen
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytest_twisted import ensureDeferred
from twisted.internet.threads import deferToThread

from agents.capture import Capture, content_key
from agents.consultation.access.audit import Audit
from agents.consultation.access.doors import Doors
from agents.consultation.faults.missing import Missing
from agents.consultation.measures import Measures
from agents.consultation.memento.fields import Addresses
from agents.consultation.proxy.proxy import Proxy
from agents.consultation.readers.readers import Readers
from agents.consultation.readers.screens import Screens
from agents.consultation.replay.replay import Replay
from agents.origin import composed
from anet.http import Response

URL = "http://www.example.org/page"
DATE = "19961123050607000000"
BODY = b"<p>what the web gave"
PAGE = b"Content-Type: text/html\r\n"


def imported(archive, head, body=BODY, status=200, date=DATE, url=URL, **told):
    """Put a capture of an imported record into an archive; nothing of it is checked."""
    origin = composed([("import", "old.warc.gz"), ("record-id", "<urn:uuid:1>"), *told.items()])
    capture = Capture(url, date, content_key(body), len(body), status, head, origin)
    for node in (archive.first, archive.second):
        node.add(capture, body)
    return capture


@frozen
class Given:
    """What a door gives."""

    status: int
    fields: http.client.HTTPMessage
    body: bytes


@pytest.fixture
def give(archive, serve, reactor):
    """Return what asks both doors, each twice over one connection, and gives what they agree on."""

    async def harbor(_):
        return Response.text(200, "harbor")

    shared = {"clock": reactor, "doors": Doors(), "retrieval": archive.retrieval,
              "missing": Missing(10), "measures": Measures(), "audit": Audit()}  # fmt: skip
    proxy = serve(Proxy(readers=Readers(10), screens=Screens(), harbor=harbor, **shared))
    replay = serve(Replay(addresses=Addresses(), script=b"", **shared))

    async def give(date=DATE, url=URL, **fields):
        near = {"Accept-Datetime": f"{date[:8]}", **fields}
        through_proxy = await deferToThread(asked_twice, proxy, url, near)
        by_web = await deferToThread(asked_twice, replay, f"/web/{date}id_/{url}", fields)
        assert (through_proxy.status, through_proxy.body) == (by_web.status, by_web.body)
        return through_proxy

    return give


def asked_twice(address, target, fields):
    """Return what is answered; an answer framed wrongly would spoil the next on its connection."""
    with closing(http.client.HTTPConnection(address, timeout=10)) as connection:
        first, second = (answered(connection, target, fields) for _ in range(2))
        head = answered(connection, target, fields, "HEAD")
    assert (first.status, first.body) == (second.status, second.body)
    assert (first.status, b"") == (head.status, head.body)
    return first


def answered(connection, target, fields, method="GET"):
    """Return what one request is answered."""
    connection.request(method, target, headers=fields)
    answer = connection.getresponse()
    return Given(answer.status, answer.headers, answer.read())


@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.1 200 OK\n" + PAGE.replace(b"\r", b"") + b"\n",
        b"HTTP/1.0 200 OK\r\n" + PAGE + b"Connection: close\r\n\r\n",
        b"HTTP/1.1 200\r\n" + PAGE + b"\r\n",
        b"HTTP/1.1 200 \r\n" + PAGE + b"\r\n",
        b"HTTP/2 200\r\ncontent-type: text/html\r\n\r\n",
        b"HTTP/2.0 200 \r\ncontent-type: text/html\r\n\r\n",
        b"HTTP/1.1  200  Fine\r\n" + PAGE + b"\r\n",
        b"http/1.1 200 ok\r\n" + PAGE + b"\r\n",
        b"HTTP 200 OK\r\n" + PAGE + b"\r\n",
        b"ICY 200 OK\r\n" + PAGE + b"\r\n",
        b"HTTP/1.1 200 OK\r\n" + PAGE,  # without the empty line
        b"HTTP/1.1 200 OK\r\n" + PAGE + b"Transfer-Encoding: chunked\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + PAGE + b"Content-Length: 999999\r\n\r\n",  # a truncated record
        b"HTTP/1.1 200 OK\r\n" + PAGE + b"Content-Length: 3\r\nContent-Length: 20\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + PAGE + b"Content-Length: x\r\nTransfer-Encoding: gzip\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n folded: first\r\n"
        + PAGE
        + b"X: a\r\n b\r\nno field\r\n: none\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + PAGE + b"X: \0\rY: 1\r\nZ\xe9: \xff\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX Y: 1\r\n folded\r\nZ :\xe9\r\n" + PAGE + b"\r\n",
        b"HTTP/1.1 200 \xe9\xff\r\n" + PAGE + b"Trailer: X\r\nUpgrade: h2c\r\nTE: x\r\n\r\n",
    ],
)
@ensureDeferred
async def test_a_head_of_any_form_is_served(archive, give, head):
    """The content comes whole, with its type, and the connection serves on."""
    imported(archive, head)
    given = await give()
    assert (given.status, given.body) == (200, BODY)
    assert given.fields["Content-Type"] == "text/html"
    assert given.fields.get_all("Content-Length") == [str(len(BODY))]


@pytest.mark.parametrize(
    ("head", "status", "answer"),
    [
        (b"", 0, 502),
        (b"", 200, 200),
        (b"<html>no head at all", 200, 200),
        (b"HTTP/1.1 0 Odd\r\n\r\n", 0, 502),
        (b"HTTP/1.1 100 Continue\r\n\r\n", 100, 502),
        (b"HTTP/1.1 999 Request denied\r\n\r\n", 999, 999),
        (b"HTTP/1.1 200 OK\r\n\r\n", 404, 404),
        (b"HTTP/1.1 2000 OK\r\n\r\n", 200, 200),
        (b"HTTP/1.1 404\r\n\r\n", 404, 404),
    ],
)
@ensureDeferred
async def test_a_status_of_any_kind_is_served(archive, give, head, status, answer):
    """What a browser could not take for an answer is one of the archive's, with the same bytes."""
    imported(archive, head, status=status)
    given = await give()
    assert (given.status, given.body) == (answer, BODY)


@pytest.mark.parametrize("status", [204, 304])
@ensureDeferred
async def test_an_answer_without_content_stays_without(archive, give, status):
    """Even when the record has one: no browser would take it for that answer's."""
    imported(archive, b"HTTP/1.1 %d No\r\nContent-Length: 20\r\n\r\n" % status, status=status)
    given = await give()
    assert (given.status, given.body) == (status, b"")


@ensureDeferred
async def test_a_part_is_served_as_one(archive, give):
    """A capture of 206 keeps its range; one whose range does not fit is given as it is."""
    head = b"HTTP/1.1 206 Partial\r\n" + PAGE + b"Content-Range: bytes 10-29/100\r\n\r\n"
    imported(archive, head, status=206)
    given = await give()
    assert (given.status, given.body) == (206, BODY)
    assert given.fields["Content-Range"] == "bytes 10-29/100"
    assert (await give(Range="bytes=12-13")).body == BODY[2:4]
    imported(archive, head.replace(b"29", b"77"), status=206, url=f"{URL}2")
    assert (await give(url=f"{URL}2", Range="bytes=12-13")).body == BODY


@ensureDeferred
async def test_a_damaged_coding_goes_to_who_takes_it(archive, give):
    """Whoever asks for it gets the bytes; others an answer that is broken off, and never half."""
    head = b"HTTP/1.1 200 OK\r\n" + PAGE + b"Content-Encoding: gzip\r\nContent-Length: 9\r\n\r\n"
    damaged = gzip.compress(BODY * 100)[:-9]
    imported(archive, head, damaged)
    given = await give(**{"Accept-Encoding": "gzip"})
    assert (given.body, given.fields["Content-Encoding"]) == (damaged, "gzip")
    imported(archive, head, b"not gzip", url=f"{URL}2")
    with pytest.raises((http.client.HTTPException, OSError)):
        await give(url=f"{URL}2", **{"Accept-Encoding": "identity"})
    imported(archive, head, gzip.compress(BODY), url=f"{URL}3")
    assert (await give(url=f"{URL}3", **{"Accept-Encoding": "identity"})).body == BODY


@ensureDeferred
async def test_records_that_are_no_answers_of_servers(archive, give):
    """A resource has a head that was made, a revisit that of what it repeats."""
    made = b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n"
    imported(archive, made, b"\x89PNG", record="resource")
    assert (await give()).body == b"\x89PNG"
    told = {"revisit": f"identical-payload {DATE} {URL}", "truncated": "length"}
    head = b"HTTP/1.1 200 OK\r\n" + PAGE + b"\r\n"
    imported(archive, head, b"\x89PNG", date="19970101000000000000", **told)
    assert (await give("19970101000000000000")).body == b"\x89PNG"
    imported(archive, b"HTTP/1.1 200 OK\r\n" + PAGE + b"\r\n", b"", url=f"{URL}2", truncated="time")
    assert (await give(url=f"{URL}2")).body == b""


@pytest.mark.parametrize(
    "date",
    [
        "00010101000000000000",
        "09991231235959999999",
        "19691231235959999999",
        "19700101000000000000",
        "19960229000000000001",
        "20991231235959999999",
        "99991231235959999999",
    ],
)
@ensureDeferred
async def test_dates_of_any_time(archive, give, date):
    """Before the web, before the epoch and in the future, alone and beside others."""
    imported(archive, b"HTTP/1.1 200 OK\r\n" + PAGE + b"\r\n", date=date)
    given = await give(date)
    assert (given.body, given.fields["Dlweb-Date"]) == (BODY, date)
    imported(archive, b"HTTP/1.1 200 OK\r\n" + PAGE + b"\r\n", b"other")
    assert (await give(date)).body == BODY
    assert (await give()).body == b"other"


LINE = st.binary(max_size=30) | st.sampled_from(
    [
        b"Content-Length: 7",
        b"Transfer-Encoding: chunked",
        b"Connection: keep-alive",
        b"HTTP/1.1 200",
    ]
)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    lines=st.lists(LINE, max_size=6),
    begin=st.sampled_from([b"HTTP/1.1 200 OK", b"HTTP/1.0 500", b"", b"HTTP/1.1"]) | LINE,
    end=st.sampled_from([b"\r\n", b"\n"]),
    status=st.integers(0, 999),
    body=st.binary(max_size=40),
)
@ensureDeferred
async def test_no_head_spoils_the_next_answer(archive, give, lines, begin, end, status, body):
    """Whatever a record holds: the bytes come whole or not at all, and the connection serves on."""
    for node in (archive.first, archive.second):
        node.captures.clear()
    imported(archive, end.join([begin, *lines, b"", b""]), body, status)
    given = await give()
    expected = status if status >= 200 else 502
    assert given.status == expected
    assert given.body == (b"" if status in (204, 304) else body)
