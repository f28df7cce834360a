"""`dlweb sites`, `site`, `campaign`, `timeline` and `machine` with a real scheduler."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_twisted import ensureDeferred
from twisted.internet import reactor

from agents.archive.command.arguments import parse
from agents.archive.command.performing import verb_named
from agents.archive.command.settings import read, seconds
from agents.archive.command.tables import table
from agents.archive.errors import ArchiveError
from agents.scheduler.temporal import SiteSettings


class Terminal:
    """Runs command lines with a scheduler that runs."""

    def __init__(self, running: Any, capsys: Any) -> None:
        self._capsys = capsys
        self._file: Path = running.file.with_name("commands.yaml")
        self._directory = running.file.parent / "var"
        self._file.write_text(f"scheduler:\n  address: {running.service.listener.address}\n")

    async def run(self, *words: str) -> tuple[int, str]:
        """Return the exit status and what was written."""
        verb, *rest = words
        where = ["--config", str(self._file), "--archive", str(self._directory)]
        if verb in ("sites", "timeline"):
            options = parse([verb, *where, *rest])
        else:
            place = 2 if verb == "site" else 1
            options = parse([verb, *rest[:place], *where, *rest[place:]])
        status = await verb_named(verb)(reactor, options)
        return status, self._capsys.readouterr().out


@ensureDeferred
async def test_sites_are_listed_a_page_at_a_time(running: Any, capsys: Any) -> None:
    """The last line tells how to go on; the status is 1 when there is none."""
    terminal = Terminal(running, capsys)
    status, text = await terminal.run("sites", "--standing", "member", "--limit", "3")
    assert status == 0 and text.count("member") == 3
    after = text.splitlines()[-1].partition("'")[2].rstrip("'")
    more = ("sites", "--standing", "member", "--limit", "3", "--after", after)
    status, text = await terminal.run(*more)
    assert text.count("member") == 2 and "--after" not in text
    assert await terminal.run("sites", "nobody") == (1, "There is no such site.\n")
    status, text = await terminal.run("sites", "c0", "--json", "--limit", "1")
    assert json.loads(text)["sites"][0]["site"] == "c00.example"
    with pytest.raises(ArchiveError, match="a standing is one of"):
        await terminal.run("sites", "--standing", "nonsense")


@ensureDeferred
async def test_a_site_is_shown_and_decided_of(running: Any, capsys: Any) -> None:
    """What is decided shows, with who and why; what has no place is refused in words."""
    terminal = Terminal(running, capsys)
    status, text = await terminal.run("site", "m0.example", "ban", "--why", "too loud")
    assert status == 0 and text.startswith("m0.example: blacklisted")
    status, text = await terminal.run("site", "m0.example", "show")
    assert "too loud" in text and "Judgement:" in text and "Why it ranks there:" in text
    with pytest.raises(ArchiveError):
        await terminal.run("site", "m0.example", "wake")
    await terminal.run("site", "m0.example", "release", "standing")
    assert (await terminal.run("site", "m0.example", "pardon"))[1].startswith(
        "m0.example: temporary"
    )
    with pytest.raises(ArchiveError, match="dlweb sites"):
        await terminal.run("site", "nobody.example", "show")


@ensureDeferred
async def test_settings_are_changed_one_by_one(running: Any, capsys: Any) -> None:
    """What is not named stays; null goes back to what is usual."""
    terminal = Terminal(running, capsys)

    async def settings(*words: str) -> Any:
        _, text = await terminal.run("site", "m1.example", "set", *words, "--json")
        return json.loads(text)["settings"]

    assert await settings("interval=36h", "quick=no") == {"interval": 129600.0, "quick": False}
    hours = '{"zone": "Europe/Paris", "hours": [{"begins": "08:00", "ends": "18:00"}]}'
    told = await settings(f"forbidden={hours}", "interval=null")
    assert told["quick"] is False and "interval" not in told
    assert told["forbidden"]["zone"] == "Europe/Paris"
    _, text = await terminal.run(
        "site", "m1.example", "set", "reject=/private", "depth=4", "rank=0.25", "--json"
    )
    found = json.loads(text)
    assert (found["reject"], found["maximum_depth"], found["line"]["priority"]) == (
        "/private",
        4,
        0.25,
    )
    with pytest.raises(ArchiveError):
        await terminal.run("site", "m1.example", "set", "interval=1s")


@ensureDeferred
async def test_campaigns_timeline_and_machines(running: Any, capsys: Any) -> None:
    """A campaign is put, joined and ended; the schedule ahead and machines are shown."""
    terminal = Terminal(running, capsys)
    put = ("campaign", "put", "Fair", "--begins", "2026-11", "--ends", "2036-12", "--every", "12h")
    status, text = await terminal.run(*put)
    assert status == 0 and "Fair" in text and "12 h 00 min" in text
    await terminal.run("campaign", "join", "Fair", "m1.example", "m2.example", "--why", "fair")
    _, text = await terminal.run("campaign", "list", "--json")
    [fair] = [each for each in json.loads(text) if each["name"] == "Fair"]
    assert fair["number"] == 2
    assert "over" in (await terminal.run("campaign", "end", "Fair"))[1]
    status, text = await terminal.run("timeline", "--days", "3")
    assert status == 0 and "waiting since their date" in text
    status, text = await terminal.run("machine", "list")
    assert status == 0 and "No agent has said" in text
    with pytest.raises(ArchiveError):
        await terminal.run("machine", "drain", "nowhere")


@ensureDeferred
async def test_streams_are_listed_and_decided_of(running: Any, capsys: Any) -> None:
    """How a stream is after a decision is shown; what has no place is refused in words."""
    terminal = Terminal(running, capsys)
    status, text = await terminal.run("stream", "list", "--site", "m1.example", "--limit", "3")
    assert status == 0 and text.count("m1.example") == 3 and "aside" in text
    assert (await terminal.run("stream", "list", "--site", "nowhere"))[0] == 1
    film = "http://m1.example/01.m3u8"
    status, text = await terminal.run("stream", "stop", film, "--why", "a film", "--json")
    [line] = json.loads(text)
    assert status == 0 and (line["phase"], line["hand"]) == ("candidate", "stop")
    _, text = await terminal.run("stream", "release", "HTTP://m1.example/01.m3u8")
    assert "stop" not in text
    status, text = await terminal.run("stream", "add", "m2.example", "https://m2.example/live")
    assert status == 0 and "ordered" in text and "start" in text
    assert await terminal.run("stream", "forget", film) == (0, "The stream is forgotten.\n")
    with pytest.raises(ArchiveError, match="there is no stream"):
        await terminal.run("stream", "start", film)
    with pytest.raises(ArchiveError, match="no streaming agent"):
        await terminal.run("stream", "move", "https://m2.example/live", "nobody")


@pytest.mark.parametrize(
    ("text", "expected"), [("90", 90.0), ("45min", 2700.0), ("36h", 129600.0), ("1.5d", 129600.0)]
)
def test_times_are_read_as_people_write_them(text: str, expected: float) -> None:
    """A number and its unit; seconds without."""
    assert seconds(text) == expected


@given(st.lists(st.text(max_size=20), max_size=3))
def test_settings_are_read_or_refused_in_words(words: list[str]) -> None:
    """Whatever is typed, there is a value or one message."""
    try:
        wanted = read(words)
    except ArchiveError as error:
        assert str(error)
    else:
        assert not words or wanted.settings or wanted.bounds or wanted.rank is not None


def test_every_setting_can_be_set() -> None:
    """The names of the command line are those of the settings."""
    for attribute in SiteSettings.__attrs_attrs__:  # type: ignore[attr-defined]
        assert read([f"{attribute.name}=null"]).settings == {attribute.name: None}


@given(st.lists(st.lists(st.text(max_size=80), min_size=2, max_size=2), max_size=4))
def test_a_name_of_the_web_moves_no_cursor(rows: list[list[str]]) -> None:
    """A table has one line a row, without control characters."""
    lines = table(["a", "b"], rows)
    assert len(lines) == len(rows) + 1
    assert not any(ord(char) < 32 or 127 <= ord(char) < 160 for line in lines for char in line)
