"""Copies between stores: complete, verified, taken up again, and honest about what is lost."""

from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import reactor

from agents.capture import content_key, structure_key
from agents.storage.errors import DamagedStructure
from agents.storage.stores.copied import Copied
from agents.storage.stores.copying import Copying, Figures
from agents.storage.stores.errors import StoreUnreachable
from agents.storage.stores.folder import FolderStore
from agents.storage.stores.interface import IN_MEMORY, all_held
from anet.workers import Workers

URLS = [f"http://a.example/{number}" for number in range(6)]
BODIES = {(n, day): b"%d on day %d" % (n, day) for n in range(6) for day in (1, 2)}
BODIES[1, 1] = b"large" * (IN_MEMORY // 4)


class Watched:
    """A store that counts what is asked of it, and fails when it is told to."""

    def __init__(self, store: Any) -> None:
        self._store = store
        self.asked: Counter[str] = Counter()
        self.fail_after = 10**9

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._store, name)
        if not callable(found):
            return found
        self.asked[name] += 1
        if self.asked["put_all"] + self.asked["append"] > self.fail_after:
            raise StoreUnreachable("it was cut off")
        return found


async def fill(folder: Path, threads: Workers, make_capture: Any) -> FolderStore:
    """Make a disk with some captures; return it, to be read."""
    disk = FolderStore([folder], threads)
    await disk.open(writing=True)
    for (number, day), body in BODIES.items():
        await disk.put(content_key(body), body)
        await disk.append([make_capture(URLS[number], day, body)])
    await disk.close()
    await disk.open()
    return disk


Copy = Callable[[Any, Any], Awaitable[Figures]]


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    """Give what copies, remembering what it has copied."""

    async def run(source: Any, target: Any) -> Figures:
        thread = Workers(reactor, 1)
        thread.startService()
        copied = Copied(tmp_path / "state" / "copied.sqlite", thread)
        await copied.open()
        (tmp_path / "spool").mkdir(exist_ok=True)
        try:
            return await Copying(source, target, copied, tmp_path / "spool").run()
        finally:
            assert not list((tmp_path / "spool").iterdir()), "large contents were left"
            await copied.close()
            await thread.stopService()

    return run


async def everything(store: Any) -> dict[str, Any]:
    """Return all contents and captures of a store."""
    found: dict[str, Any] = {}
    async for held in all_held(store, "contents"):
        found[held.key] = b"".join([piece async for piece in store.content(held.key)])
    async for held in all_held(store, "structures"):
        found[held.key] = [each async for page in store.captures(held.key) for each in page]
    return found


@pytest.mark.parametrize("kind", ["folder", "s3", "cluster"])
@ensureDeferred
async def test_everything_is_copied(
    kind: str, tmp_path: Path, threads: Workers, make_capture: Any, open_store: Any, copy: Copy
) -> None:
    """A target has all contents and captures of the source afterwards; a repeat writes nothing."""
    source = await fill(tmp_path / "from", threads, make_capture)
    target = Watched(await open_store(kind))
    figures = await copy(source, target)
    assert figures.well and figures.contents == 12 and figures.captures == 12
    assert figures.bytes == sum(map(len, BODIES.values()))
    assert await everything(target) == await everything(source)
    target.asked.clear()
    again = await copy(source, target)
    assert again.structures_known == len(URLS) and again.contents == again.captures == 0
    assert set(target.asked) <= {"listing"}, "repeating costs more than listings"


@ensureDeferred
async def test_back_from_a_bucket_and_out_of_a_cluster(
    tmp_path: Path, threads: Workers, make_capture: Any, open_store: Any, copy: Copy
) -> None:
    """From disk to bucket, to cluster, to disk: it is the same archive."""
    source = await fill(tmp_path / "from", threads, make_capture)
    chain = [
        source,
        await open_store("s3"),
        await open_store("cluster"),
        await open_store("folder"),
    ]
    for former, following in zip(chain, chain[1:], strict=False):
        assert (await copy(former, following)).well
    assert await everything(chain[-1]) == await everything(source)


