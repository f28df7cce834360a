"""The HTTP interface of a storage node, over real sockets."""

import base64
import json
import re
import socket
from hashlib import sha256
from typing import Any

import msgspec
import pytest
import pytest_twisted
from attrs import evolve
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import ensureDeferred as ensured
from twisted.internet.defer import fail
from twisted.internet.threads import deferToThread

from agents.bundle import BUNDLE_LIMIT, COUNT_LIMIT, pack
from agents.capture import Capture, structure_key
from agents.storage.disk.contents import SMALL
from agents.storage.disk.node_store import NodeStore
from agents.storage.disk.structures import Nearest
from agents.storage.errors import DiskFailed
from agents.storage.node import body as body_module
from agents.storage.node.routes import NodeRoutes
from agents.storage.status import NodeStatus
from anet.errors import Overloaded
from anet.http import (
    FileBody,
    Headers,
    HttpClient,
    HttpServer,
    PlainPut,
    Request,
    Response,
    guarded_prompt,
    guarded_taker,
)

SECRET = [(b"Authorization", b"Bearer secret")]
BODY = bytes(range(256)) * 40
KEY = sha256(BODY).hexdigest()
URL = "http://a.example/"


class Node:
    """A node's HTTP service, and a client for it."""

    def __init__(self, store: NodeStore) -> None:
        self.store = store
        self.client = HttpClient(reactor)
        routes = NodeRoutes(
            "storage-1",
            store,
            lambda: NodeStatus("storage-1", "http://x"),
            "secret",
            1_000_000,
            20_000,
        )
        self.routes = routes
        self.server = HttpServer(
            reactor,
            "127.0.0.1:0",
            routes.router(),
            name="storage-1",
            prompt=guarded_prompt(routes.prompt),
            taker=guarded_taker(routes.contents.taker),
        )

    async def ask(
        self, method: str, path: str, headers: Any = (), body: bytes = b""
    ) -> tuple[int, Any, bytes]:
        """Return status, headers and body of an answer."""
        url = f"http://127.0.0.1:{self.server.port}{path}"
        response = await self.client.request(method, url, headers, body)
        return response.head.status, response.head.headers, await response.read(1 << 26)

    async def json(self, path: str) -> Any:
        """Return the JSON at a path."""
        status, _, body = await self.ask("GET", path)
        assert status == 200, body
        return json.loads(body)


