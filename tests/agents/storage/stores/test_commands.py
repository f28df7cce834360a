"""`dlweb storage` as a person runs it: on bare disks, on a bucket, and beside running agents."""

import json
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_twisted
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.defer import ensureDeferred as ensured

from agents.archive.command import storage_orders
from agents.archive.command.arguments import parse
from agents.archive.command.storage import storage as verb
from agents.archive.errors import ArchiveError
from agents.capture import content_key, structure_key
from agents.storage.master.operating import MasterStatus
from agents.storage.master.progress import DrainStatus
from agents.storage.stores.cluster import ClusterStore
from agents.storage.stores.folder import FolderStore
from anet.tasks import sleep
from anet.workers import Workers

DLWEB = Path(sys.executable).parent / "dlweb"
URL, OTHER = "http://a.example/", "http://b.example/x"


Storage = Callable[..., Awaitable[tuple[int, str, str]]]


@pytest.fixture
def storage(capsys: pytest.CaptureFixture[str]) -> Storage:
    """Give what runs a command, and returns its status and what it said."""

    async def run(*words: object) -> tuple[int, str, str]:
        options = parse(["storage", *map(str, words)])
        try:
            status = await verb(reactor, options)
        except ArchiveError as error:
            return error.status, "", str(error)
        return status, *capsys.readouterr()

    return run


@pytest.fixture
def archive(tmp_path: Path, threads: Workers, make_capture: Any) -> Path:
    """Return an archive's folder with two nodes of which each lacks what the other has."""
    folder = tmp_path / "var"
    pytest_twisted.blockon(ensured(_fill(folder, threads, make_capture)))
    return folder


async def _fill(folder: Path, threads: Workers, make_capture: Any) -> None:
    for number, days in ((1, (1, 2)), (2, (2, 3))):
        disk = FolderStore([folder / f"storage-{number}"], threads)
        await disk.open(writing=True)
        for day in days:
            for url in (URL, OTHER):
                body = f"{url} {day}".encode()
                await disk.put(content_key(body), body)
                await disk.append([make_capture(url, day, body)])
        await disk.close()


@ensureDeferred
async def test_disks_are_copied_and_verified(
    archive: Path, tmp_path: Path, storage: Storage
) -> None:
    """All disks together go into one; a repeat copies nothing; damage is found and named."""
    disks = f"{archive}/storage-1,{archive}/storage-2"
    copy = ("copy", disks, tmp_path / "one", "--archive", archive, "--json")
    status, out, err = await storage(*copy)
    assert status == 0, err
    figures = json.loads(out)
    assert (figures["contents"], figures["captures"], figures["well"]) == (6, 6, True)
    again = json.loads((await storage(*copy))[1])
    assert (again["contents"], again["structures"], again["structures_known"]) == (0, 0, 2)
    status, out, _ = await storage("verify", tmp_path / "one", "--json")
    assert (status, json.loads(out)["contents"], json.loads(out)["wrong"]) == (0, 6, 0)
    key = content_key(f"{URL} 2".encode())
    (tmp_path / "one" / "contents" / key[:2] / key[2:4] / key).write_bytes(b"rot")
    status, out, err = await storage("verify", tmp_path / "one")
    assert status == 1 and key in err and "WRONG" in out


@ensureDeferred
async def test_the_disks_of_the_archive_are_verified_each(archive: Path, storage: Storage) -> None:
    """A damaged copy is found though the other disk has a sound one."""
    key = content_key(f"{URL} 2".encode())
    path = archive / "storage-2" / "contents" / key[:2] / key[2:4] / key
    path.write_bytes(b"rot")
    status, out, _ = await storage("verify", "--archive", archive, "--json")
    found = json.loads(out)
    assert status == 1 and found["contents"] == 7 and found["wrong"] >= 1
    assert "storage-2" in found["problems"][0] and key in found["problems"][0]


@ensureDeferred
async def test_a_part_is_exported(
    archive: Path, tmp_path: Path, threads: Workers, storage: Storage
) -> None:
    """URLs, prefixes and dates say what goes into the folder."""
    common = ("--archive", archive, "--json")
    for number, words in enumerate(
        ([URL], ["--prefix", "http://a"], ["--first", "20260102", "--last", "20260103"])
    ):
        target = tmp_path / f"export-{number}"
        status, out, err = await storage("export", *words, "--to", target, *common)
        assert status == 0, err
        figures = json.loads(out)
        expected = (2, 2) if number == 2 else (3, 3)
        assert (figures["contents"], figures["captures"]) == expected, words
        disk = FolderStore([target], threads)
        await disk.open()
        assert [held.key for held in await disk.listing("structures")]
    words = ["http://a.example/never", URL, "--to", tmp_path / "some"]
    status, out, _ = await storage("export", *words, *common)
    figures = json.loads(out)
    assert (status, figures["captures"], figures["unknown"]) == (1, 3, 1)
    assert figures["problems"] == ["http://a.example/never: no capture of it at these dates"]
    status, _, err = await storage("export", "nonsense", "--to", tmp_path / "no", *common)
    assert status == 1 and "not a whole http or https address" in err


