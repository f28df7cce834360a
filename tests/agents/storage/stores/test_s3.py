"""A bucket: its bytes are those of a disk, its writers are noticed, and no key is ever told."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.threads import blockingCallFromThread

from agents.capture import content_key, structure_key
from agents.storage.errors import DigestMismatch, LayoutRefused
from agents.storage.stores import bucket as bucket_module
from agents.storage.stores.bucket import Bucket
from agents.storage.stores.bucket_address import BucketAddress
from agents.storage.stores.errors import OtherWriter, StoreError, StoreRefused, StoreUnreachable
from agents.storage.stores.folder import FolderStore
from agents.storage.stores.s3 import S3Store
from anet.workers import Workers

URL = "http://a.example/"


@pytest.fixture
def address(seaweed: Any, tmp_path: Path) -> BucketAddress:
    """Return an empty place in the object store."""
    return BucketAddress.parse(seaweed.address("archives", f"alone/{tmp_path.name}"))


def objects(bucket: Bucket, folder: Path) -> None:
    """Write all objects of a bucket into a folder, as any tool that copies buckets does."""
    for kind in ("contents", "structures"):
        for name, _ in bucket.names(kind, "", 1000):
            save(bucket, name, folder)
    save(bucket, "layout", folder)


def save(bucket: Bucket, name: str, folder: Path) -> None:
    """Write one object."""
    body, _ = bucket.get(name)
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(bucket.read(body, 1 << 20))


@ensureDeferred
async def test_a_bucket_is_a_disk_and_a_disk_is_a_bucket(
    open_store: Any, tmp_path: Path, threads: Workers, make_capture: Any, address: BucketAddress
) -> None:
    """Its objects, copied into a folder, are a disk; those files, copied back, are a store."""
    store = S3Store(address, threads)
    await store.open(writing=True)
    wanted = [make_capture(URL, day, b"body") for day in (3, 1, 2)]
    await store.put(content_key(b"body"), b"body")
    for capture in wanted:
        await store.append([capture])
    await store.close()
    bucket = Bucket(address)
    await threads.run(objects, bucket, tmp_path / "disk")
    disk = FolderStore([tmp_path / "disk"], threads)
    await disk.open(writing=True)
    assert await disk.fetch(content_key(b"body"), tmp_path) == b"body"
    [captures] = [page async for page in disk.captures(structure_key(URL))]
    assert captures == sorted(wanted, key=lambda each: each.date)
    await disk.append([make_capture(URL, 4, b"body")])
    await disk.close()
    for path in sorted((tmp_path / "disk").rglob("*")):
        name = str(path.relative_to(tmp_path / "disk"))
        if path.is_file() and name.startswith(("contents", "structures", "layout")):
            await threads.run(bucket.put, name, path.read_bytes())
    await store.open()
    [captures] = [page async for page in store.captures(structure_key(URL))]
    assert len(captures) == 4
    await store.close()


@ensureDeferred
async def test_two_writers_lose_nothing(
    threads: Workers, make_capture: Any, address: BucketAddress
) -> None:
    """Whoever comes second sees that the file has changed, and adds to what is there now."""
    one, other = S3Store(address, threads), S3Store(address, threads)
    await one.open(writing=True)
    await other.open(writing=True)
    taken = one._take

    def overtaken(*arguments: Any) -> Any:
        tags = taken(*arguments)
        one._take = taken
        meanwhile = other.append([make_capture(URL, 5, b"body")])
        blockingCallFromThread(reactor, Deferred.fromCoroutine, meanwhile)
        return tags

    await one.append([make_capture(URL, 1, b"body")])
    await other.append([make_capture(URL, 2, b"body")])
    await one.append([make_capture(URL, 3, b"body")])
    one._take = overtaken
    await one.append([make_capture(URL, 4, b"body")])
    [captures] = [page async for page in one.captures(structure_key(URL))]
    assert [each.date[6:8] for each in captures] == ["01", "02", "03", "04", "05"]
    await one.close()
    await other.close()


@ensureDeferred
async def test_a_writer_that_died_between_heads_and_lines_does_no_harm(
    threads: Workers, make_capture: Any, address: BucketAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Heads without their lines mean nothing; whoever writes next goes on after them."""
    store = S3Store(address, threads)
    await store.open(writing=True)
    await store.append([make_capture(URL, 1, b"body")])
    written = store._bucket.put_file

    def dies(name: str, *arguments: Any, **how: Any) -> None:
        if name.endswith(".captures"):
            raise StoreUnreachable("it died")
        written(name, *arguments, **how)

    for url in (URL, f"{URL}new"):
        with monkeypatch.context() as patch:
            patch.setattr(store._bucket, "put_file", dies)
            with pytest.raises(StoreUnreachable):
                await store.append([make_capture(url, 2, b"body")])
    assert len(await store.listing("structures")) == 1
    await store.close()
    store = S3Store(address, threads)
    await store.open(writing=True)
    for url, days in ((URL, [1, 2, 3]), (f"{URL}new", [2, 3])):
        wanted = [make_capture(url, day, b"body") for day in days]
        await store.append(wanted)
        [captures] = [page async for page in store.captures(structure_key(url))]
        assert captures == wanted
    await store.close()


