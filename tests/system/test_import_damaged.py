"""A collection with everything in it: files of many tools, and what became of them on bad disks."""

import json
import random
import subprocess
from pathlib import Path

import pytest
from exchange import captures, dlweb, line

pytestmark = pytest.mark.slow

SAMPLES = Path(__file__).parent.parent / "samples"
SOUND = ["wget.warc", "wget.warc.gz", "at.warc", "example.arc.gz", "post-test.warc.gz"]


def spoilt(data: bytes, chance: random.Random) -> bytes:
    """Return a file with some bytes changed, lost, or added, or without its end."""
    at = chance.randrange(len(data) // 4, len(data))
    size = min(chance.randrange(1, 200), len(data) - at)
    ways = [
        data[:at] + chance.randbytes(size) + data[at + size :],
        data[:at] + data[at + size :],
        data[:at] + chance.randbytes(size) + data[at:],
        data[:at],
    ]
    return chance.choice(ways)


@pytest.fixture(scope="module")
def collection(tmp_path_factory) -> Path:
    """A folder of all samples, and of spoilt copies of some."""
    folder = tmp_path_factory.mktemp("collection")
    for path in SAMPLES.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    chance = random.Random(11)
    for number in range(30):
        name = chance.choice(SOUND)
        spoiling = spoilt((SAMPLES / name).read_bytes(), chance)
        (folder / f"spoilt-{number:02}-{name}").write_bytes(spoiling)
    return folder


def found(disk: Path) -> set[tuple[str, str, str]]:
    """Return URL, date and content of the captures of a disk."""
    return {(it["url"], it["date"], it["content"]) for it in captures(disk)}


def pages(disk: Path) -> set[tuple[str, str, str]]:
    """Return those of the web."""
    return {each for each in found(disk) if not each[0].startswith("warc:")}


def test_a_damaged_collection_comes_in_as_far_as_it_is_sound(
    collection: Path, tmp_path: Path
) -> None:
    """Status 1, every damage named; what is sound is there, and nothing that was in no file."""
    told = dlweb("import", tmp_path, collection, "--to", tmp_path / "disk", status=1)
    assert told["damage"] >= 15
    assert len(told["problems"]) >= told["damage"] + told["digests"] or len(told["problems"]) == 100
    for words in told["problems"]:
        assert any(path.name in words for path in collection.iterdir()), words
    there = pages(tmp_path / "disk")
    for name in SOUND:
        sound = tmp_path / name
        dlweb("import", tmp_path, collection / name, "--to", sound)
        assert pages(sound)
        assert pages(sound) <= there, name


def test_spoilt_files_give_nothing_that_is_not_theirs(collection: Path, tmp_path: Path) -> None:
    """Of a spoilt file come captures of the sound one, but for those that it is told of."""
    sound = tmp_path / "sound"
    for name in SOUND:
        dlweb("import", tmp_path, collection / name, "--to", sound)
    files = sorted(collection.glob("spoilt-*"))
    command = line("import", tmp_path, *files, "--to", tmp_path / "spoilt")
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    whole, partly = _contents(sound), _contents(tmp_path / "spoilt")
    assert len(partly & whole) > len(whole) // 2
    # In a plain file a changed byte of a body is one that its digest tells of.
    assert len(partly - whole) <= json.loads(done.stdout)["digests"]


def _contents(disk: Path) -> set[tuple[str, str]]:
    """Return date and content of what is of the web; a POST without its request has another URL."""
    return {(date, content) for _, date, content in pages(disk)}


def test_it_says_the_same_again(collection: Path, tmp_path: Path) -> None:
    """A repeated command reads no file again, and names the same damage with the same status."""
    words = (collection, "--to", tmp_path / "disk")
    first = dlweb("import", tmp_path, *words, status=1)
    again = dlweb("import", tmp_path, *words, status=1)
    assert again["bytes_read"] == 0
    assert again["files_known"] == first["files"]
    for figure in ("damage", "digests", "pending", "files_refused"):
        assert again[figure] == first[figure], figure
    assert sorted(again["problems"]) == sorted(first["problems"])
