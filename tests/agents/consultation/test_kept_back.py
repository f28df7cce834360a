"""A takedown of a site and one of a date, at every door of the agent."""

import gzip
import http.client
from contextlib import closing
from urllib.parse import quote, unquote

import pytest
import pytest_twisted
from pytest_twisted import ensureDeferred
from twisted.internet.threads import deferToThread

from agents.archive.kept_records import name_of
from agents.capture import structure_key
from agents.consultation.faults.fault import Fault
from agents.consultation.urls.tables import Progress
from agents.posted import posted_url
from anet.tasks import sleep
from tests.agents.consultation.test_service import Running

HIDDEN, DATED, OPEN = "http://hidden.example/page", "http://dated.example/", "http://open.example/"
OLD, KEPT, NEW = "20190101000000000000", "20200202030405000000", "20210101000000000000"
RECORDS = name_of("kept.warc.gz", "0123456789abcdef")
HEAD = b'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nETag: "marked"\r\n\r\n'
PNG = b"\x89PNG\r\n\x1a\nmarked"
RULES = """
- {urls: "*.hidden.example", kind: takedown, reason: Ordered}
- {urls: dated.example, kind: takedown, from: "2020", to: "2020", reason: Ordered}
"""
STORY = "The ferry leaves the island every morning at seven unless the wind comes from the north. "
MARKS = (
    b"marked",
    b"hidden.example",
    b"20200202",
    b"2020-02-02",
    b"02 Feb 2020",
    b"2 February 2020",
)
FORM = "application/x-www-form-urlencoded"


@pytest_twisted.async_yield_fixture
async def running(reactor, archive, tmp_path):
    """An agent whose archive has something to hide."""
    (tmp_path / "access-rules.yaml").write_text("")
    (tmp_path / "sw.js").write_text("the engine")
    page = f"<title>marked</title><p>marked {STORY * 3}<a href={OPEN}>o</a>".encode()
    for url, date, body in (
        (HIDDEN, KEPT, page), (HIDDEN + ".png", KEPT, PNG), (f"{HIDDEN}?b=1&a=2", KEPT, page),
        (posted_url(HIDDEN, "POST", FORM, b"a=1"), KEPT, page),
        ("https://www.hidden.example/s", KEPT, page), (OPEN, NEW, f"<p>{STORY * 3}".encode()),
        (DATED, OLD, b"<p>old"), (DATED, KEPT, page), (DATED, NEW, b"<p>new"),
    ):  # fmt: skip
        archive.add(url, body, head=HEAD, date=date)
    running = Running(reactor, archive, tmp_path, lookup="index", mining=True, mining_rate=1000.0,
                      url_index_period=0.05, date_by="address")  # fmt: skip
    yield running
    await running.stop()


def doors_of(url, date):
    """Return what may be asked of a capture: server, method, target, fields, body."""
    near = {"Accept-Datetime": f"{date[:4]}-{date[4:6]}-{date[6:8]}"}
    for method, more in (
        ("GET", {}), ("HEAD", {}), ("GET", {"Range": "bytes=0-99"}),
        ("GET", {"If-None-Match": '"marked"'}), ("GET", {"Origin": "http://open.example"}),
    ):  # fmt: skip
        yield "proxy", method, url, near | more, b""
        yield "replay", method, f"/web/{date[:14]}id_/{url}", more, b""
        yield "replay", method, f"/web/{date[:8]}ir_/{url}", more, b""
        yield "replay", method, f"/web/{date[:14]}/{url}", more, b""
        yield "replay", method, f"/web/{date[:6]}/{url}", more, b""
    asked, whole = quote(url, safe=""), f"url={quote(url, safe='')}&date={date}"
    paths = [
        f"/captures?url={asked}", f"/captures?url={asked}&format=json",
        f"/captures?url={asked}&day={date[:8]}", f"/calendar?url={asked}&year={date[:4]}",
        f"/calendar?url={asked}&format=json", f"/picture?{whole}",
        *(f"/difference?url={asked}&from={date}&to={date}&mode={mode}{form}"
          for mode in ("text", "source", "links", "frames") for form in ("", "&format=json")),
        *(f"/api/1/{name}?{whole}" for name in ("capture", "content", "links", "text")),
        f"/api/1/similar?{whole}", f"/api/1/captures?url={asked}",
        *(f"/cdx{kind}?url={asked}{more}" for kind in ("", "/all", "/search/cdx")
          for more in ("", "&matchType=host", f"&closest={date[:14]}", "&fl=timestamp,digest")),
        f"/warc/{structure_key(url)}/{date}.warc", f"/warc/{date[:14]}id_/{url}",
        f"/timegate/{url}", f"/timemap/link/{url}", f"/timemap/json/{url}",
    ]  # fmt: skip
    for path in paths:
        yield "pages", "GET", path, near, b""
        yield "proxy", "GET", f"http://dlweb{path}", near, b""


