"""Disks of the layout before this one."""

from pathlib import Path

import pytest
from pytest_twisted import ensureDeferred

from agents.capture import structure_key
from agents.storage.disk import upgrade as upgrade_module
from agents.storage.disk.layout import OLD_VERSION, Layout
from agents.storage.disk.lines import COVERED, SIZE
from agents.storage.disk.store import DiskStore
from agents.storage.disk.structures import read_captures
from agents.storage.errors import LayoutRefused

URL = "http://a.example/"


@pytest.fixture
def old(store: DiskStore, make_capture) -> Path:
    """Give a disk of the old layout, with two URLs of three captures."""
    import pytest_twisted
    from twisted.internet.defer import ensureDeferred as ensured

    async def fill() -> None:
        await store.append([make_capture(f"{URL}{n}", day) for n in (1, 2) for day in (1, 2, 3)])
        await store.close()

    pytest_twisted.blockon(ensured(fill()))
    for path in store.layout.root.rglob("*.captures"):
        lines = path.read_bytes()
        for at in range(0, len(lines), SIZE):
            lines = lines[: at + COVERED] + b" " * 9 + lines[at + SIZE - 1 :]
        path.write_bytes(lines)
    (store.layout.root / "layout").write_text(OLD_VERSION + "\n")
    return store.layout.root


@ensureDeferred
async def test_an_old_disk_is_upgraded_at_its_start(old: Path, workers, make_capture) -> None:
    """Lines get their checksums, also when an upgrade was killed, and nothing else changes."""
    with pytest.raises(LayoutRefused, match="start its storage node once"):
        Layout(old).check()
    store = DiskStore(old, workers, reserve=0, waiting_limit=1 << 20)
    key = structure_key(f"{URL}1")
    upgrade_module._upgrade_file(store.layout, key)  # one was done when the other was killed
    done = store.layout.captures(key).read_bytes()
    await store.open()
    assert store.layout.captures(key).read_bytes() == done
    for number in (1, 2):
        url = f"{URL}{number}"
        found = list(read_captures(store.layout, structure_key(url)))
        assert found == [make_capture(url, day) for day in (1, 2, 3)]
    assert (old / "layout").read_text() == "dlweb-storage 2\n"
    await store.close()


@ensureDeferred
async def test_what_has_no_room_is_refused(old: Path, workers) -> None:
    """Metadata that gave way to the checksum stops the upgrade, and is not lost."""
    path = next(old.rglob("*.captures"))
    lines = path.read_bytes()
    path.write_bytes(lines[:COVERED] + b"precious " + lines[SIZE - 1 :])
    store = DiskStore(old, workers, reserve=0, waiting_limit=1 << 20)
    with pytest.raises(LayoutRefused, match="precious"):
        await store.open()
    store._lock.release()
    assert b"precious" in path.read_bytes()
