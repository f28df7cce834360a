"""What may go wrong with a disk besides: found by trying to break it."""

import os
from hashlib import sha256
from pathlib import Path

import pytest
from pytest_twisted import ensureDeferred

from agents.storage.disk.additions import AdditionsLog, Entry
from agents.storage.disk.layout import Layout
from agents.storage.disk.store import DiskStore
from agents.storage.errors import LayoutRefused


def _key(body: bytes) -> str:
    return sha256(body).hexdigest()


@ensureDeferred
async def test_a_second_node_leaves_alone_what_the_first_is_writing(store, workers) -> None:
    """A node that is started on a disk in use is refused before it empties what is incoming."""
    incoming = await store.receive()
    await store.write(incoming, b"large")
    second = DiskStore(store.layout.root, workers, reserve=0, waiting_limit=1 << 20)
    with pytest.raises(LayoutRefused, match="in use"):
        await second.open()
    assert await store.put(_key(b"large"), incoming) is True


@pytest.mark.parametrize("folder", ["contents", "structures", "incoming", "quarantine", "journal"])
def test_a_disk_that_leads_elsewhere_is_refused(tmp_path: Path, folder: str) -> None:
    """Nothing is emptied or written through a symbolic link that a disk brings along."""
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "letter").write_text("mine")
    root = tmp_path / "storage-1"
    root.mkdir()
    (root / "layout").write_text("dlweb-storage 2\n")
    (root / folder).symlink_to(tmp_path / "home")
    with pytest.raises(LayoutRefused, match="symbolic link"):
        Layout(root).prepare()
    assert (tmp_path / "home" / "letter").read_text() == "mine"


def test_the_top_of_a_new_file_system_is_a_disk(tmp_path: Path) -> None:
    """What mkfs leaves there does not stand in the way."""
    (tmp_path / "lost+found").mkdir()
    Layout(tmp_path).prepare()


@pytest.mark.parametrize("torn", [b"\0" * 70_000, b"contents 12", b"\0" * 200_000 + b"conte"])
def test_what_a_power_failure_appends_hides_no_later_entry(tmp_path: Path, torn: bytes) -> None:
    """However long the torn end of a log is, the next entry has a line of its own."""
    (tmp_path / "incoming").mkdir()
    before, after = (Entry("contents", _key(name), 1) for name in (b"before", b"after"))
    log = AdditionsLog(tmp_path / "additions")
    log.open([before])
    with (tmp_path / "additions").open("ab") as file:
        file.write(torn)
    log.open([])
    log.append([after])
    assert log.read("", 0).entries == [before, after]


def test_a_follower_comes_past_a_part_that_is_damaged(tmp_path: Path) -> None:
    """A log of which more is lost than is read at once is followed to its end."""
    (tmp_path / "incoming").mkdir()
    entries = [Entry("contents", _key(b"%d" % number), 1) for number in range(40)]
    log = AdditionsLog(tmp_path / "additions")
    log.open(entries)
    with (tmp_path / "additions").open("r+b") as file:
        file.seek(100)
        file.write(b"\0" * 2000)
    position, found = 0, []
    while position != log.position:
        part = log.read(log.log, position, 256)
        assert part.position > position
        position = part.position
        found += part.entries
    assert found[-1] == entries[-1] and len(found) < len(entries)
