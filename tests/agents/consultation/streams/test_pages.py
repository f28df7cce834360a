"""The harbor's pages of streams: what they show, to whom, and that they are whole."""

from pathlib import Path
from typing import Any
from urllib.parse import quote

import html5lib
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html
from pytest_twisted import ensureDeferred
from twisted.internet.task import Clock

from agents.consultation.access.rules import Rules
from agents.consultation.harbor.heard import gaps, stretches, within
from agents.consultation.harbor.words import LANGUAGES
from agents.consultation.streams.listeners import Listeners
from agents.consultation.streams.playing import Pace
from agents.consultation.streams.radio import Radio
from agents.consultation.streams.tables import Piece
from tests.agents.consultation.harbor.conftest import Visitor
from tests.agents.consultation.harbor.test_pages import check_accessible
from tests.agents.consultation.streams.conftest import Library
from tests.agents.consultation.streams.recorded import RADIO, Recorded, keep_piece, moment
from tests.agents.consultation.streams.test_radio import numbered

QUOTED = quote(RADIO, safe="")
TITLES = {5: "Raoul Petite - Fou de toi", 30: "Anonyme - Éclair <b>"}
RTSP = "rtsp://tv.example:8554/live"
PLACES = [
    "/streams", "/streams?words=eclair", "/streams?words=nothing", "/streams?limit=1",
    f"/stream?url={QUOTED}", f"/stream?url={QUOTED}&day=20260302",
    f"/stream?url={QUOTED}&day=20260301&at={moment(20)}",
    f"/stream?url={QUOTED}&day=2026-03-01&time=12:00:20", "/stream?url=http://none/",
    f"/stream?url={QUOTED}&day=x&at=y", "/listen?url=http://none/", "/listen?url=x&date=y",
]  # fmt: skip


@pytest.fixture
def visitor(archive: Any, library: Library, visit: Any, rules: Rules) -> Visitor:
    """A reader of a harbor with a radio that was heard twice on a day."""
    keep_piece(archive, Recorded(0, 60, numbered(60_000, 1), titles=TITLES))
    keep_piece(archive, Recorded(100, 60, numbered(60_000, 2)), gap=(60, 100))
    keep_piece(archive, Recorded(86_400, 60, numbered(60_000, 3)), gap=(160, 86_400))
    keep_piece(archive, Recorded(0, 60, numbered(60_000, 4)), url=RTSP, name="Télé")
    pace = Pace(Clock(), 4.0, 30.0)
    radio = Radio(archive.retrieval, rules, Listeners(3), pace, lambda size: None)
    return visit(catalogue=library.catalogue, radio=radio, rules=rules)


@pytest.mark.parametrize("beside", [False, True], ids=["proxy", "beside"])
@pytest.mark.parametrize("language", LANGUAGES)
@ensureDeferred
async def test_every_page_is_whole(
    visitor: Visitor, library: Library, language: str, beside: bool
) -> None:
    """A strict parser takes it, in each language, and who reads by ear finds everything."""
    await library.read(RADIO, RTSP)
    for place in PLACES:
        answer = await visitor.answer(place, beside, accept_language=language)
        html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(answer.body.decode())
        page = html.fromstring(answer.body)
        assert page.get("lang") == language
        check_accessible(page, place)
        assert "<b>" not in answer.body.decode()


@ensureDeferred
async def test_a_day_shows_what_was_heard_what_was_not_and_what_was_on_the_air(
    visitor: Visitor, library: Library
) -> None:
    """Each stretch, gap and title is there, and leads to what plays from its moment."""
    await library.read(RADIO, RTSP)
    tree = await visitor.tree(f"/stream?url={QUOTED}&day=20260301")
    assert len(tree.xpath("//*[@class='heard']")) == 2
    times = [link.text_content() for link in tree.xpath("//table[@aria-labelledby='titles']//a")]
    assert times == ["12:00:05", "12:00:30"]
    cells = [each.text_content() for each in tree.xpath("//table[@aria-labelledby='gaps']//td")]
    assert cells == ["12:01:00", "12:01:40", "40 seconds", "silence"]
    assert "2 March 2026" in tree.xpath("string(//p[@class='more'])")
    assert not tree.xpath("//audio")
    assert tree.xpath("//nav//a[@href='/streams' and not(@aria-current)]")
    link = tree.xpath("//table[@aria-labelledby='titles']//a/@href")[1]
    source = (await visitor.tree(link)).xpath("//audio/@src")
    assert source == [f"/listen?url={QUOTED}&date={moment(30)}"]


@ensureDeferred
async def test_a_channel_is_watched_at_its_own_address(
    archive: Any, visitor: Visitor, library: Library
) -> None:
    """What players load part by part has a button that sets the date and leads there."""
    url = "http://tv.example/live.m3u8"
    keep_piece(archive, Recorded(0, 60, b"x" * 999), url=url, protocol="hls")
    await library.read(url)
    path = f"/stream?url={quote(url, safe='')}&at={moment(20)}"
    fields = (await visitor.tree(path)).xpath("//form[@action='/date']//input")
    values = {field.get("name"): field.get("value") for field in fields}
    assert (values["url"], values["date"]) == (url, moment(20))
    assert (await visitor.post(values)).status == 303
    assert visitor.date == moment(20)
    assert b'action="/date"' not in (await visitor.get(path, beside=True))[1]


