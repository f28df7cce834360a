"""The live web for readers who ask for it: as it is, marked, and kept where that is wanted."""

import hashlib
import json
import os
from pathlib import Path

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet.defer import Deferred
from twisted.internet.protocol import Factory, Protocol
from twisted.internet.ssl import (
    Certificate,
    optionsForClientTLS,
    trustRootFromCertificates,
)

from agents.consultation.live.upload import MEMORY, Upload
from agents.consultation.readers.cookies import set_cookie
from agents.origin import SentRequest, request_of
from anet.http import Headers, Request, Response
from tests.agents.collected.test_captures import contents

BROWSER = {"user_agent": b"Mozilla/5.0"}


@ensureDeferred
async def test_nobody_reaches_the_live_web_unasked(web, archive, reading):
    """Neither where the operator does not allow it, nor a reader who has not chosen it."""
    archive.add(f"{web.url}/page.html", b"then")
    closed = reading(live="no")
    assert (await closed.ask(f"{web.url}/page.html"))[1] == b"then"
    assert (await closed.ask(f"{web.url}/elsewhere"))[0].status == 404
    reader = reading()
    reader.choose(live=False)
    assert (await reader.ask(f"{web.url}/page.html"))[1] == b"then"
    assert (await reader.ask(f"{web.url}/elsewhere"))[0].status == 404
    assert web.asked() == []


@ensureDeferred
async def test_a_reader_gets_what_the_live_web_gives(web, archive, reading):
    """Head and bytes as they are, marked, never as a memento, and not for the browser's cache."""
    archive.add(f"{web.url}/page.html", b"then")
    reader = reading()
    head, body = await reader.ask(f"{web.url}/page.html", **BROWSER)
    assert (head.status, body) == (200, b"<title>now</title>")
    fields = head.headers
    assert fields.get(b"dlweb-live") == b"1" and b"memento-datetime" not in fields
    assert (
        fields.get(b"server")
        and fields.get(b"etag")
        and b"no-store" in fields.get(b"cache-control")
    )
    assert (await reader.ask(f"{web.url}/old"))[0].headers.get(b"location").endswith(b"/page.html")
    assert (await reader.ask(f"{web.url}/none"))[0].status == 404
    echoed = (await reader.ask(f"{web.url}/echo", "POST", b"a=1", x_own=b"mine"))[1]
    assert echoed == b"POST 3 1.1 dlweb mine"
    head, body = await reader.ask(f"{web.url}/film.bin", "HEAD")
    assert (head.headers.get(b"content-length"), body) == (b"3000000", b"")
    part = (await reader.ask(f"{web.url}/film.bin", range=b"bytes=5-9"))[1]
    assert part == (web.root / "film.bin").read_bytes()[5:10]
    not_changed = fields.get(b"etag")
    assert (await reader.ask(f"{web.url}/page.html", if_none_match=not_changed))[0].status == 304
    assert reader.live.under_way == 0


@ensureDeferred
async def test_the_operators_own_network_is_out_of_reach(web, reading):
    """Whatever name leads there; the fault says so, in the format that is expected."""
    reader = reading(live_private_networks=False)
    port = web.url.rpartition(":")[2]
    for host in ("127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]"):
        head, body = await reader.ask(f"http://{host}:{port}/page.html", accept=b"application/json")
        assert (head.status, head.headers.get(b"dlweb-fault")) == (403, b"live-forbidden")
        assert head.headers.get(b"dlweb-live") == b"1" and b"public Internet" in body
    assert web.asked() == []


@ensureDeferred
async def test_what_passes_is_kept(web, reading):
    """The same bytes and heads, streamed to the disk, as a directory that the scheduler takes."""
    reader = reading(live="record", live_period=0.01)
    got = {}
    for path in ("page.html", "film.bin", "old", "none", "cookie"):
        head, got[f"{web.url}/{path}"] = await reader.ask(f"{web.url}/{path}")
    await reader.ask(f"{web.url}/cookie", cookie=b"a=1")
    await reader.ask(f"{web.url}/private")
    await reader.ask(f"{web.url}/echo", "POST", b"password=x")
    whole = await reader.ask(
        f"{web.url}/page.html", if_none_match=head.headers.get(b"etag") or b"*"
    )
    assert whole[0].status == 200
    found = {}
    while set(found) != set(got) or reader.live.recorder.kept < 6:
        await reader.hearing.told.addTimeout(20, reader._reactor)
        reader.hearing.told = Deferred()
        for each in reader.hearing.directories:
            found |= contents(Path(each.directory))
    assert found == got
    status = reader.live.status()
    assert status["kept"] == 6 and not status["problem"]
    shown = (await reader.running.get(reader.running.agent.pages, "/"))[1].decode()
    assert "left out: personal request" in shown
    assert status["left_out"] == {
        "personal request": 1, "private answer": 1, "sent something": 1,
    }  # fmt: skip
    assert "password" not in "".join(
        (Path(each.directory) / "structure").read_text() for each in reader.hearing.directories
    )