def _say(port: int, request: bytes) -> bytes:
    """Send bytes to a node; return what it answers first."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(request)
        return connection.recv(4096)


@pytest.fixture
def node(node_store: NodeStore):
    """Give a node that listens."""
    node = Node(node_store)
    node.server.startService()
    yield node
    pytest_twisted.blockon(ensured(node.client.stopService()))
    pytest_twisted.blockon(ensured(node.server.stopService()))


@ensureDeferred
async def test_a_content_goes_in_and_comes_out(node: Node) -> None:
    """PUT says 201 once and 200 after; GET gives the same bytes; HEAD their number."""
    status, _, body = await node.ask("PUT", f"/contents/{KEY}", SECRET, BODY)
    assert (status, json.loads(body)["size"]) == (201, len(BODY))
    status, _, _ = await node.ask("PUT", f"/contents/{KEY}", SECRET, BODY)
    assert status == 200
    status, headers, body = await node.ask("GET", f"/contents/{KEY}")
    assert (status, body) == (200, BODY)
    status, headers, body = await node.ask("HEAD", f"/contents/{KEY}")
    assert (status, headers.get(b"content-length"), body) == (200, b"%d" % len(BODY), b"")


@ensureDeferred
async def test_a_large_content_goes_through_a_file(node: Node) -> None:
    """A body past the memory limit is streamed to disk, hashed on the way."""
    body = b"x" * 500_000
    key = sha256(body).hexdigest()
    assert (await node.ask("PUT", f"/contents/{key}", SECRET, body))[0] == 201
    assert (await node.ask("GET", f"/contents/{key}"))[2] == body
    assert (await node.ask("PUT", f"/contents/{KEY}", SECRET, body))[0] == 409
    await node.store.disks[0].ahead.settle()
    assert not list(node.store.disks[0].layout.incoming.iterdir())


@pytest.mark.parametrize(
    ("wanted", "status", "part"),
    [
        ("bytes=0-9", 206, BODY[:10]),
        ("bytes=10230-", 206, BODY[10230:]),
        ("bytes=-5", 206, BODY[-5:]),
        ("bytes=10000-99999", 206, BODY[10000:]),
        ("bytes=10240-", 416, None),
        ("bytes=-0", 416, None),
        ("bytes=5-2", 200, BODY),
        ("bytes=0-1,5-6", 200, BODY),
        ("lines=1-2", 200, BODY),
    ],
)
@ensureDeferred
async def test_ranges(node: Node, wanted: str, status: int, part: bytes | None) -> None:
    """One range is given alone; several, or nonsense, get the whole."""
    await node.store.put(KEY, BODY)
    found, _, body = await node.ask("GET", f"/contents/{KEY}", [(b"Range", wanted.encode())])
    assert found == status
    assert part is None or body == part


@ensureDeferred
async def test_a_known_entity_tag_needs_no_body(node: Node) -> None:
    """If-None-Match with the key answers 304."""
    await node.store.put(KEY, BODY)
    tag = [(b"If-None-Match", b'"%s"' % KEY.encode())]
    assert (await node.ask("GET", f"/contents/{KEY}", tag))[0] == 304


@ensureDeferred
async def test_writing_needs_the_secret(node: Node, make_capture) -> None:
    """Without the credential nothing is written."""
    for headers in ((), [(b"Authorization", b"Bearer other")]):
        assert (await node.ask("PUT", f"/contents/{KEY}", headers, BODY))[0] == 401
        assert (await node.ask("POST", "/structures", headers, b"{}"))[0] == 401
        assert (await node.ask("POST", "/contents", headers, pack([(KEY, BODY)])))[0] == 401
    assert not node.store.holds("contents", KEY)


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", "/contents/abc", b"", 400),
        ("GET", "/contents/..%2f..%2flayout", b"", 404),
        ("GET", f"/contents/{'0' * 64}", b"", 404),
        ("PUT", "/contents/abc", b"x", 400),
        ("PUT", f"/contents/{'0' * 64}", b"x", 409),
        ("DELETE", f"/contents/{'0' * 64}", b"", 405),
        ("GET", "/structures/abc?date=2026", b"", 400),
        ("GET", f"/structures/{'0' * 64}?date=2026", b"", 404),
        ("POST", "/contents", b"not a bundle", 400),
        ("POST", "/contents", b"%s 5\nfour" % (b"0" * 64), 400),
        ("POST", "/contents", b"%s 99999999\n" % (b"0" * 64), 400),
        ("POST", "/contents", b"%s 0\n" % (b"0" * 64) * (COUNT_LIMIT + 1), 400),
        ("POST", "/contents", b"x" * (BUNDLE_LIMIT + 1), 413),
        ("POST", "/contents", b"", 200),
        ("POST", "/structures", b"not json", 400),
        ("POST", "/structures", b'{"captures": [{"url": 1}]}', 400),
        ("POST", "/structures", b'{"captures": [], "x": 1}', 200),
        ("GET", "/listing/nothing", b"", 404),
        ("GET", "/listing/contents?limit=x", b"", 400),
        ("GET", "/listing/contents?after=x", b"", 400),
        ("GET", "/additions?since=-1", b"", 400),
        ("PUT", f"/contents/{'0' * 64}", b"x" * 1_000_001, 413),
    ],
)
@ensureDeferred
async def test_what_makes_no_sense_is_told_so(
    node: Node, method: str, path: str, body: bytes, status: int
) -> None:
    """Hostile requests get a clear status, and never a trace of the program."""
    found, _, words = await node.ask(method, path, SECRET, body)
    assert found == status, words
    assert b"Traceback" not in words


@ensureDeferred
async def test_a_full_disk_is_507(node: Node) -> None:
    """A node without room says so, so that the content goes to another."""
    node.store.disks[0].space._reserve, node.store.disks[0].space._left = 1 << 60, 0
    status, _, words = await node.ask("PUT", f"/contents/{KEY}", SECRET, BODY)
    assert status == 507 and b"add a disk or a storage node" in words
    status, _, words = await node.ask("POST", "/contents", SECRET, pack([(KEY, BODY)]))
    assert status == 507 and b"add a disk or a storage node" in words


@ensureDeferred
async def test_a_bundle_goes_in_each_content_for_itself(node: Node) -> None:
    """What is sound is stored, what was there is known, what is not its key is refused."""
    bodies = [b"one", b"", BODY]
    contents = [(sha256(body).hexdigest(), body) for body in bodies]
    await node.store.put(KEY, BODY)
    wrong, large = ("0" * 64, b"something else"), ("1" * 64, b"x" * 1_000_001)
    for stored, known in ((2, [KEY]), (0, [key for key, _ in contents])):
        status, _, body = await node.ask(
            "POST", "/contents", SECRET, pack([wrong, *contents, large])
        )
        answer = json.loads(body)
        assert (status, answer["node"], answer["stored"]) == (200, "storage-1", stored)
        assert sorted(answer["known"]) == sorted(known)
        assert answer["refused"].keys() == {wrong[0], large[0]}
        assert "hashes to" in answer["refused"][wrong[0]]
    for key, body in contents:
        assert (await node.ask("GET", f"/contents/{key}"))[2] == body
    await node.store.disks[0].ahead.settle()
    assert not list(node.store.disks[0].layout.incoming.iterdir())


@ensureDeferred
async def test_bundles_on_their_way_have_a_limit(node: Node, monkeypatch) -> None:
    """A node keeps so many bytes of bundles in memory; the next is told to come again."""
    monkeypatch.setattr(body_module, "_BUNDLES_LIMIT", 10_000)
    bundle = pack([(KEY, BODY)])
    assert (await node.ask("POST", "/contents", SECRET, bundle))[0] == 503
    monkeypatch.setattr(body_module, "_BUNDLES_LIMIT", len(bundle))
    for _ in range(2):  # the first has given its room back
        assert (await node.ask("POST", "/contents", SECRET, bundle))[0] == 200


@ensureDeferred
async def test_a_bundle_says_its_length(node: Node) -> None:
    """Chunks would let a bundle grow unseen; they are refused before any is read."""
    request = b"POST /contents HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n"
    request += b"".join(b"%s: %s\r\n" % field for field in SECRET) + b"\r\n0\r\n\r\n"
    assert b" 411 " in await deferToThread(_say, node.server.port, request)


@pytest.mark.parametrize("form", ["json", "msgpack"])
@ensureDeferred
async def test_captures_go_in_and_are_found(node: Node, make_capture, form: str) -> None:
    """A batch of captures is recorded, and the nearest to a date is given with its head."""
    captures = [make_capture(URL, day) for day in (1, 5, 9)]
    encode = msgspec.json.encode if form == "json" else msgspec.msgpack.encode
    kind = [(b"Content-Type", f"application/{form}".encode())]
    for new in (3, 0):
        status, _, body = await node.ask(
            "POST", "/structures", [*SECRET, *kind], encode({"captures": captures})
        )
        assert status == 200, body
        assert json.loads(body) == {"node": "storage-1", "recorded": 3, "new": new}
    found = await node.json(f"/structures/{structure_key(URL)}?date=2026-01-06")
    assert found["url"] == found["capture"]["url"] == URL
    assert base64.b64decode(found["capture"]["head"]) == captures[1].head
    assert found["capture"]["date"] == captures[1].date
    assert (found["previous"], found["next"]) == (captures[0].date, captures[2].date)
    assert (found["count"], found["first"], found["last"]) == (
        3,
        captures[0].date,
        captures[2].date,
    )
    path = f"/structures/{structure_key(URL)}?exact=1&date="
    assert (await node.ask("GET", path + "20260106"))[0] == 404
    assert (await node.ask("GET", path + captures[1].date))[0] == 200


@ensureDeferred
async def test_all_captures_are_listed(node: Node, make_capture) -> None:
    """A list gives every capture in order, with heads when asked, in bounds when given."""
    captures = [make_capture(URL, day) for day in range(1, 29)]
    await node.store.append(captures)
    path = f"/structures/{structure_key(URL)}"
    found = await node.json(path)
    assert [each["date"] for each in found] == [each.date for each in captures]
    assert "head" not in found[0] and found[0]["url"] == URL
    found = await node.json(f"{path}?heads=1")
    assert msgspec.convert(found, list[type(captures[0])]) == captures
    found = await node.json(f"{path}?from=2026-01-03&to=2026-01-06&limit=2")
    assert [each["date"] for each in found] == [each.date for each in captures[2:4]]
    after = f"{captures[25].date}-{captures[25].content}"
    found = await node.json(f"{path}?heads=1&after={after}")
    assert [each["date"] for each in found] == [each.date for each in captures[26:]]
    after = f"{captures[-1].date}-{captures[-1].content}"
    assert await node.json(f"{path}?after={after}") == []


@ensureDeferred
async def test_entries_within_a_content_are_no_versions(node: Node, make_capture) -> None:
    """Of a stream the beginnings of its contents are listed where only versions are asked for."""
    captures = [
        evolve(make_capture(URL, day), metadata=metadata)
        for day, metadata in ((1, "0000000@00000000"), (2, "0030000@00480000"), (3, ""))
    ]
    await node.store.append(captures)
    path = f"/structures/{structure_key(URL)}"
    found = await node.json(f"{path}?versions=1")
    assert [each["date"] for each in found] == [captures[0].date, captures[2].date]
    found = await node.json(f"{path}?versions=1&from={captures[1].date}&limit=1")
    assert [each["date"] for each in found] == [captures[2].date]


@ensureDeferred
async def test_what_is_held_is_listed(node: Node, make_capture) -> None:
    """URLs, keys and additions come in pages."""
    urls = [f"http://a.example/{number}" for number in range(5)]
    await node.store.append([make_capture(url) for url in urls])
    await node.store.put(KEY, BODY)
    first = await node.json("/urls?limit=3")
    rest = await node.json(f"/urls?limit=3&after={first['after']}")
    assert {each["url"] for each in first["urls"] + rest["urls"]} == set(urls)
    assert rest["after"] is None
    assert await node.json("/listing/contents") == {"keys": [KEY], "sizes": [10240], "after": None}
    part = await node.json("/additions")
    assert len(part["entries"]) == 6 and part["position"] == node.store.disks[0].additions.position
    part = await node.json(f"/additions?log={part['log']}&since={part['position']}")
    assert part["entries"] == []
    assert (await node.json("/status"))["name"] == "storage-1"


@ensureDeferred
async def test_the_log_of_a_disk_that_has_just_gone(node: Node) -> None:
    """Whoever follows it is told so in words, and the disk remembers the error."""
    disk = node.store.disks[0]
    disk.layout.additions.unlink()
    status, _, words = await node.ask("GET", "/additions")
    assert (status, disk.health.errors) == (503, 1)
    assert words.endswith(b"No such file or directory\n")


@ensureDeferred
async def test_what_is_at_hand_is_answered_as_the_handler_would(node) -> None:
    """A GET answered at once differs in no byte from what the handler says, file or journal."""
    store = node.store.disks[0]
    prompt = node.routes.contents.prompt
    for body in (b"", b"small", b"x" * SMALL):
        key = sha256(body).hexdigest()
        target = f"/contents/{key}"
        assert prompt(target, b"a") is None
        await store.put(key, body)
        for _ in ("in the journal", "in its file"):
            request = Request("GET", target, Headers([(b"Host", b"a")]))
            said = await node.routes.contents.get_content(request, key)
            whole = body if isinstance(said.body, FileBody) else said.body
            assert said.body_length() == len(body)
            assert prompt(target, b"a") == said.head(True, False) + whole
            await store.ahead.settle()


@ensureDeferred
async def test_the_capture_of_a_date_comes_with_its_content(node, make_capture) -> None:
    """At once and by the handler alike: a capture, then its content if it is small and here."""
    large = bytes(256 * 1024 + 1)
    bodies = {"2020": b"small", "2021": large, "2022": b"elsewhere"}
    for body in (b"small", large):
        await node.store.put(sha256(body).hexdigest(), body)
    captures = {
        year: make_capture(URL, day, body) for day, (year, body) in enumerate(bodies.items(), 1)
    }
    await node.store.append(list(captures.values()))
    for year, capture in captures.items():
        target = f"/nearest/{structure_key(URL)}?date={capture.date}"
        request = Request("GET", target, Headers([(b"Host", b"a")]))
        said = await node.routes.structures.get_nearest(request, structure_key(URL))
        assert node.routes.prompt(target, b"a") == said.head(True, False) + said.body
        begin = 4 + int.from_bytes(said.body[:4], "big")
        nearest = msgspec.msgpack.decode(said.body[4:begin], type=Nearest)
        assert (nearest.capture, nearest.count) == (capture, 3)
        assert said.body[begin:] == (b"small" if year == "2020" else b"")


@ensureDeferred
async def test_the_nearest_capture_of_nothing(node) -> None:
    """What is no key, no date or not held is told so."""
    key = structure_key(URL)
    for path, status in (
        (f"/nearest/{key}?date=2020", 404),
        ("/nearest/key?date=2020", 400),
        (f"/nearest/{key}?date={'9' * 20}", 404),
    ):
        assert (await node.ask("GET", path))[0] == status
    await node.store.append([Capture(URL, "2" * 4 + "0101" + "0" * 12, KEY, 1, 200, b"")])
    assert (await node.ask("GET", f"/nearest/{key}"))[0] == 400


@ensureDeferred
async def test_only_whole_small_contents_are_at_hand(node) -> None:
    """Large contents, damaged names and other paths go to the handler."""
    large = b"x" * (SMALL + 1)
    key = sha256(b"small").hexdigest()
    await node.store.disks[0].put(key, b"small")
    await node.store.disks[0].put(sha256(large).hexdigest(), large)
    for target in (
        f"/contents/{key}?a",
        f"/contents/{key.upper()}",
        "/contents/" + "../" * 21 + "a",
        f"/contents/{sha256(large).hexdigest()}",
        "/status",
    ):
        assert node.routes.contents.prompt(target, b"a") is None


@ensureDeferred
async def test_a_small_put_that_comes_whole_is_answered_as_any_other(node) -> None:
    """Its status and words are those of the handler: new, known, of another digest, no room."""
    taker = node.routes.contents.taker
    shown = b"Bearer secret"
    for body, key in ((b"one", None), (b"one", None), (b"two", "0" * 64)):
        key = key or sha256(body).hexdigest()
        answering = taker(PlainPut(f"/contents/{key}", b"", shown, body))
        assert answering is not None
        answer = await answering
        status, _, said = await node.ask("PUT", f"/contents/{key}", [*SECRET, (b"X-A", b"b")], body)
        assert answer.endswith(b"\r\n\r\n" + said)
        assert int(answer.split()[1]) in (status, 201)
    assert node.routes.contents.taken == 1


@ensureDeferred
async def test_the_quick_answer_is_the_general_one_byte_for_byte(node) -> None:
    """Its head too, but for the date, whatever the node is called."""
    contents, key = node.routes.contents, sha256(b"one").hexdigest()
    for new, status in ((True, 201), (False, 200)):
        said = {"node": contents._name, "key": key, "size": 3}
        response = Response.json(status, said)
        wanted = response.head(True, False) + bytes(response.body)
        without_date = re.compile(rb"Date: [^\r]*")
        assert without_date.sub(b"", contents._taken(new, key, 3)) == without_date.sub(b"", wanted)


@pytest.mark.parametrize("error", [DiskFailed("broken"), Overloaded("1 are waiting")])
@ensureDeferred
async def test_a_small_put_that_fails_on_the_quick_way_is_tried_again(
    node, error, monkeypatch
) -> None:
    """The general way finds another disk, or room, and is what answers."""
    monkeypatch.setattr(node.routes.contents._store, "put_small", lambda *_: fail(error))
    key = sha256(b"one").hexdigest()
    answering = node.routes.contents.taker(
        PlainPut(f"/contents/{key}", b"", b"Bearer secret", b"one")
    )
    assert (await answering).startswith(b"HTTP/1.1 201 Created\r\n")
    assert (await node.ask("GET", f"/contents/{key}"))[2] == b"one"


@ensureDeferred
async def test_other_puts_are_left_to_the_handler(node) -> None:
    """Without the secret, of no key, or too large: the handler says why."""
    key = sha256(b"one").hexdigest()
    for put in (
        PlainPut(f"/contents/{key}", b"", b"", b"one"),
        PlainPut(f"/contents/{key}", b"", b"Bearer secret ", b"one"),
        PlainPut(f"/contents/{key[1:]}", b"", b"Bearer secret", b"one"),
        PlainPut(f"/structures/{key}", b"", b"Bearer secret", b"one"),
        PlainPut(f"/contents/{key}", b"", b"Bearer secret", b"x" * (SMALL + 1)),
    ):
        assert node.routes.contents.taker(put) is None