@ensureDeferred
async def test_a_copy_that_broke_is_taken_up_again(
    tmp_path: Path, threads: Workers, make_capture: Any, open_store: Any, copy: Copy
) -> None:
    """Wherever it is cut off, what was copied stays, and the next run copies only the rest."""
    source = await fill(tmp_path / "from", threads, make_capture)
    store = await open_store("folder")
    for cut in (1, 4):
        target = Watched(store)
        target.fail_after = cut
        with pytest.raises(StoreUnreachable):
            await copy(source, target)
    target = Watched(store)
    figures = await copy(source, target)
    done = figures.contents_known + figures.structures_known
    assert figures.well and done >= 12, "what was there was copied again"
    assert await everything(target) == await everything(source)


@ensureDeferred
async def test_what_is_added_later_is_copied_later(
    tmp_path: Path, threads: Workers, make_capture: Any, open_store: Any, copy: Copy
) -> None:
    """A second copy brings the captures that were recorded since the first."""
    source = await fill(tmp_path / "from", threads, make_capture)
    target = await open_store("folder")
    await copy(source, target)
    await source.open(writing=True)
    await source.put(content_key(b"new"), b"new")
    await source.append([make_capture(URLS[2], 9, b"new")])
    figures = await copy(source, target)
    assert (figures.contents, figures.structures, figures.structures_known) == (1, 1, 5)
    await source.close()
    assert await everything(target) == await everything(source)


@ensureDeferred
async def test_the_damaged_is_taken_from_another_disk_or_named(
    tmp_path: Path, threads: Workers, make_capture: Any, open_store: Any, copy: Copy
) -> None:
    """A damaged content comes from the other disk; one that is lost is named and counted."""
    await fill(tmp_path / "one", threads, make_capture)
    await fill(tmp_path / "two", threads, make_capture)
    damaged, lost = content_key(b"3 on day 1"), content_key(b"4 on day 2")
    for folder, key in (("one", damaged), ("one", lost), ("two", lost)):
        path = tmp_path / folder / "contents" / key[:2] / key[2:4] / key
        path.write_bytes(b"x" + path.read_bytes()[1:])
    source = FolderStore([tmp_path / "one", tmp_path / "two"], threads)
    await source.open()
    target = await open_store("folder")
    figures = await copy(source, target)
    assert not figures.well and figures.contents == 11 and figures.captures == 11
    assert any(lost in words for words in figures.problems)
    assert await target.size(damaged) == 10
    assert await target.size(lost) is None
    copied = await everything(target)
    assert [each.date[:8] for each in copied[structure_key(URLS[4])]] == ["20260101"]


@ensureDeferred
async def test_captures_that_are_lost_are_named_and_all_others_copied(
    tmp_path: Path, threads: Workers, make_capture: Any, open_store: Any, copy: Copy
) -> None:
    """A structure file that is damaged on the only disk costs what is damaged, and ends nothing."""
    source = await fill(tmp_path / "one", threads, make_capture)
    key = structure_key(URLS[2])
    path = tmp_path / "one" / "structures" / key[:2] / key[2:4] / f"{key}.captures"
    path.write_bytes(b"x" + path.read_bytes()[1:])
    target = await open_store("folder")
    for _ in range(2):  # the damaged file counts as not copied, and is tried again
        figures = await copy(source, target)
        assert figures.lost == 1 and any(key in words for words in figures.problems)
    copied = await everything(target)
    assert [each.date[:8] for each in copied[key]] == ["20260102"]
    captures = [each for each in copied.values() if isinstance(each, list)]
    assert sum(map(len, captures)) == len(BODIES) - 1


@ensureDeferred
async def test_damage_of_one_of_two_copies_is_passed_over(
    tmp_path: Path, threads: Workers, make_capture: Any
) -> None:
    """Together they are whole; where neither has anything sound, that is said."""
    for name in ("one", "two"):
        await fill(tmp_path / name, threads, make_capture)
    both = FolderStore([tmp_path / "one", tmp_path / "two"], threads)
    await both.open()
    before, key = await everything(both), structure_key(URLS[2])
    for name in ("one", "two"):
        path = tmp_path / name / "structures" / key[:2] / key[2:4] / f"{key}.captures"
        path.write_bytes(b"x" * path.stat().st_size)
        if name == "one":
            assert await everything(both) == before
    with pytest.raises(DamagedStructure):
        await everything(both)
