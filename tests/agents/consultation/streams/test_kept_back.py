"""What was on the air at dates that are kept back is neither heard nor told, within a piece."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_twisted import ensureDeferred

from agents.consultation.access.rule import Rule
from agents.consultation.access.rules import Rules
from agents.consultation.errors import Faulted
from agents.consultation.readers.reader import Reader
from agents.consultation.streams.listeners import Listeners
from agents.consultation.streams.playing import Pace
from agents.consultation.streams.radio import Radio
from tests.agents.consultation.streams.conftest import Library
from tests.agents.consultation.streams.recorded import RADIO, Recorded, keep_piece, moment
from tests.agents.consultation.streams.test_on_air import Player
from tests.agents.consultation.streams.test_radio import PLAIN, Studio, numbered, parted

DATA = numbered(600_000, 1)
TITLES = {60: "Before", 230: "Kept back", 480: "After"}


def rules_for(folder: Path, first: float, last: float, more: str = "") -> Rules:
    """Return rules that keep some seconds of the radio back."""
    path = folder / "rules.yaml"
    path.write_text(
        f"- urls: [radio.example]\n  kind: takedown\n  reason: no\n{more}"
        f"  from: '{moment(first)[:14]}'\n  to: '{moment(last)[:14]}'\n"
    )
    return Rules(path)


@pytest.fixture
def rules(tmp_path: Path) -> Rules:
    """Of ten minutes some in the middle are kept back."""
    return rules_for(tmp_path, 200, 260, "  readers: [anna]\n")


@pytest.fixture
def studio(reactor: Any, archive: Any, rules: Rules) -> Studio:
    """A radio that knows the rules."""
    studio = Studio(reactor, archive)
    pace = Pace(studio.clock, 4.0, 300.0)
    studio.radio = Radio(archive.retrieval, rules, studio.listeners, pace, studio._gave)
    return studio


@pytest.mark.parametrize("span", [(200, 260), (200, 205)])
@ensureDeferred
async def test_what_is_kept_back_of_a_piece_is_not_heard(
    archive: Any, reactor: Any, tmp_path: Path, span: tuple[int, int]
) -> None:
    """Sound before and after is; also where no entry falls into what is kept back."""
    rules = rules_for(tmp_path, *span)
    studio = Studio(reactor, archive)
    pace = Pace(studio.clock, 4.0, 300.0)
    studio.radio = Radio(archive.retrieval, rules, Listeners(3), pace, studio._gave)
    keep_piece(archive, Recorded(0, 600, DATA), head=PLAIN)
    listener = await studio.listen(moment(150))
    await listener.hear(400)
    assert DATA[span[0] * 1000 : span[1] * 1000] not in listener.data
    assert listener.data.startswith(DATA[150_000:180_000])
    assert DATA[300_000:500_000] in listener.data
    for second in range(*span):
        assert DATA[second * 1000 : second * 1000 + 100] not in listener.data
    await listener.leave()


@ensureDeferred
async def test_titles_of_what_is_kept_back_are_not_told(archive: Any, studio: Studio) -> None:
    """Neither from the piece's log, nor as what was said last before."""
    keep_piece(archive, Recorded(0, 600, DATA, titles=TITLES), head=PLAIN)
    listener = await studio.listen(moment(300), metaint=4000)
    await listener.hear(230)
    await listener.leave()
    titles = [title for _, title in parted(listener.data, 4000)[1]]
    assert titles[-1:] == [b"StreamTitle='After';"]
    assert not any(b"Kept" in title for title in titles)


@ensureDeferred
async def test_a_piece_is_no_file_while_some_of_it_is_kept_back(
    archive: Any, reactor: Any, serve: Any, rules: Rules
) -> None:
    """By a range the rest of the piece would come too; who may see all gets it."""
    keep_piece(archive, Recorded(0, 600, DATA), head=PLAIN)
    keep_piece(archive, Recorded(600, 60, DATA[:60_000]), head=PLAIN)
    archive.retrieval._rules = rules
    player = Player(reactor, archive, serve)
    player.choose(60)
    head, _ = await player.get(RADIO, range="bytes=0-99")
    assert head.status == 451
    player.choose(630)
    head, _ = await player.get(RADIO, range="bytes=0-99")
    assert head.status == 206
    found = (await archive.retrieval.find(RADIO, moment(60))).capture
    with pytest.raises(Faulted):
        await archive.retrieval.open(found)
    assert await archive.retrieval.open(found, reader=Reader("anna", "127.0.0.1", "anna"))


class TestOfTheLast:
    """A stream whose last pieces are kept back."""

    @pytest.fixture
    def rules(self, tmp_path: Path) -> Rules:
        """All from the second day on."""
        return rules_for(tmp_path, 43_200, 9e8)

    @ensureDeferred
    async def test_the_stream_is_told_without_what_was_said_of_it_then(
        self, archive: Any, library: Library
    ) -> None:
        """Neither its latest name, nor its latest date, nor the days; the first are."""
        keep_piece(archive, Recorded(0, 60, b"one" * 99), name="Old")
        keep_piece(archive, Recorded(90_000, 60, b"two" * 99), name="New")
        await library.read()
        (stream,), _ = await library.catalogue.streams()
        assert "New" not in str(stream)
        assert (stream.first, stream.last) == (moment(0), moment(0))
        assert await library.catalogue.stream(RADIO) == stream
        assert await library.catalogue.days_around(RADIO, moment(0)[:8]) == ("", "")

    @ensureDeferred
    async def test_one_of_which_all_is_kept_back_is_not_there(
        self, archive: Any, library: Library
    ) -> None:
        """Its name would tell that it was heard."""
        keep_piece(archive, Recorded(90_000, 60, b"two" * 99), name="New")
        await library.read()
        assert await library.catalogue.streams() == ([], "")
        assert await library.catalogue.stream(RADIO) is None


DIGITS = st.text("0123456789", max_size=6)


@given(DIGITS, DIGITS, st.lists(st.integers(0, 10**6), min_size=2, max_size=2).map(sorted))
def test_a_rule_keeps_of_a_time_what_it_keeps_of_a_moment_in_it(
    begins: str, ends: str, span: list[int]
) -> None:
    """Some of a time is kept back exactly if a moment of it is."""
    rule = Rule((), "takedown", "no", "2026" + begins, "2026" + ends)
    first, last = (f"2026{each:016}"[:20] for each in span)
    moments = {first, last, rule.begins.ljust(20, "0"), rule.ends.ljust(20, "9")}
    kept = any(rule.keeps(each, "") for each in moments if first <= each <= last)
    assert rule.keeps_some(first, last, "") == kept


@ensureDeferred
async def test_a_rule_that_is_made_while_somebody_listens_holds_for_them(
    archive: Any, reactor: Any, tmp_path: Path
) -> None:
    """The half minute that they hear comes to its end, and nothing follows."""
    rules = rules_for(tmp_path, 9e8, 9e8)
    studio = Studio(reactor, archive)
    pace = Pace(studio.clock, 4.0, 30.0)
    studio.radio = Radio(archive.retrieval, rules, Listeners(3), pace, studio._gave)
    keep_piece(archive, Recorded(0, 600, DATA), head=PLAIN)
    listener = await studio.listen(moment(40))
    await listener.hear(10)
    (tmp_path / "rules.yaml").write_text(
        "- urls: [radio.example]\n  kind: takedown\n  reason: taken down\n"
    )
    assert rules.renew()
    await listener.hear(30)
    assert listener.ended
    assert listener.data == DATA[40_000:60_000]