def doors():
    """Return what may be asked of all that is kept back."""
    for url, date in ((HIDDEN, KEPT), (HIDDEN + ".png", KEPT), (DATED, KEPT)):
        yield from doors_of(url, date)
    for path in ("/missing", "/", "/missing?format=json", "/page", "/page?format=json",
                 "/api/1/screens", "/monitoring", "/status.json"):  # fmt: skip
        yield "proxy", "GET", f"http://dlweb{path}", {}, b""
    for path in ("/urls", "/urls?prefix=hidden.example", "/api/1/urls", "/cdx?url=*.example",
                 f"/api/1/backlinks?url={quote(OPEN, safe='')}",
                 f"/api/1/similar?url={quote(OPEN, safe='')}"):  # fmt: skip
        yield "pages", "GET", path, {}, b""
    for url in (f"{HIDDEN}?a=2&b=1", "http://www.hidden.example/s", "https://hidden.example/page",
                "http://hidden.example:80/p%61ge", "http://HIDDEN.example/x/../page"):  # fmt: skip
        yield "proxy", "GET", url, {}, b""
    yield "proxy", "POST", HIDDEN, {"Content-Type": FORM}, b"a=1"
    yield "replay", "POST", f"/web/2021ir_/{HIDDEN}", {"Content-Type": FORM}, b"a=1"


def lists():
    """Return what names URLs without being given one."""
    for path in ("/missing", "/", "/page", "/urls", "/urls?prefix=warc", "/urls?prefix=warc:",
                 "/api/1/urls", "/api/1/screens", "/monitoring", "/status.json", "/metrics",
                 "/cdx?url=*.example", "/cdx?url=kept.warc.gz&matchType=domain",
                 f"/api/1/backlinks?url={quote(OPEN, safe='')}",
                 f"/api/1/similar?url={quote(OPEN, safe='')}&date={NEW}"):  # fmt: skip
        for form in ("", "format=json"):
            target = path + ("&" if "?" in path else "?") + form if form else path
            yield "pages", "GET", target, {}, b""
            yield "proxy", "GET", f"http://dlweb{target}", {}, b""


def ask(agent, server, method, target, fields, body):
    """Return what an agent answers, head and body."""
    host, _, port = getattr(agent, server).address.partition(":")
    with closing(http.client.HTTPConnection(host, int(port), timeout=20)) as connection:
        connection.request(method, target, body, fields)
        answer = connection.getresponse()
        head = "".join(f"{name}: {value}\n" for name, value in answer.getheaders())
        return f"{answer.status}\n{head}\n".encode() + answer.read()


def told(answer, target):
    """Return what an answer tells beyond what was asked."""
    asked = target.lower().replace("-", "")
    marks = [mark for mark in MARKS if mark.decode().replace("-", "") not in asked]
    return [mark for mark in marks if mark in answer]


@ensureDeferred
async def test_no_door_tells_of_what_is_kept_back(running, reactor, tmp_path):
    """Neither content nor title, date, link or URL, however it is asked for."""
    agent, asked = running.agent, list(doors())
    held = [captures[0].url for captures in running.index.archive.first.captures.values()]
    await agent.looking.urls.index.add("node", Progress(), held)
    while agent._mining.reach()["documents"] < 3:
        await sleep(reactor, 0.05)
    agent._missing.note(Fault(500, "missing-content", "t", "m", HIDDEN), HIDDEN, NEW)
    before = {}
    for one in asked:
        answer = await deferToThread(ask, agent, *one)
        before[str(one)] = told(answer, one[2])
    agent._missing.note(Fault(500, "missing-content", "t", "m", HIDDEN), HIDDEN, NEW)
    (tmp_path / "access-rules.yaml").write_text(RULES)
    assert agent.keeping.rules.renew()
    leaks = []
    for one in asked:
        answer = await deferToThread(ask, agent, *one)
        found = told(answer, one[2])
        if found:
            leaks.append((found, one, answer))
    assert not leaks, "\n".join(map(str, leaks))
    silent = [one for one in before if not before[one]]
    assert len(silent) < len(before) / 3, "\n".join(silent)  # else this proves little


@ensureDeferred
@pytest.mark.parametrize("rules", ["", RULES])
async def test_no_door_tells_of_the_records_of_an_import(
    running, archive, reactor, tmp_path, rules
):
    """They hold cookies: no reader sees or finds them, as page, in a list, by key or mined."""
    (tmp_path / "access-rules.yaml").write_text(rules)
    running.agent.keeping.rules.renew()
    page = f"<title>treasure</title><p>treasure {STORY * 3}<a href={OPEN}>o</a>".encode()
    records = gzip.compress(page)
    for url, body in ((RECORDS, page), (f"{RECORDS}x", records)):
        archive.add(url, body, head=HEAD, date=KEPT)
    agent = running.agent
    held = [captures[0].url for captures in running.index.archive.first.captures.values()]
    assert RECORDS in held
    while agent._mining.reach()["documents"] < 3 or not agent._mining.reach()["complete"]:
        await sleep(reactor, 0.05)
    for again in (False, True):  # before URLs are listed, and when they are
        asked = [*doors_of(RECORDS, KEPT), *doors_of(f"{RECORDS}x", KEPT), *lists()]
        for one in asked:
            answer = (await deferToThread(ask, agent, *one)).lower()
            said = "kept.warc.gz" in unquote(one[2])
            assert b"treasure" not in answer, one
            assert records not in answer and b"20200202020304" not in answer or KEPT in one[2], one
            assert said or b"kept.warc.gz" not in answer, (one, answer)
            assert not answer.startswith((b"451", b"500")), (one, answer)
        if not again:
            agent.looking.urls.index.complete = True