@ensureDeferred
async def test_a_condition_that_fails_is_typed(threads: Workers, address: BucketAddress) -> None:
    """An object that has changed is not overwritten."""
    bucket = Bucket(address)
    await threads.run(bucket.make)
    await threads.run(lambda: bucket.put("one", b"1", replacing=""))
    with pytest.raises(OtherWriter):
        await threads.run(lambda: bucket.put("one", b"2", replacing=""))
    _, tag = await threads.run(bucket.get, "one")
    await threads.run(lambda: bucket.put("one", b"2", replacing=tag))
    with pytest.raises(OtherWriter):
        await threads.run(lambda: bucket.put("one", b"3", replacing=tag))


@ensureDeferred
async def test_a_large_content_goes_in_parts(
    threads: Workers, address: BucketAddress, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is there once all its parts are; one that is not what it says leaves nothing."""
    monkeypatch.setattr(bucket_module, "PART", 5 << 20)
    body = bytes(range(256)) * (48 << 10)  # 12 MiB
    path = tmp_path / "large"
    path.write_bytes(body)
    bucket = Bucket(address)
    await threads.run(bucket.make)
    key = content_key(body)
    with pytest.raises(DigestMismatch):
        await threads.run(bucket.put_file, "wrong", path, content_key(b"else"))
    assert await threads.run(bucket.size, "wrong") is None
    await threads.run(bucket.put_file, "large", path, key)
    assert await threads.run(bucket.size, "large") == len(body)
    found, _ = await threads.run(bucket.get, "large")
    assert content_key(await threads.run(found.read)) == key


@ensureDeferred
async def test_wrong_keys_are_refused_and_never_told(
    threads: Workers, seaweed: Any, tmp_path: Path
) -> None:
    """What is wrong is said in words that hold no credential."""
    file = tmp_path / "keys"
    file.write_text("[x]\naws_access_key_id = tests\naws_secret_access_key = very-secret-thing\n")
    address = BucketAddress("archives", endpoint=seaweed.endpoint, credentials=str(file))
    store = S3Store(address, threads)
    with pytest.raises(StoreRefused) as caught:
        await store.open()
    told = f"{caught.value!r} {caught.value.__cause__!r} {store.name} {address!r}"
    assert "very-secret-thing" not in told
    await store.close()


@ensureDeferred
async def test_what_is_no_archive_is_refused(threads: Workers, address: BucketAddress) -> None:
    """A bucket of another's, or of another layout, is neither read nor written."""
    store = S3Store(address, threads)
    with pytest.raises(StoreRefused, match="no archive"):
        await store.open()
    await store.close()
    await threads.run(Bucket(address).put, "layout", b"something 9\n")
    with pytest.raises(LayoutRefused):
        await store.open(writing=True)
    await store.close()


@ensureDeferred
async def test_nobody_there_is_told_in_time(threads: Workers, tmp_path: Path) -> None:
    """A service that does not answer is a typed error after a few tries."""
    file = tmp_path / "keys"
    file.write_text("[x]\naws_access_key_id = a\naws_secret_access_key = b\n")
    address = BucketAddress("archives", endpoint="http://127.0.0.1:9", credentials=str(file))
    store = S3Store(address, threads)
    with pytest.raises(StoreUnreachable, match="does not answer"):
        await store.open()
    await store.close()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("s3://", "is named"),
        ("s3://[", "is named"),
        ("http://archives/", "is named"),
        ("s3://key:secret@archives/", "never part of it"),
        ("s3://archives/?secret=x", "never part of it"),
    ],
)
def test_an_address_that_is_none(text: str, words: str) -> None:
    """It is refused with the form that it should have."""
    with pytest.raises(StoreRefused, match=words):
        BucketAddress.parse(text)


@pytest.mark.parametrize("text", ["", "no section", "[x]\naws_access_key_id = a\n", "\xff" * 9])
def test_a_file_without_credentials(tmp_path: Path, text: str) -> None:
    """A file that gives no keys is refused in words, without what is in it."""
    (tmp_path / "keys").write_text(text, "latin-1")
    with pytest.raises(StoreRefused, match="gives no credentials"):
        Bucket(BucketAddress("archives", credentials=str(tmp_path / "keys")))


@given(some.text())
def test_any_text_is_an_address_or_refused(text: str) -> None:
    """Parsing ends in a value or a typed error."""
    try:
        found = BucketAddress.parse(text)
    except StoreError:
        return
    assert found.bucket and (not found.prefix or found.prefix.endswith("/"))


@given(some.text(), some.text(alphabet="abcdef/-", max_size=9))
def test_any_options_are_an_address_or_refused(options: str, prefix: str) -> None:
    """The same for what stands after the bucket's name."""
    try:
        BucketAddress.parse(f"s3://bucket/{prefix}?{options}")
    except StoreError:
        return
