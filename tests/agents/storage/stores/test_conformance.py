"""What every store does, whichever it is: one suite for a folder, a bucket and a cluster."""

from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from pytest_twisted import ensureDeferred
from zope.interface.verify import verifyObject

from agents.bundle import pack
from agents.capture import content_key, structure_key
from agents.storage.errors import DigestMismatch, InvalidCapture
from agents.storage.stores.errors import NotHeld
from agents.storage.stores.folder import FolderStore
from agents.storage.stores.interface import IN_MEMORY, IStore, all_held

KINDS = ("folder", "s3", "cluster")
URL = "http://a.example/é?q"
stores = pytest.mark.parametrize("kind", KINDS)


async def whole(store: Any, key: str, *part: int) -> bytes:
    """Return what a store yields of a content."""
    return b"".join([piece async for piece in store.content(key, *part)])


async def captures(store: Any, key: str) -> list[Any]:
    """Return all captures of a structure file."""
    return [each async for page in store.captures(key) for each in page]


async def put(store: Any, *bodies: bytes) -> list[str]:
    """Store contents; return their keys."""
    keys = [content_key(body) for body in bodies]
    for key, body in zip(keys, bodies, strict=True):
        await store.put(key, body)
    return keys


@stores
@ensureDeferred
async def test_a_content_comes_back(kind: str, open_store: Any, tmp_path: Path) -> None:
    """What was put is read as it was, whole and in parts; again it is not new."""
    store = await open_store(kind)
    assert verifyObject(IStore, store)
    for body in (b"body", b""):
        key = content_key(body)
        assert await store.put(key, body)
        assert not await store.put(key, body)
        assert await store.size(key) == len(body)
        assert await whole(store, key) == body
        assert await store.fetch(key, tmp_path) == body
    key = content_key(b"body")
    assert await whole(store, key, 1) == b"ody"
    assert await whole(store, key, 1, 2) == b"od"
    assert await whole(store, key, 3, 9) == b"y"
    assert await whole(store, key, 4) == b""