@ensureDeferred
async def test_a_bucket_is_a_place_like_others(
    archive: Path, tmp_path: Path, seaweed: Any, storage: Storage
) -> None:
    """Into a bucket, verified there, and out of it again."""
    bucket = seaweed.address("archives", f"command/{tmp_path.name}")
    for source, target in ((archive, bucket), (bucket, tmp_path / "back")):
        status, out, err = await storage("copy", source, target, "--archive", archive)
        assert status == 0 and "6 captures" in out, err
    assert (await storage("verify", bucket))[0] == 0
    assert (await storage("verify", tmp_path / "back"))[0] == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("verify", "ftp://x/"), "no kind of store"),
        (("verify", "s3://key:secret@bucket/"), "keys are never part of it"),
        (("verify", "/nowhere/at/all"), "name a folder that has a file `layout`"),
    ],
)
def test_what_cannot_be_done_is_said(words: tuple[str, ...], said: str) -> None:
    """One line that says what is wrong, and status 1; never a traceback."""
    run = subprocess.run([DLWEB, "storage", *words], capture_output=True, timeout=60)
    err = run.stderr.decode()
    assert run.returncode == 1 and said in err and err.count("\n") == 1, err


@ensureDeferred
async def test_a_running_archive_is_looked_after(
    agents: Any, threads: Workers, make_capture: Any, tmp_path: Path, storage: Storage
) -> None:
    """All but verify and copy, which ask its nodes, ask its master."""
    configuration = await agents.start()
    store = ClusterStore(reactor, configuration, threads)
    await store.open(writing=True)
    await store.put(content_key(b"body"), b"body")
    await store.append([make_capture(URL, 1, b"body")])
    await store.close()
    common = ("--config", configuration.path, "--archive", agents.directory, "--json")
    status, out, err = await storage("repair", *common)
    assert (status, json.loads(out)["below"]) == (0, 0), err
    status, out, err = await storage("status", *common)
    assert status == 0, err
    assert [node["up"] for node in json.loads(out)["nodes"]] == [True, True]
    status, out, err = await storage("where", URL, *common)
    found = json.loads(out)
    assert found["content"] == {"key": content_key(b"body"), "nodes": ["storage-1", "storage-2"]}
    assert found["structure"]["key"] == structure_key(URL)
    assert (await storage("where", "0" * 64, *common))[0] == 1
    for action, node, wanted in (
        ("drain", "storage-9", 1),
        ("undrain", "storage-1", 1),
        ("forget", "storage-1", 1),
    ):
        status, _, err = await storage(action, node, *common)
        assert status == wanted and node in err
    place = f"cluster:{configuration.path}"
    status, out, err = await storage("verify", place, *common)
    assert status == 0 and json.loads(out)["contents"] == 1, err
    status, out, err = await storage("copy", place, tmp_path / "out", *common)
    assert status == 0 and json.loads(out)["captures"] == 1, err
    await agents.stop(agents.nodes[1])
    while agents.master.registry.up != {"storage-1"}:
        await sleep(reactor, 0.01)
    status, out, err = await storage("forget", "storage-2", *common)
    assert (status, json.loads(out)) == (0, {"node": "storage-2"}), err
    status, out, err = await storage("status", *common)
    assert [node["status"]["name"] for node in json.loads(out)["nodes"]] == ["storage-1"]


