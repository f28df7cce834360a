"""The interface for programs keeps its contract, and tells nobody what they may not see."""

import json
from pathlib import Path
from unittest import mock
from urllib.parse import urlencode

import lmdb
import pytest
import pytest_twisted
from attrs import evolve
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate
from pytest_twisted import ensureDeferred

from agents.capture import structure_key
from agents.consultation.access.doors import Doors
from agents.consultation.access.rules import Rules
from agents.consultation.asked import Asked
from agents.consultation.errors import Faulted
from agents.consultation.faults.fault import Fault
from agents.consultation.harbor.listing import Listings
from agents.consultation.lookup.fuzzy import Fuzzy
from agents.consultation.lookup.url_rules import read_rules
from agents.consultation.mining.api import Api
from agents.consultation.mining.contract import FILE, openapi
from agents.consultation.mining.extracting import Extracting
from agents.consultation.mining.graph import Graph
from agents.consultation.mining.mining import Mining
from agents.consultation.mining.walking import Walk
from agents.consultation.readers.reader import Reader
from agents.consultation.readers.readers import Readers
from agents.consultation.readers.screens import Screens
from agents.consultation.streams.catalogue import Catalogue
from agents.consultation.streams.reading import Reading
from agents.consultation.streams.tables import Tables
from agents.consultation.urls.service import make_index
from agents.consultation.urls.tables import Progress
from agents.stream import log_name
from anet.http import Headers, Request, Router
from anet.tasks import sleep
from anet.workers import Workers
from tests.agents.consultation.streams.recorded import RADIO, Recorded, keep_piece, moment

HOME, OTHER = "http://www.example.org/", "http://other.example/page"
OLD, NEW = "20200101000000000000", "20260101000000000000"
READER = "127.0.0.1"
STORY = (
    "The ferry leaves the island every morning at seven, unless the wind comes from the north. "
    "Its captain has sailed here for thirty years and knows each of the rocks by its own name. "
    "On market days the deck is full of baskets, goats, and children on their way to school. "
    "In winter nobody crosses for weeks, and letters pile up in the little office at the pier. "
)
PAGE = f"<html lang=en><title>A &amp; B</title><a href=/news>News</a><img src=a.png><p>{STORY}"
ASKED = {
    "/api/1/date": {},
    "/api/1/screens": {},
    "/api/1/urls": {"url": HOME, "match": "host"},
    "/api/1/captures": {"url": HOME, "from": "2019", "to": "2027"},
    "/api/1/capture": {"url": HOME, "date": "2020"},
    "/api/1/content": {"url": HOME, "date": "2020"},
    "/api/1/links": {"url": HOME},
    "/api/1/text": {"url": HOME},
    "/api/1/backlinks": {"url": "http://www.example.org/news"},
    "/api/1/similar": {"url": HOME},
    "/api/1/streams": {},
    "/api/1/titles": {"words": "fou"},
}
"""A question for each address, answered 200."""


