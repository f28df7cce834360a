"""The agent as it runs: on the tree, looking up by what works, and stopping cleanly."""

import http.client
import json
import socket
from contextlib import closing
from datetime import datetime

import pytest
import pytest_twisted
from pytest_twisted import ensureDeferred
from twisted.internet.defer import Deferred
from twisted.internet.threads import deferToThread

from agents.configuration import Configuration, ConfigurationError, load, secret
from agents.consultation.config import ConsultationConfig
from agents.consultation.service import Consultation, Options, makeService
from anet.errors import AddressInUse
from anet.multicast import GroupListener, Groups, probe
from hip import Agent, CallRefused, exposed

URL = "http://www.example.org/"


class Index:
    """Answers as an index node does, from fake nodes."""

    def __init__(self, archive) -> None:
        self.archive = archive
        self.asked = 0

    @exposed
    async def find(self, kind: str, key: str) -> list[str]:
        """Find a file."""
        self.asked += 1
        if self.archive.locator.broken:
            raise CallRefused("overloaded", "too much to do")
        return await self.archive.locator.locate(kind, key)

    @exposed
    async def nodes(self) -> dict[str, list[dict[str, object]]]:
        """List the nodes."""
        urls = (await self.archive.locator.all_nodes()).up
        return {"nodes": [{"status": {"url": url}, "up": True} for url in urls]}


class Running:
    """A consultation agent with its masters."""

    def __init__(self, reactor, archive, folder, **keys) -> None:
        self.index = Index(archive)
        self.scheduler = Agent(reactor, "scheduler", "scheduler")
        self.master = Agent(reactor, "index-node", "index-1", [self.index])
        listeners = [agent.listen("127.0.0.1:0") for agent in (self.scheduler, self.master)]
        for agent in (self.scheduler, self.master):
            agent.startService()
        config = ConsultationConfig(
            proxy="127.0.0.1:0", pages="127.0.0.1:0", replay="127.0.0.1:0",
            scheduler=listeners[0].address, storage_master=listeners[1].address, **keys,
        )  # fmt: skip
        self.agent = Consultation(reactor, "consultation", Configuration(folder, 7100), config)
        self.agent.startService()

    async def stop(self) -> None:
        for service in (self.agent, self.scheduler, self.master):
            if service.running:
                await service.stopService()

    async def get(self, server, target, host=None):
        """Return status and body of an answer."""

        def ask():
            address, _, port = server.address.partition(":")
            with closing(http.client.HTTPConnection(address, int(port), timeout=10)) as connection:
                connection.request("GET", target, headers={"Host": host} if host else {})
                answer = connection.getresponse()
                return answer.status, answer.read()

        return await deferToThread(ask)


@pytest_twisted.async_yield_fixture
async def start(reactor, archive, tmp_path):
    """Return what starts a consultation agent with these keys."""
    running = []

    def begin(**keys):
        running.append(Running(reactor, archive, tmp_path, **keys))
        return running[-1]

    yield begin
    for each in running:
        await each.stop()


@ensureDeferred
async def test_a_page_comes_back_by_way_of_the_index(archive, start):
    """The whole way: proxy, HIP, nodes, and back."""
    archive.add(URL, b"<p>there")
    running = start(lookup="index")
    assert await running.get(running.agent.proxy, URL) == (200, b"<p>there")
    assert running.index.asked == 2


@ensureDeferred
async def test_the_agent_is_on_the_tree(archive, start):
    """The scheduler can call it, and sees how it looks up."""
    archive.add(URL, b"x")
    running = start(lookup="index")
    await running.get(running.agent.proxy, URL)
    await running.get(running.agent.proxy, URL + "missing")
    slave = running.scheduler.slaves["consultation"]
    status = await slave.call("status")
    assert (status["lookup"], status["requests"], status["missing"]) == ("index", 2, 1)
    assert status["outcomes"]["hit"] == status["outcomes"]["unknown"] == 1
    (hole,) = await slave.call("missing", limit=5)
    assert hole["url"] == URL + "missing"


@ensureDeferred
async def test_an_index_in_trouble_is_503(archive, start):
    """An index node that refuses is not an empty archive."""
    archive.locator.broken = True
    running = start(lookup="index")
    assert (await running.get(running.agent.proxy, URL))[0] == 503


@ensureDeferred
async def test_multicast_is_found_to_work(archive, start, reactor, tmp_path):
    """With storage nodes in the groups, `auto` finds them and leaves the index node alone."""
    with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    if not await probe(reactor, Groups(port)):
        pytest.skip("this machine's loopback carries no multicast")
    capture = archive.add(URL, b"<p>there")

    def know(kind, key):
        held = kind == "structures" or key.hex() == capture.content
        return (archive.first.url, 0) if held else None

    groups = Groups(port, secret=secret(tmp_path))
    listener = GroupListener(reactor, groups, know)
    await listener.join(range(256))
    running = start(lookup="auto", multicast_port=port)
    for _ in range(5):
        assert (await running.get(running.agent.proxy, URL))[1] == b"<p>there"
    asked = running.index.asked
    assert running.agent.looking.locator.lookup == "multicast"
    await running.get(running.agent.proxy, URL)
    assert running.index.asked == asked
    await listener.stopService()