@ensureDeferred
async def test_an_audit_tells_what_it_found_once(
    agents: Any, threads: Workers, storage: Storage
) -> None:
    """Damage is found, and no fault of the next audit; emptying the quarantine ends the story."""
    configuration = await agents.start()
    body = bytes(200_000)  # too large for the journal
    store = ClusterStore(reactor, configuration, threads)
    await store.open(writing=True)
    await store.put(content_key(body), body)
    await store.close()
    common = ("--config", configuration.path, "--archive", agents.directory)
    [disk] = agents.nodes[0].store.disks
    while not agents.nodes[0].auditing.status(disk).audited:  # the one of the start
        await sleep(reactor, 0.01)
    path = disk.layout.content(content_key(body))
    path.chmod(0o600)
    path.write_bytes(bytes(100) + b"rot" + bytes(199_897))
    status, out, err = await storage("audit", "storage-1", *common, "--json")
    assert (status, json.loads(out)["found"]) == (1, 1), err
    status, out, err = await storage("audit", "storage-1", *common)
    assert (status, out) == (0, "all is sound; 1 in quarantine since before\n"), err
    for file in disk.layout.quarantine.iterdir():
        file.unlink()
    await disk.look()
    status, out, err = await storage("audit", "storage-1", *common)
    assert (status, out) == (0, "all is sound\n"), err


@ensureDeferred
async def test_a_drain_that_cannot_end_is_told(
    agents: Any,
    threads: Workers,
    storage: Storage,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where there are too few nodes the waiting ends with what to do, and the order stands."""
    configuration = await agents.start()
    monkeypatch.setattr(storage_orders, "_STILL", 0.5)
    store = ClusterStore(reactor, configuration, threads)
    await store.open(writing=True)
    await store.put(content_key(b"body"), b"body")
    await store.close()
    while agents.master.methods.added_entries < 2:
        await sleep(reactor, 0.01)
    common = ("--config", configuration.path, "--archive", agents.directory)
    status, _, err = await storage("drain", "storage-2", *common)
    assert status == 1 and "nothing has moved" in err and "dlweb storage status" in err
    status, out, _ = await storage("status", *common)
    assert status == 1 and "emptying storage-2: 1 left" in out
    status, out, _ = await storage("undrain", "storage-2", *common)
    assert (status, out) == (0, "storage-2 is in use again\n")


@ensureDeferred
async def test_an_archive_that_does_not_run_is_told_soon(
    tmp_path: Path, storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who names a cluster that nobody runs is asked whether it runs, and not left to wait."""
    monkeypatch.setattr("agents.storage.stores.cluster.FIRST_PATIENCE", 0.2)
    file = tmp_path / "archive.yaml"
    file.write_text("storage-node:\n  storage_master: 127.0.0.1:9\n")
    begun = reactor.seconds()
    status, _, err = await storage("verify", f"cluster:{file}", "--archive", tmp_path)
    assert status == 1 and "is the archive running?" in err
    assert reactor.seconds() - begun < 10


def test_a_drain_that_was_taken_back_is_not_over() -> None:
    """Nobody is told that a node may go because its drain is not in the list any more."""
    left = [DrainStatus("a", "", 0), DrainStatus("b", "3f0c9a71", None)]
    status = MasterStatus(drains=left)
    assert storage_orders._left(status, "a", "") == 0
    assert storage_orders._left(status, "b", "3f0c9a71") is None
    with pytest.raises(ArchiveError, match="drain of b was taken back"):
        storage_orders._left(status, "b", "")


@pytest.mark.slow
@ensureDeferred
async def test_a_killed_copy_is_gone_on_with(
    tmp_path: Path, threads: Workers, make_capture: Any, storage: Storage
) -> None:
    """`kill -9` of a copy loses nothing that was copied, and the next run copies the rest."""
    source = FolderStore([tmp_path / "from"], threads)
    await source.open(writing=True)
    bodies = [b"%d" % number * 100 for number in range(600)]
    for body in bodies:
        await source.put(content_key(body), body)
    await source.append(
        [make_capture(f"{URL}{number}", 1, body) for number, body in enumerate(bodies)]
    )
    await source.close()
    target = tmp_path / "to"
    copy = ("copy", tmp_path / "from", target, "--archive", tmp_path / "var", "--json")
    copied = 0
    for kind in ("contents", "structures"):
        process = subprocess.Popen([DLWEB, "storage", *map(str, copy)], stdout=subprocess.DEVNULL)
        while process.poll() is None and len(list(target.glob(f"{kind}/*/*/*"))) < 50:
            await sleep(reactor, 0.01)
        process.kill()
        process.wait()
        copied = len(list(target.glob("contents/*/*/*")))
    status, out, err = await storage(*copy)
    figures = json.loads(out)
    assert status == 0, err
    assert figures["contents_known"] >= copied and figures["contents"] <= 600 - copied
    status, out, _ = await storage("verify", target, "--json")
    found = json.loads(out)
    assert (status, found["contents"], found["captures"], found["wrong"]) == (0, 600, 600, 0)