@ensureDeferred
async def test_programs_get_the_same_as_values(visitor: Visitor, library: Library) -> None:
    """Lists, days and searches are there as JSON."""
    await library.read(RADIO, RTSP)
    answer = await visitor.get("/streams?format=json")
    assert answer[1].count(b'"url"') == 2
    day = (await visitor.get(f"/stream?url={QUOTED}&day=20260301&format=json"))[1]
    assert b'"why":"silence"' in day
    found = (await visitor.get("/streams?words=fou&format=json"))[1]
    assert TITLES[5].encode() in found


@pytest.mark.parametrize("url", [RADIO, RTSP])
@pytest.mark.parametrize("beside", [False, True])
@ensureDeferred
async def test_the_harbor_plays_streams_of_any_name(
    visitor: Visitor, url: str, beside: bool
) -> None:
    """Also those that no browser can ask for; nothing of the received head is in the answer."""
    path = f"/listen?url={quote(url, safe='')}&date={moment(20)}"
    response = await visitor.answer(path, beside, range="bytes=0-")
    fields = dict(response.headers)
    assert (response.status, fields[b"Dlweb-Date"]) == (200, moment(20).encode())
    assert fields[b"Content-Type"] == b"audio/mpeg"
    assert not [name for name in fields if name.lower().startswith((b"icy", b"set-cookie"))]
    mark = 1 if url == RADIO else 4
    assert await response.body.__anext__() == numbered(60_000, mark)[20_000:24_000]
    await response.body.aclose()


@ensureDeferred
async def test_one_listener_too_many_is_told_so(visitor: Visitor) -> None:
    """It is a fault as elsewhere, with and without the proxy."""
    path = f"/listen?url={QUOTED}&date={moment(20)}"
    seated = [await visitor.answer(path) for _ in range(3)]
    assert [each.status for each in seated] == [200] * 3
    assert (await visitor.get(path, beside=True))[0] == 503
    for each in seated:
        await each.body.aclose()


@pytest.mark.parametrize("kind", ["text/html", "image/svg+xml", "audio/<x>", ""])
@ensureDeferred
async def test_what_is_no_sound_is_not_shown_at_the_harbors_origin(
    archive: Any, visitor: Visitor, kind: str
) -> None:
    """Whatever a server called its stream, a browser does not take it for a page."""
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n\r\n".encode()
    url = "http://evil.example/live"
    keep_piece(archive, Recorded(0, 60, b"<script>alert(1)</script>" * 99), url=url, head=head)
    response = await visitor.answer(f"/listen?url={quote(url, safe='')}&date={moment(20)}")
    fields = dict(response.headers)
    assert fields[b"Content-Type"] == b"application/octet-stream"
    assert fields[b"X-Content-Type-Options"] == b"nosniff"
    assert b"sandbox" in fields[b"Content-Security-Policy"]
    await response.body.aclose()


class TestKeptBack:
    """A stream that may not be shown."""

    @pytest.fixture
    def rules(self, tmp_path: Path) -> Rules:
        """A host is kept back, whatever the protocol."""
        path = tmp_path / "rules.yaml"
        path.write_text("- urls: tv.example\n  kind: takedown\n  reason: no\n")
        return Rules(path)

    @ensureDeferred
    async def test_it_is_not_there(self, visitor: Visitor, library: Library) -> None:
        """Neither page, nor list, nor sound tells of it."""
        await library.read(RADIO, RTSP)
        assert "Télé" not in (await visitor.get("/streams"))[1].decode()
        quoted = quote(RTSP, safe="")
        assert (await visitor.get(f"/stream?url={quoted}"))[0] == 404
        assert (await visitor.get(f"/listen?url={quoted}&date={moment(20)}"))[0] == 404


PIECES = st.lists(
    st.tuples(st.integers(0, 50), st.integers(1, 50), st.sampled_from(["", "broken"])), max_size=20
)


@given(PIECES, st.integers(0, 500), st.integers(0, 500))
def test_stretches_and_gaps_make_up_the_time(
    steps: list[tuple[int, int, str]], begin: int, length: int
) -> None:
    """They follow on each other without overlap, from the first to the last that was heard."""
    pieces, at = [], 0
    for pause, size, why in steps:
        at += pause
        pieces.append(Piece(moment(at), moment(at + size), moment(0), why))
        at += size
    heard = stretches(pieces)
    row = sorted([*heard, *gaps(heard)], key=lambda each: (each.first, each.last))
    assert all(one.last <= other.first for one, other in zip(row, row[1:], strict=False))
    if row:
        assert (row[0].first, row[-1].last) == (pieces[0].first, pieces[-1].last)
    cut = within(row, moment(begin), moment(begin + length))
    assert sum(each.seconds for each in cut) <= length
