"""Bare disks: the ten-line script of the documentation, the checker, and our own reader."""

import json
import re
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from agents.archive import holdings
from agents.capture import Capture, structure_key
from agents.storage.disk.layout import Layout
from agents.storage.disk.store import DiskStore
from agents.storage.errors import DamagedStructure

ROOT = Path(__file__).parents[3]
URL = "http://a.example/é?q"
BODIES = {day: b"body of day %d" % day for day in (1, 5, 9)}


@pytest.fixture
def folders(tmp_path: Path, workers, make_capture):
    """Give two storage folders, of which each holds what the other lacks."""
    import pytest_twisted
    from twisted.internet.defer import ensureDeferred as ensured

    async def fill() -> list[Path]:
        made = []
        for number, days in ((1, (1, 9)), (2, (5, 9))):
            store = DiskStore(
                tmp_path / f"storage-{number}", workers, reserve=0, waiting_limit=1 << 20
            )
            await store.open()
            for day in days:
                capture = make_capture(URL, day, BODIES[day])
                await store.put(capture.content, BODIES[day])
                await store.append([capture])
            await store.close()
            made.append(store.layout.root)
        return made

    return pytest_twisted.blockon(ensured(fill()))


def _run(*arguments: object) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-I", *map(str, arguments)], capture_output=True, timeout=60
    )


@pytest.mark.parametrize(("date", "day"), [("20260101", 1), ("20260106", 5), ("2027", 9)])
def test_the_script_in_the_documentation_restores(tmp_path, folders, date: str, day: int) -> None:
    """The script printed in archive-layout.md gives the bytes of a URL at a date."""
    page = (ROOT / "docs/reference/archive-layout.md").read_text()
    (script,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    (tmp_path / "restore.py").write_text(script)
    assert len(script.strip().splitlines()) <= 12
    run = _run(tmp_path / "restore.py", URL, date, *folders)
    assert run.stdout == BODIES[day], run.stderr


def test_the_checker_finds_all_well(folders, make_capture) -> None:
    """A sound archive passes, and its captures are printed."""
    run = _run(ROOT / "tests/checker.py", "--captures", *folders)
    assert run.returncode == 0, run.stderr
    captures = [json.loads(line) for line in run.stdout.splitlines()]
    assert [each["date"] for each in captures] == [make_capture(day=d).date for d in (1, 5, 9)]
    assert captures[0]["url"] == URL
    assert captures[0]["head"].encode("latin-1") == make_capture().head


def test_the_checker_wants_what_was_acknowledged(tmp_path, folders, make_capture) -> None:
    """What somebody was told, and is not there, is named."""
    told = make_capture(URL, 7)
    line = json.dumps({"url": told.url, "date": told.date, "content": told.content})
    (tmp_path / "told").write_text(line + "\n")
    run = _run(ROOT / "tests/checker.py", "--acknowledged", tmp_path / "told", *folders)
    assert run.returncode == 1 and b"acknowledged, and not here" in run.stderr


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        ("flip a content", b"hashes to"),
        ("lose a content", b"is in no folder"),
        ("flip a line", b"is not one"),
        ("swap lines", b"is not in order"),
        ("cut the heads", b"is not within the heads"),
        ("lose the heads", b"has no .heads"),
        ("flip a head", b"is not that of its line and head"),
        ("lose the layout", b"is no storage folder"),
    ],
)
def test_the_checker_finds_damage(folders, make_capture, damage: str, words: bytes) -> None:
    """Each kind of damage is found and named."""
    one = Layout(folders[0])
    content = one.content(make_capture(URL, 1, BODIES[1]).content)
    lines, heads = one.captures(structure_key(URL)), one.heads(structure_key(URL))
    data = lines.read_bytes()
    match damage:
        case "flip a content":
            content.write_bytes(b"x" + content.read_bytes()[1:])
        case "lose a content":
            content.unlink()
        case "flip a line":
            lines.write_bytes(b"x" + data[1:])
        case "swap lines":
            lines.write_bytes(data[160:] + data[:160])
        case "cut the heads":
            heads.write_bytes(heads.read_bytes()[:-1])
        case "flip a head":
            heads.write_bytes(heads.read_bytes()[:-9] + b"x" + heads.read_bytes()[-8:])
        case "lose the heads":
            heads.unlink()
        case "lose the layout":
            (one.root / "layout").unlink()
    run = _run(ROOT / "tests/checker.py", *folders)
    assert run.returncode == 1
    assert words in run.stderr


def _captures(folders: list[Path], damage: list[DamagedStructure]) -> list[Capture]:
    layouts = [Layout(folder) for folder in folders]
    found = holdings.captures_of(layouts, URL, damage)
    return [holdings.whole(layouts, each) for each in found]


def test_all_folders_are_read_as_one(folders, make_capture) -> None:
    """Captures with their heads, the nearest and contents, whichever disk they are on."""
    layouts = [Layout(folder) for folder in folders]
    wanted = [make_capture(URL, day, BODIES[day]) for day in (1, 5, 9)]
    damage: list[DamagedStructure] = []
    assert _captures(folders, damage) == wanted and not damage
    assert holdings.nearest(wanted, "20260104000000000000") == wanted[1]
    assert holdings.captures_of(layouts, "http://b.example/", damage) == []
    for capture in wanted:
        content = holdings.content_of(layouts, capture.content)
        assert isinstance(content, Path) and content.stat().st_size == capture.size
    with pytest.raises(holdings.NotArchived, match="lost or damaged"):
        holdings.content_of(layouts, "0" * 64)


def test_half_of_the_disks_is_still_an_archive(folders, make_capture) -> None:
    """One folder alone is read for what it has."""
    assert [each.date for each in _captures(folders[:1], [])] == [
        make_capture(day=day).date for day in (1, 9)
    ]


def test_what_only_a_journal_has_is_read(folders) -> None:
    """A small content that a killed node had no time to make a file of is found."""
    body, wanted = b"of a killed node", sha256(b"of a killed node").hexdigest()
    journal = folders[1] / "journal" / "2"
    journal.write_bytes(b"%s %d\n" % (wanted.encode(), len(body)) + body)
    layouts = [Layout(folder) for folder in folders]
    assert holdings.content_of(layouts, wanted) == body
    journal.write_bytes(journal.read_bytes()[:-1])
    with pytest.raises(holdings.NotArchived):
        holdings.content_of(layouts, wanted)


@pytest.mark.parametrize("both", [False, True])
def test_damage_is_told_and_passed_over(folders, make_capture, both: bool) -> None:
    """What is sound in any copy is read, the lines after a damaged one too."""
    for folder in folders[: 1 + both]:
        lines = Layout(folder).captures(structure_key(URL))
        lines.write_bytes(b"x" + lines.read_bytes()[1:])
    damage: list[DamagedStructure] = []
    found = [each.date for each in _captures(folders, damage)]
    assert found == [make_capture(day=day).date for day in ((9,) if both else (5, 9))]
    assert len(damage) == 1 + both
    assert holdings.told(damage).count("passed over") == 1 + both
    Layout(folders[0]).heads(structure_key(URL)).write_bytes(b"damaged\n")
    assert [each.date for each in _captures(folders, damage)] == found