@ensureDeferred
async def test_what_is_personal_is_kept_where_the_operator_says_so(web, reading):
    """A form under the URL that the field's convention gives it."""
    reader = reading(live="record", live_period=0.01, live_record_private=True)
    kind = b"application/x-www-form-urlencoded"
    personal = {"user_agent": b"Mozilla", "referer": b"http://e.org/", "x_token": b"mine"}
    secret = {"cookie": b"own=marked", "authorization": b"Basic marked"}
    await reader.ask(
        f"{web.url}/echo", "POST", b"a=1", content_type=kind, accept=b"*/*", **personal, **secret
    )
    await reader.hearing.told.addTimeout(20, reader._reactor)
    [found] = contents(Path(reader.hearing.directories[0].directory))
    assert found == f"{web.url}/echo?__wb_method=POST&a=1"
    [line] = (Path(reader.hearing.directories[0].directory) / "structure").read_text().splitlines()
    assert not any(word in line for word in ("marked", "Mozilla", "e.org", "mine", "x-token"))
    sent = request_of(json.loads(line)["origin"])
    host = web.url.removeprefix("http://").encode()
    assert sent == SentRequest(
        b"POST /echo HTTP/1.1\r\nHost: " + host + b"\r\ncontent-type: " + kind
        + b"\r\naccept: */*\r\nVia: 1.1 dlweb\r\nContent-Length: 3\r\n\r\n",
        b"a=1", "reader",
    )  # fmt: skip


@ensureDeferred
async def test_a_recording_that_fails_spoils_no_reading(web, reading, tmp_path):
    """The reader gets all of it, and those who look after the archive are told."""
    reader = reading(live="record")
    (tmp_path / "archive" / "crawls").rmdir()
    (tmp_path / "archive" / "crawls").write_text("in the way")
    film = (web.root / "film.bin").read_bytes()
    assert (await reader.ask(f"{web.url}/film.bin"))[1] == film
    assert (await reader.ask(f"{web.url}/page.html"))[0].status == 200
    await reader.live.recorder._sync()
    while reader.live.recorder.left_out["could not be written"] < 2:
        await reader.ask(f"{web.url}/none")
    assert reader.live.status()["problem"]


class Silent(Protocol):
    """Takes what it is told and says nothing."""


@ensureDeferred
async def test_servers_that_do_not_answer(web, reading, reactor):
    """Each fault has its status and its words."""
    reader = reading(live_timeout=0.2)
    silent = reactor.listenTCP(0, Factory.forProtocol(Silent), interface="127.0.0.1")
    try:
        slow = await reader.ask(f"http://127.0.0.1:{silent.getHost().port}/", accept=b"text/plain")
    finally:
        await silent.stopListening()
    assert slow[0].status == 504 and b"0.2 seconds" in slow[1]
    web.process.terminate()
    web.process.wait(10)
    gone = await reader.ask(f"{web.url}/", accept=b"text/html")
    assert gone[0].status == 502 and b"does not answer" in gone[1]
    nobody = await reader.ask("http://nobody.invalid/", accept=b"text/plain")
    assert nobody[0].status == 502
    assert reader.live.under_way == 0