@ensureDeferred
async def test_the_pages_say_what_goes_on(archive, start):
    """Monitoring page, status and metrics are on the pages port, the harbor beside them."""
    archive.add(URL, b"x")
    running = start(lookup="index")
    await running.get(running.agent.proxy, URL)
    pages = running.agent.pages
    status, page = await running.get(pages, "/")
    assert status == 200 and b"looked up by the index node" in page
    data = json.loads((await running.get(pages, "/status.json"))[1])
    assert (data["requests"], data["lookup"]) == (1, "index")
    metrics = (await running.get(pages, "/metrics"))[1]
    assert b'dlweb_consultation_requests_total{outcome="hit"} 1.0' in metrics
    for path in ("/harbor", "/urls", f"/captures?url={URL}", "/missing"):
        assert (await running.get(pages, path))[0] == 200, path
    for path in ("/", "/harbor", "/monitoring", "/status.json", "/metrics"):
        assert (await running.get(running.agent.proxy, f"http://dlweb{path}"))[0] == 200, path


@ensureDeferred
async def test_each_part_says_how_far_it_has_come(start):
    """The index of URLs, mining, the live web, rules and log: to people, programs, Prometheus."""
    running = start(lookup="index", mining=True, live="record", audit_log=True)
    pages = running.agent.pages
    page = (await running.get(pages, "/"))[1].decode()
    for title in ("Index of URLs", "Mining", "The live web", "Rules and audit log"):
        assert f">{title}<" in page, title
    status = json.loads((await running.get(pages, "/status.json"))[1])
    assert status["mining"]["documents"] == 0 and status["live"]["records"] is True
    assert (status["urls"]["urls"], status["access_rules"], status["audit_log"]) == (0, 0, True)
    metrics = (await running.get(pages, "/metrics"))[1].decode()
    for name in (
        "readers", "missing_urls", "indexed_urls", "index_complete", "mined_documents",
        "access_rules", "audit_lines_lost", "live_under_way", "live_kept",
    ):  # fmt: skip
        assert f"\ndlweb_consultation_{name} " in metrics, name


@ensureDeferred
async def test_the_pages_answer_to_no_other_name(start):
    """A name that somebody else's DNS leads here is refused."""
    running = start(lookup="index", page_hosts=["archive.example"])
    for host, status in (("evil.example", 421), ("archive.example:7107", 200)):
        assert (await running.get(running.agent.pages, "/harbor", host))[0] == status


@ensureDeferred
async def test_what_is_under_way_is_answered_before_the_end(archive, start):
    """Stopping waits for an answer on its way, and only then lets go of nodes and index."""
    archive.add(URL, b"<p>there")
    archive.first.held = Deferred()
    running = start(lookup="index")
    asked = Deferred.fromCoroutine(running.get(running.agent.proxy, URL))
    await archive.first.reached
    stopping = Deferred.fromCoroutine(running.agent.stopService())
    archive.first.held.callback(None)
    assert await asked == (200, b"<p>there")
    await stopping


@ensureDeferred
async def test_a_port_in_use_is_said(start, reactor, tmp_path):
    """The message names the address and what to do."""
    running = start(lookup="index")
    config = ConsultationConfig(proxy=running.agent.proxy.address, lookup="index")
    second = Consultation(reactor, "second", Configuration(tmp_path, 7100), config)
    with pytest.raises(AddressInUse, match="choose another port"):
        second.startService()
    await second.stopService()


def test_the_plugin_reads_its_section(tmp_path):
    """`twistd consultation --config FILE` makes the agent that the file describes."""
    file = tmp_path / "archive.yaml"
    file.write_text("consultation:\n  lookup: index\n  readers: 5\n")
    options = Options()
    options.parseOptions(["--config", str(file), "--archive", str(tmp_path), "--base-port", "7300"])
    [agent] = makeService(options)
    assert agent.proxy.address == "127.0.0.1:7306" and agent.looking.locator.lookup == "index"


@pytest.mark.parametrize(
    "text",
    ["lookup: broadcast", "readers: 0", "proxy: nowhere", "silence: -1", "unknown: 1",
     "multicast_base: 10.0.0.0"],
)  # fmt: skip
def test_an_impossible_section_is_refused(tmp_path, text):
    """What cannot be is refused on load, by line and key."""
    file = tmp_path / "archive.yaml"
    file.write_text(f"consultation:\n  {text}\n")
    with pytest.raises(ConfigurationError, match=f"archive.yaml.*{text.partition(':')[0]}"):
        load(file).section("consultation", ConsultationConfig)


@ensureDeferred
async def test_a_memento_client_finds_its_way(archive, start):
    """The agent as it runs leads memento_client from its TimeGate to its replay server."""
    memento_client = pytest.importorskip("memento_client")
    requests = pytest.importorskip("requests")
    for year in (2010, 2015, 2020):
        archive.add(URL, b"%d" % year, date=f"{year}0101000000000000")
    agent = start(lookup="index").agent

    def ask():
        with requests.Session() as session:
            session.trust_env = False
            client = memento_client.MementoClient(f"{agent.pages.url}timegate/", False, 30, session)
            raw = memento_client.MementoClient.request_head(agent.pages.url, session=session)
            found = client.get_memento_info(URL, datetime(2015, 2, 1), req_uri_response=raw)
            text = session.get(found["mementos"]["closest"]["uri"][0]).text
            return {name: it["datetime"].year for name, it in found["mementos"].items()}, text

    years, text = await deferToThread(ask)
    assert years == {"first": 2010, "prev": 2010, "closest": 2015, "next": 2020, "last": 2020}
    assert text == "2015"