@stores
@ensureDeferred
async def test_a_large_content_goes_through_files(
    kind: str, open_store: Any, tmp_path: Path
) -> None:
    """What is too large for memory is stored from a file and fetched into one."""
    store = await open_store(kind)
    body = b"0123456789abcdef" * (IN_MEMORY // 16) * 3 + b"end"
    source, spool = tmp_path / "source", tmp_path / "spool"
    source.write_bytes(body)
    spool.mkdir()
    key = content_key(body)
    assert await store.put(key, source)
    fetched = await store.fetch(key, spool)
    assert isinstance(fetched, Path) and fetched.parent == spool
    assert sha256(fetched.read_bytes()).hexdigest() == key
    assert await whole(store, key, len(body) - 5) == b"ef" + b"end"
    assert await whole(store, key) == body


@stores
@ensureDeferred
async def test_bytes_that_are_not_what_they_say_are_refused(
    kind: str, open_store: Any, tmp_path: Path
) -> None:
    """A wrong body is not stored, be it bytes or a file."""
    store = await open_store(kind)
    key = content_key(b"right")
    (tmp_path / "wrong").write_bytes(b"wrong")
    for body in (b"wrong", tmp_path / "wrong"):
        with pytest.raises(DigestMismatch):
            await store.put(key, body)
    assert await store.size(key) is None
    with pytest.raises(NotHeld):
        await whole(store, key)
    with pytest.raises(NotHeld):
        await store.fetch(key, tmp_path)


@stores
@ensureDeferred
async def test_many_contents_are_put_at_once(kind: str, open_store: Any, tmp_path: Path) -> None:
    """Of any sizes, as bytes, as a part of others, or as a file; each has its own outcome."""
    store = await open_store(kind)
    [known] = await put(store, b"known")
    small = [b"small %d" % number for number in range(40)]
    large = [bytes([number]) * 70_000 * number for number in (1, 2, 3, 5)]
    whole_buffer = memoryview(b"".join(small))
    (tmp_path / "file").write_bytes(b"a file" * 50_000)
    (tmp_path / "wrong").write_bytes(b"wrong")
    given: list[Any] = [(content_key(body), body) for body in large]
    for number, body in enumerate(small):
        at = sum(map(len, small[:number]))
        given.append((content_key(body), whole_buffer[at : at + len(body)]))
    new = len(given)
    given += [
        (content_key(b"a file" * 50_000), tmp_path / "file"),
        given[0],
        given[5],
        (known, b"known"),
        (content_key(b"right"), b"wrong"),
        (content_key(b"right"), tmp_path / "wrong"),
        (content_key(b"gone"), tmp_path / "gone"),
        (content_key(b""), b""),
    ]
    outcomes = await store.put_all(given)
    assert outcomes[: new + 1] == [True] * (new + 1)
    assert outcomes[new + 1 : new + 4] == [False] * 3 and outcomes[-1] is True
    assert [type(each) for each in outcomes[-4:-2]] == [DigestMismatch] * 2
    assert isinstance(outcomes[-2], OSError)
    assert await store.size(content_key(b"right")) is None
    for key, body in given[: new + 1]:
        expected = body.read_bytes() if isinstance(body, Path) else bytes(body)
        assert await whole(store, key) == expected
    assert not any(await store.put_all(given[:new]))
    hashed = b"hashed by this program"
    assert await store.put_all([(content_key(hashed), hashed)], hashed=True) == [True]
    assert await store.put_all([]) == []
    listed = [held.key async for held in all_held(store, "contents")]
    assert listed == sorted(
        {key for key, _ in given[: new + 1]} | {known, content_key(b""), content_key(hashed)}
    )


@stores
@ensureDeferred
async def test_contents_are_listed_in_order(kind: str, open_store: Any) -> None:
    """Listings give every key once, in order, some at a time, from any key on."""
    store = await open_store(kind)
    keys = sorted(await put(store, *(b"%d" % number for number in range(25))))
    assert [held.key async for held in all_held(store, "contents", page=7)] == keys
    assert [held.key for held in await store.listing("contents", keys[20], 100)] == keys[21:]
    assert await store.listing("contents", keys[-1], 100) == []
    assert await store.listing("structures") == []


@stores
@ensureDeferred
async def test_captures_are_a_set(kind: str, open_store: Any, make_capture: Any) -> None:
    """Captures come back in order with their heads, whatever the order and how often recorded."""
    store = await open_store(kind)
    await put(store, b"body", b"other")
    wanted = [make_capture(URL, day, b"body") for day in range(1, 8)]
    wanted += [make_capture(URL, 7, b"other")]
    wanted.sort(key=lambda each: (each.date, each.content))
    await store.append([*wanted[3:], wanted[0]])
    await store.append(wanted)
    await store.append(wanted[:2])
    assert await captures(store, structure_key(URL)) == wanted
    assert await captures(store, structure_key("http://b.example/")) == []


@stores
@ensureDeferred
async def test_structures_are_listed_with_a_version(
    kind: str, open_store: Any, make_capture: Any
) -> None:
    """Of several URLs each has its own structure; its version changes with what is added."""
    store = await open_store(kind)
    await put(store, b"body")
    urls = [f"http://a.example/{number}" for number in range(5)]
    await store.append([make_capture(url) for url in urls])
    keys = sorted(map(structure_key, urls))
    before = [held async for held in all_held(store, "structures", page=2)]
    assert [held.key for held in before] == keys
    await store.append([make_capture(urls[0], day=2)])
    after = [held async for held in all_held(store, "structures")]
    assert {held.key for held in set(after) - set(before)} == {structure_key(urls[0])}


@stores
@ensureDeferred
async def test_a_capture_that_fits_no_line_is_refused(
    kind: str, open_store: Any, make_capture: Any
) -> None:
    """What a structure file cannot hold is a typed error."""
    store = await open_store(kind)
    await put(store, b"body")
    with pytest.raises(InvalidCapture):
        await store.append([evolve(make_capture(), status=1000)])


@ensureDeferred
async def test_what_a_killed_disk_has_in_its_journal_is_read(
    tmp_path: Path, threads: Any, make_capture: Any
) -> None:
    """A content that was acknowledged, and has no file yet, is listed, sized, and given."""
    disk = FolderStore([tmp_path / "disk"], threads)
    await disk.open(writing=True)
    await put(disk, b"filed")
    await disk.close()
    journal = tmp_path / "disk" / "journal" / "1"
    journal.write_bytes(pack([(content_key(b"left"), b"left")]) + b"torn")
    await disk.open()
    key = content_key(b"left")
    listed = [held.key async for held in all_held(disk, "contents", page=1)]
    assert listed == sorted([key, content_key(b"filed")])
    assert await disk.size(key) == 4
    assert await disk.fetch(key, tmp_path) == b"left"
    assert await whole(disk, key, 1, 2) == b"ef"
