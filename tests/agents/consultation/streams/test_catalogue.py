"""The catalogue learns of streams from their logs, and says what a reader may know."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_twisted import ensureDeferred

from agents.consultation.access.rules import Rules
from agents.consultation.streams.logs import log_of
from agents.consultation.streams.reading import Reading
from agents.consultation.streams.tables import question
from agents.stream import log_name
from agents.stream_log import Begun, Ended, TitleEntry, encoded
from tests.agents.consultation.streams.conftest import Library
from tests.agents.consultation.streams.recorded import RADIO, Recorded, keep_piece, moment

TITLES = {5: "Raoul Petite - Fou de toi", 30: "Anonyme - Éclair <b>", 52: "Les Ondes - Fin"}


@ensureDeferred
async def test_titles_names_and_pieces_are_learned_from_logs(
    archive: Any, library: Library
) -> None:
    """A log that came is in the search and in the days of its stream."""
    keep_piece(archive, Recorded(0, 60, b"one" * 99, titles=TITLES))
    keep_piece(archive, Recorded(100, 60, b"two" * 99), gap=(60, 100))
    await library.read()
    stream = await library.catalogue.stream(RADIO)
    assert stream is not None
    assert (stream.name, stream.genre, stream.protocol) == ("Radio Example", "mixed", "icy")
    assert (stream.first, stream.last) == (moment(0), moment(160))
    found, more = await library.catalogue.search("eclair anon")
    assert [(each.text, each.date, each.kind) for each in found] == [
        ("Anonyme - Éclair <b>", moment(30), "title")
    ]
    assert more == 0
    kinds = {each.kind for each in (await library.catalogue.search("exam"))[0]}
    assert kinds == {"name"}
    pieces = await library.catalogue.pieces(RADIO, moment(0), moment(200))
    assert [(each.first, each.last, each.why) for each in pieces] == [
        (moment(0), moment(60), ""),
        (moment(100), moment(160), "silence"),
    ]
    titles = await library.catalogue.titles(RADIO, moment(0), moment(40))
    assert [each.text for each in titles] == [TITLES[5], TITLES[30]]
    before = await library.catalogue.title_before(RADIO, moment(40))
    assert before is not None
    assert (before.title, before.at) == (TITLES[30], moment(30))


@ensureDeferred
async def test_what_was_read_is_not_read_again_and_what_came_late_is(
    archive: Any, library: Library
) -> None:
    """Only logs that are new are fetched; one of before the last comes in too."""
    keep_piece(archive, Recorded(0, 60, b"one" * 99, titles={5: "First"}))
    keep_piece(archive, Recorded(200, 60, b"three" * 99, titles={5: "Third"}))
    await library.read()
    for node in (archive.first, archive.second):
        node.asked.clear()
    keep_piece(archive, Recorded(100, 60, b"two" * 99, titles={5: "Second"}))
    await library.read()
    asked = [*archive.first.asked, *archive.second.asked]
    assert len([target for target in asked if target.startswith("/contents")]) == 1
    titles = await library.catalogue.titles(RADIO, moment(0), moment(300))
    assert [each.text for each in titles] == ["First", "Second", "Third"]
    assert library.reading.waiting == 0


@ensureDeferred
async def test_taking_a_log_in_again_changes_nothing(archive: Any, library: Library) -> None:
    """A process that is killed and reads again doubles no title."""
    keep_piece(archive, Recorded(0, 60, b"one" * 99, titles=TITLES))
    await library.read()
    again = Reading(library.reading._clock, archive.retrieval, library.tables, library.workers)
    library.tables.known = lambda *_: set()  # type: ignore[method-assign]
    again.heard([log_name(RADIO)])
    await again.read()
    assert len((await library.catalogue.search("fin"))[0]) == 1
    assert len(await library.catalogue.pieces(RADIO, moment(0), moment(99))) == 1


@ensureDeferred
async def test_a_node_that_is_away_makes_a_stream_wait(archive: Any, library: Library) -> None:
    """Logs that cannot be looked up are read when they can."""
    keep_piece(archive, Recorded(0, 60, b"one" * 99, titles=TITLES))
    archive.locator.broken = True
    await library.read()
    assert library.reading.waiting == 1
    archive.locator.broken = False
    await library.reading.read()
    assert library.reading.waiting == 0
    assert await library.catalogue.stream(RADIO) is not None


@pytest.mark.parametrize(
    "junk", [b"", b"{}", b"\xff" * 1000, b'{"stream": 1}\n{"title": []}', b"["]
)
@ensureDeferred
async def test_what_is_no_log_is_passed_over(archive: Any, library: Library, junk: bytes) -> None:
    """Whatever lies under the name of a log, the others are read."""
    archive.add(log_name(RADIO), junk, date=moment(50))
    keep_piece(archive, Recorded(100, 60, b"one" * 99, titles=TITLES))
    await library.read()
    assert len(await library.catalogue.pieces(RADIO, moment(0), moment(200))) == 1


class TestKeptBack:
    """Streams of which not all may be known."""

    @pytest.fixture
    def rules(self, tmp_path: Path) -> Rules:
        """One station is kept back, and of the other one minute."""
        path = tmp_path / "rules.yaml"
        path.write_text(
            "- urls: [secret.example]\n  kind: takedown\n  reason: no\n"
            f"- urls: [radio.example]\n  kind: takedown\n  reason: no\n"
            f"  from: '{moment(0)[:14]}'\n  to: '{moment(20)[:14]}'\n"
        )
        return Rules(path)

    @ensureDeferred
    async def test_they_are_neither_listed_nor_found(self, archive: Any, library: Library) -> None:
        """Titles of a station that is kept back are not shown, by whatever protocol it came."""
        hidden = "rtsp://secret.example/live"
        keep_piece(archive, Recorded(0, 60, b"one" * 99, titles=TITLES))
        keep_piece(archive, Recorded(0, 60, b"two" * 99, titles={3: "Fin de tout"}), url=hidden)
        await library.read(RADIO, hidden)
        assert [each.url for each in (await library.catalogue.streams())[0]] == [RADIO]
        assert await library.catalogue.stream(hidden) is None
        assert [each.text for each in (await library.catalogue.search("fin"))[0]] == [TITLES[52]]
        assert (await library.catalogue.search("raoul"))[0] == []


@ensureDeferred
async def test_a_damaged_file_is_made_again(archive: Any, library: Library, tmp_path: Path) -> None:
    """The catalogue is no loss: it is read again from the archive."""
    keep_piece(archive, Recorded(0, 60, b"one" * 99, titles=TITLES))
    await library.workers.run(library.tables.close)
    (tmp_path / "streams.db").write_bytes(b"no database at all" * 1000)
    await library.workers.run(library.tables.open)
    await library.read()
    assert len((await library.catalogue.search("fin"))[0]) == 1


@ensureDeferred
async def test_a_file_that_is_damaged_within_is_made_again(
    archive: Any, library: Library, tmp_path: Path
) -> None:
    """One whose beginning is whole would else answer no question, start after start."""
    keep_piece(archive, Recorded(0, 60, b"one" * 99, titles=TITLES))
    await library.read()
    await library.workers.run(library.tables.close)
    file = tmp_path / "streams.db"
    data = file.read_bytes()
    file.write_bytes(data[:4096] + bytes(range(256)) * ((len(data) - 4096) // 256))
    await library.workers.run(library.tables.open)
    assert await library.catalogue.streams() == ([], "")
    again = Reading(library.reading._clock, archive.retrieval, library.tables, library.workers)
    again.heard([log_name(RADIO)])
    await again.read()
    assert len((await library.catalogue.search("fin"))[0]) == 1


@ensureDeferred
async def test_a_search_goes_on_where_it_stopped(archive: Any, library: Library) -> None:
    """No page is endless, and all pages together have everything."""
    titles = {float(second): f"Song number {second}" for second in range(130)}
    keep_piece(archive, Recorded(0, 200, b"one" * 99, titles=titles))
    await library.read()
    first, more = await library.catalogue.search("song")
    second, end = await library.catalogue.search("song", before=more)
    assert (len(first), len(second), end) == (100, 30, 0)
    assert {each.text for each in [*first, *second]} == set(titles.values())


@given(st.text())
def test_no_words_are_a_mistake_to_the_search(text: str) -> None:
    """Whatever is typed is asked for as words, or not at all."""
    asked = question(text)
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE words USING fts5(text)")
    if asked:
        database.execute("SELECT * FROM words WHERE words MATCH ?", (asked,)).fetchall()
    database.close()


@pytest.mark.parametrize(
    "words", ["coeur", "CŒUR", "l\u2019oeuvre", "\u00e9t\u00e9", "e\u0301te\u0301", "ete"]
)
@ensureDeferred
async def test_words_are_found_however_their_letters_are_typed(
    archive: Any, library: Library, words: str
) -> None:
    """With ligatures or two letters, with accents of their own or none."""
    said = {5: "Mon c\u0153ur \u00e0 l'\u0153uvre", 6: "E\u0301te\u0301 indien"}
    keep_piece(archive, Recorded(0, 60, b"one" * 99, titles=said))
    await library.read()
    assert len((await library.catalogue.search(words))[0]) == 1


def test_a_log_that_is_too_long_still_says_of_what_it_is() -> None:
    """A station that floods its titles neither takes the reactor's time nor hides the end."""
    begun = Begun(RADIO, moment(0), moment(0), 1)
    title = encoded(TitleEntry("flood", moment(1), 1000, 1))
    ended = Ended(moment(60), 60_000, "time", 99, "c" * 64)
    log = log_of(encoded(begun) + title * 60_000 + encoded(ended))
    assert log is not None
    assert (log.end, log.content, len(log.titles)) == (moment(60), "c" * 64, 5000)