class Program:
    """Asks the interface as programs do."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.router = api.add_to(Router())

    async def mined(self, reactor):
        """Have the archive mined, once."""
        self.api.mining.startService()
        for _ in range(2000):
            if self.api.mining.reach()["complete"]:
                return
            await sleep(reactor, 0.01)
        raise AssertionError("the archive is not mined")

    async def get(self, path, **parameters):
        """Return the answer to a question."""
        query = "?" + urlencode(parameters) if parameters else ""
        return await self.router(Request("GET", path + query, Headers(), READER))

    async def json(self, name, status=200, **parameters):
        """Return what an answer tells; its status is as it should be."""
        response = await self.get(f"/api/1/{name}", **parameters)
        assert response.status == status, response.body
        return json.loads(response.body)

    async def put(self, body=b'{"date": "2020"}', **fields):
        """Ask to change the date; a field of None is left out."""
        usual = {"content_type": "application/json", "dlweb_api": "1"} | fields
        pairs = [
            (name.replace("_", "-").encode(), value.encode())
            for name, value in usual.items()
            if value is not None
        ]
        request = Request("PUT", "http://dlweb/api/1/date", Headers(pairs), READER)
        request.body.take(body)
        request.body.end()
        return await self.router(request)


@pytest_twisted.async_yield_fixture
async def program(archive, reactor, tmp_path):
    """A program that asks an archive of two pages."""
    archive.add(HOME, b"<title>Old</title>", date=OLD)
    archive.add(HOME, PAGE.encode(), date=NEW, origin="crawl: c-1\nsite: example\n")
    archive.add(OTHER, f"<a href={HOME}news>it</a><p>{STORY} And more of it.".encode(), date=NEW)
    listings = Listings(archive.client, archive.locator.all_nodes)
    extracting = Extracting(reactor)
    walk = Walk(reactor, listings, archive.retrieval, extracting, rate=1000.0)
    mining = Mining(reactor, tmp_path, walk)
    extracting.startService()
    rules, screens = Rules(), Screens()
    index, threads = make_index(tmp_path / "urls", reactor, Fuzzy(read_rules()), rules, "mark")
    for pool in threads:
        pool.startService()
    await index.open()
    await index.add("node", Progress(), [HOME, OTHER])
    tables, one = Tables(tmp_path / "streams.db"), Workers(reactor, 1)
    one.startService()
    await one.run(tables.open)
    reading = Reading(reactor, archive.retrieval, tables, one)
    keep_piece(archive, Recorded(0, 60, b"sound" * 99, titles={5: "Raoul Petite - Fou de toi"}))
    reading.heard([log_name(RADIO)])
    await reading.read()
    threads.append(one)
    api = Api(
        Doors(), rules, archive.retrieval, Readers(10), screens, index, extracting, mining,
        Catalogue(tables, one, rules),
    )  # fmt: skip
    yield Program(api)
    await one.run(tables.close)
    await index.close()
    for service in (mining, extracting, *threads):
        if service.running:
            await service.stopService()


# The contract


def test_the_contract_is_openapi():
    """The file is OpenAPI 3.1, and the documentation has the same one."""
    validate(openapi())
    documented = Path(__file__).parents[4] / "docs/reference/openapi.yaml"
    assert documented.read_bytes() == FILE.read_bytes()


@ensureDeferred
async def test_every_address_keeps_the_contract(program, reactor):
    """Each address answers as its schema says, and takes no parameter that it does not name."""
    await program.mined(reactor)
    contract = openapi()
    assert {path for path, methods in contract["paths"].items() if "get" in methods} == set(ASKED)
    for path, parameters in ASKED.items():
        operation = contract["paths"][path]["get"]
        response = await program.get(path, **parameters)
        check(contract, operation, response)
        assert response.status == 200
        refused = await program.get(path, **parameters, nonsense="1")
        check(contract, operation, refused)
        assert refused.status == 400


@ensureDeferred
async def test_every_parameter_is_read(program, reactor):
    """What the contract calls required is, and every number has the bounds that it gives."""
    await program.mined(reactor)
    contract = openapi()
    for path, given in ASKED.items():
        operation = contract["paths"][path]["get"]
        for parameter in map(resolved(contract), operation.get("parameters", [])):
            name, schema = parameter["name"], parameter["schema"]
            wrong = [{name: ""}] if parameter.get("required") else []
            if schema["type"] == "integer":
                wrong += [{name: schema["minimum"] - 1}, {name: schema["maximum"] + 1}, {name: "x"}]
                assert (await program.get(path, **given, **{name: schema["maximum"]})).status == 200
            if name == "match":
                wrong += [{name: "nearly"}]
            if name in ("date", "from", "to"):
                wrong += [{name: "yesterday"}]
            if name == "after":
                wrong += [{name: "é"}]
            for each in wrong:
                response = await program.get(path, **(given | each))
                check(contract, operation, response)
                assert response.status == 400, (path, each)


@ensureDeferred
async def test_the_contract_is_served(program):
    """A program that knows only the archive finds out what to ask."""
    response = await program.get("/api/openapi.json")
    assert json.loads(response.body) == openapi()
    assert (await program.get("/api/2/captures")).status == 404


def resolved(contract):
    """Return a function that follows a reference."""

    def resolve(part):
        if "$ref" not in part:
            return part
        found = contract
        for name in part["$ref"].removeprefix("#/").split("/"):
            found = found[name]
        return found

    return resolve


def check(contract, operation, response):
    """Check that a response is one that the contract promises."""
    responses = operation["responses"]
    promised = resolved(contract)(responses.get(str(response.status), responses["default"]))
    fields = {name.decode(): value.decode() for name, value in response.headers}
    ((media_type, described),) = promised["content"].items()
    assert fields["Content-Type"] == media_type
    assert fields["X-Content-Type-Options"] == "nosniff"
    if "schema" in described:
        schema = {**described["schema"], "components": contract["components"]}
        Draft202012Validator(schema).validate(json.loads(response.body))
    for name, header in promised.get("headers", {}).items():
        schema = {**header["schema"], "components": contract["components"]}
        Draft202012Validator(schema).validate(fields[name])


@ensureDeferred
async def test_what_the_door_says_is_in_the_contract(program, tmp_path):
    """Who is not let in gets what every address promises, in the format that they expect."""
    door = Doors(None, "always").guarded(program.router)
    for target, status in (("/api/1/urls", "401"), ("http://dlweb/api/1/urls", "407")):
        response = await door(Request("GET", target, Headers(), READER))
        assert str(response.status) == status
        for path, methods in openapi()["paths"].items():
            for method, operation in methods.items():
                found = operation["responses"]
                assert {"401", "407", "421", "429"} <= found.keys(), (path, method)
                promised = resolved(openapi())(found[status])
                assert promised["headers"].keys() <= {each.decode() for each, _ in response.headers}


# The date


@ensureDeferred
async def test_a_program_sets_the_date(program):
    """What is asked without a date is then asked at that one."""
    assert (await program.put()).status == 200
    assert await program.json("date") == {"date": OLD}
    assert (await program.json("text", url=HOME))["title"] == "Old"
    assert (await program.put(b'{"date": ""}')).status == 200
    assert (await program.json("text", url=HOME))["title"] == "A & B"


@pytest.mark.parametrize(
    "sent",
    [
        {"dlweb_api": None},
        {"content_type": "text/plain"},
        {"content_type": "application/x-www-form-urlencoded"},
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"sec_fetch_site": "cross-site"},
        {"body": b"[]"},
        {"body": b'{"date": "yesterday"}'},
        {"body": b" " * 5000},
    ],
)
@ensureDeferred
async def test_nobody_else_sets_the_date(program, sent):
    """An archived page, a form, and what is no date change nothing."""
    response = await program.put(**sent)
    check(openapi(), openapi()["paths"]["/api/1/date"]["put"], response)
    assert response.status in (400, 403)
    assert await program.json("date") == {"date": ""}


@ensureDeferred
async def test_no_other_origin_may_read(program, reactor):
    """No answer lets pages of other origins in, not even to ask whether they may."""
    await program.mined(reactor)
    for path, parameters in ASKED.items():
        names = {name.lower() for name, _ in (await program.get(path, **parameters)).headers}
        assert not any(name.startswith(b"access-control-") for name in names)
        assert b"cross-origin-resource-policy" in names
    asked = await program.router(Request("OPTIONS", "/api/1/date", Headers(), READER))
    assert asked.status == 405


# What it tells


@ensureDeferred
async def test_captures_come_in_pages(program):
    """Page after page gives every capture once, oldest first."""
    found, after = [], {}
    while after is not None:
        told = await program.json("captures", url=HOME, limit=1, **after)
        found += [line["date"] for line in told["captures"]]
        after = None if told["after"] is None else {"after": told["after"]}
    assert found == [OLD, NEW]
    told = await program.json("captures", url=HOME, **{"from": "2025"})
    assert [line["date"] for line in told["captures"]] == [NEW]
    assert told["key"] == structure_key(HOME)


@ensureDeferred
async def test_urls_come_in_pages(program):
    """Page after page gives every URL once, by host, the top-level domain first."""
    found, after = [], {}
    while after is not None:
        told = await program.json("urls", limit=1, **after)
        found += [listed["url"] for listed in told["urls"]]
        after = None if told["after"] is None else {"after": told["after"]}
    assert found == [OTHER, HOME]
    told = await program.json("urls", url="http://example.org/", match="domain")
    assert told["urls"] == [{"url": HOME, "key": structure_key(HOME)}]


@ensureDeferred
async def test_a_capture_is_told_whole(program):
    """Its head byte for byte, where it came from, and its neighbours."""
    told = await program.json("capture", url=HOME)
    assert told["head"].startswith("HTTP/1.1 200 OK\r\n")
    assert told["origin"][0] == {"name": "crawl", "value": "c-1"}
    assert (told["count"], told["first"], told["last"]) == (2, OLD, NEW)
    assert (await program.json("capture", 404, url=HOME + "x"))["code"] == "unknown-url"


@ensureDeferred
async def test_links_of_a_document(program):
    """Canonical, each with its kind and text, page by page."""
    told = await program.json("links", url=HOME)
    assert [(link["url"], link["kind"], link["text"]) for link in told["links"]] == [
        ("http://www.example.org/news", "page", "News"),
        ("http://www.example.org/a.png", "component", ""),
    ]
    first = await program.json("links", url=HOME, limit=1)
    rest = await program.json("links", url=HOME, limit=1, after=first["after"])
    assert (first["links"] + rest["links"], rest["after"]) == (told["links"], None)


@ensureDeferred
async def test_text_of_a_document(program):
    """Its words, its title, its language."""
    told = await program.json("text", url=HOME)
    assert told["title"] == "A & B" and "captain has sailed" in told["text"]
    assert told["languages"][0]["language"] == "en"


@ensureDeferred
async def test_streams_and_their_titles_are_told(program):
    """Programs find what was on the air, and when."""
    (stream,) = (await program.json("streams"))["streams"]
    assert (stream["url"], stream["name"], stream["first"]) == (RADIO, "Radio Example", moment(0))
    found = {"url": RADIO, "date": moment(5), "kind": "title", "text": "Raoul Petite - Fou de toi"}
    assert await program.json("titles", words="petite fou") == {"titles": [found], "after": None}
    assert (await program.json("titles", words="fou", url="http://other/"))["titles"] == []
    plain = Program(evolve(program.api, catalogue=None))
    assert (await plain.json("streams", 501))["code"] == "no-streams"


@ensureDeferred
async def test_backlinks(program, reactor):
    """Every document that links to a URL, which is not archived itself."""
    await program.mined(reactor)
    told = await program.json("backlinks", url="http://www.example.org/news")
    found = {(link["url"], link["first"], link["last"]) for link in told["backlinks"]}
    assert found == {(HOME, NEW, NEW), (OTHER, NEW, NEW)}
    assert told["complete"] and told["documents"] == 3


@ensureDeferred
async def test_similar_documents(program, reactor):
    """Another page that tells the same story is found, with how much of it is the same."""
    await program.mined(reactor)
    told = await program.json("similar", url=HOME)
    (alike,) = told["similar"]
    assert alike["url"] == OTHER and 0.3 < alike["resemblance"] < 1


@ensureDeferred
async def test_what_is_on_the_screen(program, archive):
    """The page that the reader has open, with its part, and with what it lacks."""
    reader = Reader(READER, READER)
    picture = archive.add(HOME + "a.png", b"\x89PNG", date=NEW)
    page = (await program.api.retrieval.find(HOME, NEW)).capture
    program.api.screens.note(Asked(HOME, reader, destination="document"), page)
    part = Asked(picture.url, reader, referrer=HOME, destination="image")
    program.api.screens.note(part, picture)
    program.api.screens.missed(Asked(HOME + "b.css", reader, referrer=HOME, destination="style"))
    response = await program.get("/api/1/screens")
    check(openapi(), openapi()["paths"]["/api/1/screens"]["get"], response)
    (screen,) = json.loads(response.body)["screens"]
    assert (screen["url"], screen["missing"]) == (HOME, [HOME + "b.css"])
    assert [each["url"] for each in screen["parts"]] == [picture.url]


@ensureDeferred
async def test_what_is_kept_back_is_in_no_list(program, reactor):
    """A rule hides a page from lists, and says why where it is asked for by itself."""
    await program.mined(reactor)
    target = "http://www.example.org/news"
    assert len((await program.json("backlinks", url=target))["backlinks"]) == 2
    kept = [OTHER]
    hidden = mock.patch.object(
        Rules, "reason", lambda _self, url, *_: "by law" if url in kept else None
    )
    with hidden:
        told = await program.json("backlinks", url=target)
        assert [link["url"] for link in told["backlinks"]] == [HOME]
        assert (await program.json("similar", url=HOME))["similar"] == []
    kept_back = Fault(451, "takedown", "Kept back", "by law", HOME)
    with mock.patch.object(Rules, "check", side_effect=Faulted(kept_back)):
        for name in ("captures", "capture", "text", "links", "content", "backlinks"):
            assert (await program.json(name, 451, url=HOME))["detail"] == "by law"


@ensureDeferred
async def test_the_date_of_a_capture_kept_back_is_not_told(program, reactor, archive):
    """A backlink is dated by captures that the reader may see."""
    hidden = "20230101000000000000"
    archive.add(HOME, PAGE.encode() + b"!", date=hidden)
    await program.mined(reactor)
    target = "http://www.example.org/news"
    by_date = mock.patch.object(
        Rules, "reason", lambda _self, _url, date="", *_: "embargo" if date == hidden else None
    )
    with by_date:
        links = (await program.json("backlinks", url=target))["backlinks"]
    assert {"url": HOME, "first": NEW, "last": NEW} in links


@ensureDeferred
async def test_mining_begins_once_there_is_room(program, reactor, monkeypatch):
    """A disk that is full at the start is waited for."""
    opened, refusals = Graph.open, iter([OSError("no space left"), lmdb.DiskError("none")])

    def full(graph):
        for refusal in refusals:
            raise refusal
        opened(graph)

    monkeypatch.setattr(Graph, "open", full)
    monkeypatch.setattr("agents.consultation.mining.mining.PAUSE", 0.02)
    await program.mined(reactor)


@ensureDeferred
async def test_a_content_is_no_page(program):
    """The bytes are those of the web, in a form that no browser shows."""
    response = await program.get("/api/1/content", url=HOME, date="2020")
    fields = dict(response.headers)
    assert b"".join([piece async for piece in response.body]) == b"<title>Old</title>"
    assert b"sandbox" in fields[b"Content-Security-Policy"]
    assert fields[b"Content-Disposition"] == b"attachment"


@ensureDeferred
async def test_without_mining_it_says_so(program):
    """An operator who did not switch mining on is told how."""
    told = await Program(evolve(program.api, mining=None)).json("backlinks", 501, url=HOME)
    assert "mining: true" in told["detail"]
