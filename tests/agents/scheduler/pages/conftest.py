"""A real scheduler with some made-up sites, one of which means harm."""

from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from time import time
from typing import Any
from urllib.parse import urlencode

import msgspec
from attrs import define
from pytest_twisted import async_yield_fixture
from twisted.internet import reactor

from agents import dates
from agents.configuration import load, secret
from agents.judgement import Judgement
from agents.scheduler.database import CampaignRow, Database, NewSite
from agents.scheduler.life import StandingEvent
from agents.scheduler.scheduler import Scheduler
from agents.scheduler.service import make_service
from agents.scheduler.streams.settings import StreamsConfig
from agents.scheduler.temporal import Campaign, Rhythm
from agents.scheduler.temporal.rhythm import Level
from agents.stream import StreamNews, StreamState
from anet.http import HttpClient

EVIL = "<script>alert('name')</script>"
AHEAD = time() + 86_400.0  # when a site falls due
NOW = dates.from_timestamp(1_795_000_000.0)


def new_site(name: str, **more: Any) -> NewSite:
    """Return a site to be registered."""
    start = f"http://{name}/"
    return NewSite(name, start, f"//{name}", "", 9, name, **more)


def fill(database: Database) -> None:
    """Fill a database with members, candidates and a blacklisted site, linked to each other."""
    hostile = NewSite(
        "evil.example",
        f'http://evil.example/"><img src=x onerror=alert(1)>{EVIL}',
        f"//evil.example/{EVIL}",
        EVIL,
        9,
        "evil.example",
        guess=msgspec.json.encode({"kind": EVIL, "reasons": [EVIL]}).decode(),
        referrer="m0.example",
        why=EVIL,
    )
    members = [new_site(f"m{number}.example") for number in range(5)]
    database.discover([*members, hostile], NOW)
    database.discover([new_site(f"c{number:02}.example") for number in range(30)], NOW)
    for member in members:
        database.decide(member.site, StandingEvent.ADMITTED, NOW, "scheduler", "it was the first")
        database.decide(member.site, StandingEvent.PASSED, NOW, "scheduler", "keywords: 0.68")
    database.decide("evil.example", StandingEvent.BANNED, NOW, EVIL, EVIL)
    judgement = msgspec.json.encode(Judgement(True, 0.68, ("3 of 5 keywords: 0.68", EVIL))).decode()
    engine: Any = database._engine
    with database._transaction():
        rows = engine.execute("SELECT site, number FROM sites").fetchall()
        numbers = {row["site"]: row["number"] for row in rows}
        for site, number in numbers.items():
            engine.execute(
                "UPDATE sites SET relevance = 0.5, authority = ?, hub = 0.25, judgement = ?"
                " WHERE site = ?",
                [number % 7 / 10, judgement if site[0] in "me" else "{}", site],
            )
            engine.execute(
                "INSERT INTO links VALUES (?, ?, ?, ?, 3)",
                [number, numbers["m0.example"] if site != "m0.example" else 2, NOW, NOW],
            )
        levels = (Level(rate=1e-5, seen=AHEAD - 90_000, urls=7), Level(seen=AHEAD - 90_000, urls=3))
        rhythm = Rhythm(levels, AHEAD - 90_000, AHEAD - 90_000)
        engine.execute(
            "UPDATE sites SET next = ?, requests = 10, rhythm = ?, plan = ?,"
            " settings = ? WHERE site = ?",
            [
                dates.from_timestamp(AHEAD),
                msgspec.json.encode(rhythm).decode(),
                '{"reason": "It is <time>.", "quick": true}',
                '{"interval": 86400.0}',
                "m3.example",
            ],
        )
    ends = dates.from_timestamp(2_000_000_000.0)
    campaign = msgspec.json.encode(Campaign(EVIL, NOW, ends)).decode()
    database.put_campaign(CampaignRow(EVIL, campaign, NOW, ends, "running"), NOW)
    database.join_campaign(EVIL, ["m1.example"], NOW, EVIL, EVIL)
    database.add_feed(f"http://m0.example/feed?{EVIL}", "m0.example", NOW)
    fill_streams(database)


def fill_streams(database: Database) -> None:
    """Add a radio that one agent receives and is given to another, and more than a page of others.

    The radio says evil things.
    """
    radio = f"http://m0.example/live?{EVIL}"
    config = StreamsConfig(per_site=60)
    database.add_stream(radio, "m0.example", NOW, EVIL, EVIL)
    for number in range(60):
        database.add_stream(f"http://m1.example/{number:02}.m3u8", "m1.example", NOW, "Ada", "")
    database.choose_streams(["m0.example", "m1.example"], config, NOW)
    database.give_streams({radio: "streaming"}, NOW)
    state = StreamState(EVIL, EVIL, title=EVIL, media_type=EVIL, protocol="icy", bitrate=128)
    database.streams_told("streaming", [StreamNews(radio, "receiving", state)], config, NOW)
    film = "http://m1.example/00.m3u8"
    database.give_streams({film: "streaming"}, NOW)
    gone = StreamNews(film, "gone", StreamState(problem=EVIL))
    database.streams_told("streaming", [gone], config, dates.from_timestamp(AHEAD))


@define
class Running:
    """A scheduler that runs, and a client of its pages.

    Attributes:
        service: it.
        client: asks it.
        secret: of the archive.
        file: its configuration.
    """

    service: Any
    client: HttpClient
    secret: str
    file: Path

    @property
    def pages(self) -> str:
        """Where its pages are."""
        return f"http://{self.service.server.address}"

    async def get(self, path: str) -> tuple[int, str]:
        """Return status and body of a page."""
        answer = await self.client.request("GET", self.pages + path)
        return answer.head.status, (await answer.read(4_000_000)).decode()

    async def post(
        self, path: str, body: bytes, kind: str, headers: Mapping[str, str] | None = None
    ) -> tuple[int, str, str]:
        """Send a body; return status, body, and where the answer leads."""
        fields = {"Content-Type": kind} | dict(headers or {})
        sent = [(name.encode(), value.encode()) for name, value in fields.items()]
        answer = await self.client.request("POST", self.pages + path, sent, body)
        text = (await answer.read(4_000_000)).decode()
        return answer.head.status, text, answer.head.headers.text(b"location")

    async def form(
        self, path: str, headers: Mapping[str, str] | None = None, **fields: str
    ) -> tuple[int, str, str]:
        """Send a form."""
        body = urlencode(fields).encode()
        return await self.post(path, body, "application/x-www-form-urlencoded", headers)

    async def api(
        self, method: str, headers: Mapping[str, str] | None = None, **arguments: Any
    ) -> tuple[int, Any]:
        """Call a method of the interface for programs."""
        body = msgspec.json.encode(arguments)
        status, text, _ = await self.post(f"/api/{method}", body, "application/json", headers)
        return status, msgspec.json.decode(text)


@async_yield_fixture
async def running(tmp_path: Path) -> AsyncIterator[Running]:
    """A running scheduler with sites."""
    file = tmp_path / "archive.yaml"
    file.write_text("scheduler:\n  address: 127.0.0.1:0\n  pages: 127.0.0.1:0\n")
    configuration = load(file, directory=str(tmp_path / "var"), base_port=None)
    service = make_service(reactor, configuration, "scheduler")
    [scheduler] = [each for each in service.services if isinstance(each, Scheduler)]
    fill(scheduler.means.store._database)  # type: ignore[attr-defined]
    service.startService()
    client = HttpClient(reactor)
    yield Running(service, client, secret(configuration.directory), file)
    await client.stopService()
    await service.stopService()
