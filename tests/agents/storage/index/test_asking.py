"""Asking storage nodes themselves."""

from types import SimpleNamespace

from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from agents.storage.index.asking import Asking
from agents.storage.policy import Holding
from agents.storage.status import NodeState, NodeStatus
from anet.errors import ConnectionBroken
from anet.http import HttpClient, HttpServer, Request, Response, Router

KEY = "ab" * 32


class _Client:
    """Answers as the host says: with its name as the status, or not at all."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def request(self, method: str, url: str) -> object:
        self.asked.append(f"{method} {url}")
        host = url.split("/")[2]
        if host == "broken":
            raise ConnectionBroken("it is gone")
        if host == "silent":
            await Deferred()

        async def read(limit: int) -> bytes:
            return b""

        return SimpleNamespace(head=SimpleNamespace(status=int(host)), read=read)


def _asking(clock: Clock, client: _Client, *hosts: str, down: bool = False) -> Asking:
    nodes = [NodeState(NodeStatus(host, f"http://{host}/"), up=True) for host in hosts]
    nodes += [NodeState(NodeStatus("down", "http://down/"), up=False)] * down
    return Asking(clock, client, SimpleNamespace(nodes=nodes))  # type: ignore[arg-type]


@ensureDeferred
async def test_those_that_say_yes_hold_it() -> None:
    """All that are up are asked, and all of them must answer for an answer that is sure."""
    client = _Client()
    known = await _asking(Clock(), client, "200", "404").holders("structures", KEY)
    assert (known.holdings, known.sure) == ([Holding("200", 0)], True)
    assert set(client.asked) == {f"HEAD http://{host}/structures/{KEY}" for host in ("200", "404")}
    for hosts, down in ((("404", "broken"), False), (("404", "503"), False), (("404",), True)):
        known = await _asking(Clock(), client, *hosts, down=down).holders("contents", KEY)
        assert (known.holdings, known.sure) == ([], False)
    assert not (await _asking(Clock(), client).holders("contents", KEY)).sure


@ensureDeferred
async def test_one_that_is_silent_is_not_waited_for() -> None:
    """After a few seconds the others' word is all there is."""
    clock = Clock()
    asked = Deferred.fromCoroutine(
        _asking(clock, _Client(), "silent", "200").holders("contents", KEY)
    )
    clock.advance(60)
    known = await asked
    assert (known.holdings, known.sure) == ([Holding("200", 0)], False)


@ensureDeferred
async def test_a_real_server_is_asked() -> None:
    """HEAD has no body, and the connection serves the next question."""

    async def get(request: Request, kind: str, key: str) -> Response:
        return Response.text(200 if kind == "contents" else 404, "words\n")

    router = Router()
    router.route("GET", "/{kind}/{key}", get)
    server = HttpServer(reactor, "127.0.0.1:0", router, name="a")
    server.startService()
    client = HttpClient(reactor)
    status = NodeStatus("a", f"http://127.0.0.1:{server.port}")
    view = SimpleNamespace(nodes=[NodeState(status, up=True)])
    asking = Asking(reactor, client, view)  # type: ignore[arg-type]
    for _ in range(3):
        assert (await asking.holders("contents", KEY)).holdings == [Holding("a", 0)]
        assert (await asking.holders("structures", KEY)).sure
    await client.stopService()
    await server.stopService()