@ensureDeferred
async def test_there_are_limits(web, reading, serve, monkeypatch):
    """Of what is sent, of an answer, and of answers under way; none leaves anything behind."""
    monkeypatch.setattr("agents.consultation.live.live.REQUEST_LIMIT", 1_000_000)
    reader = reading(live_size=1_000_000, live_connections=1)
    assert (await reader.ask(f"{web.url}/echo", "POST", bytes(1_000_001)))[0].status == 413
    film, words = await reader.ask(f"{web.url}/film.bin", accept=b"text/plain")
    assert (film.status, film.headers.get(b"dlweb-fault")) == (502, b"live-too-long")
    assert b"3,000,000 bytes" in words
    assert (await reader.ask(f"{web.url}/film.bin", "HEAD"))[0].status == 200

    async def endless(_):
        return Response(200, [], without_end())

    address = serve(endless)
    with pytest.raises(Exception, match="broke off"):
        await reader.ask(f"http://{address}/")
    assert reader.live.under_way == 0
    connection, answer = await reader.begin(f"http://{address}/")
    busy = await reader.ask(f"{web.url}/page.html", accept=b"text/plain")
    assert (busy[0].status, busy[0].headers.get(b"dlweb-fault")) == (503, b"live-busy")
    connection.close()


async def without_end():
    """Yield pieces of a body of no known length."""
    while True:
        yield bytes(10_000)


@ensureDeferred
async def test_who_leaves_lets_go_of_the_server(web, reading):
    """What the reader did not take whole is not kept."""
    (web.root / "long.bin").write_bytes(bytes(60_000_000))
    reader = reading(live="record")
    connection, _ = await reader.begin(f"{web.url}/long.bin")
    assert reader.live.under_way == 1
    connection.close()
    while reader.live.under_way:
        await reader.ask(f"{web.url}/page.html", cookie=b"a=1")
    assert reader.live.recorder.left_out["not whole"] == 1
    assert hashlib.sha256(bytes(60_000_000)).hexdigest() not in str(
        [*(reader.running.agent.live.recorder._captures._crawls).rglob("*")]
    )


@ensureDeferred
async def test_the_certificate_of_a_server_is_checked(web, reading):
    """A reader would be told otherwise by the archive's own that the page is genuine."""
    reader = reading(live="record", live_period=0.01)
    refused, words = await reader.ask(f"{web.secure}/page.html", accept=b"text/plain")
    assert (refused.status, b"certificate" in words) == (502, True)
    trusted = trustRootFromCertificates([Certificate.loadPEM(web.pem.read_bytes())])
    reader.live._client._tls = lambda host: optionsForClientTLS(host, trustRoot=trusted)
    assert (await reader.ask(f"{web.secure}/page.html"))[1] == b"<title>now</title>"
    await reader.hearing.told.addTimeout(20, reader._reactor)
    directory = Path(reader.hearing.directories[0].directory)
    assert contents(directory) == {f"{web.secure}/page.html": b"<title>now</title>"}
    [chain] = (directory / "certificates").iterdir()
    assert f" {chain.stem}\\n" in (directory / "structure").read_text()


@ensureDeferred
async def test_what_is_the_archives_own_is_not_told_to_the_web(web, reading):
    """Neither its cookie nor the password for its door leaves, and neither makes it personal."""
    reader = reading(live="record")
    ours = set_cookie("somebody.signature", secure=False)[1].partition(b";")[0]
    asked = {"cookie": ours, "proxy_authorization": b"Basic c2VjcmV0"}
    assert (await reader.ask(f"{web.url}/cookie", **asked))[1] == b"cookie "
    assert not reader.live.recorder.left_out


@ensureDeferred
async def test_what_a_reader_sends_goes_on_whole(reading, serve):
    """However much it is, and never all of it in memory; nothing is left of it on the disk."""
    digests = []

    async def note(request):
        digest = hashlib.sha256()
        await request.deliver(digest.update)
        digests.append(digest.digest())
        return Response.text(200, "taken")

    reader, address = reading(), serve(note)
    bodies = [os.urandom(size) for size in (0, 1, MEMORY, MEMORY + 1, 5_000_000)]
    assert await first_of(bodies[-1], reader.live) == bodies[-1][:MEMORY]
    for body in bodies:
        assert (await reader.ask(f"http://{address}/", "POST", body))[1] == b"taken"
    assert digests == [hashlib.sha256(body).digest() for body in bodies]
    assert not [path for path in reader.live._folder.iterdir() if path.name.startswith("tmp")]


async def first_of(body, live):
    """Return what an upload knows of a body that comes in one piece."""
    request = Request("POST", "http://a/", Headers())
    request.body.put([body])
    upload = Upload(live._workers, live._folder, len(body))
    await upload.take(request)
    upload.close()
    return upload.first
