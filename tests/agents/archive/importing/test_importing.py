"""Files come into a store: by real worker processes, into a real disk."""

import gzip
import os
import shutil
import zlib
from collections.abc import Awaitable, Callable
from hashlib import md5, sha256
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import reactor

from agents import origin
from agents.archive.importing import slices
from agents.archive.importing.figures import Figures
from agents.archive.importing.finding import Parts, files_of
from agents.archive.importing.importing import Importing
from agents.archive.importing.reading import PRELOAD
from agents.archive.importing.spool import SMALL, Spool
from agents.archive.importing.state import ImportState
from agents.archive.kept_records import SCHEME, Inline, KeptRecord, Slice, Stored, decoded
from agents.capture import Capture, content_key
from agents.storage.errors import DiskFull, StorageError
from agents.storage.stores.folder import FolderStore
from anet.processes import Processes
from anet.workers import Workers

URL = "http://a.example/"
Bring = Callable[..., Awaitable[Figures]]
CapturesIn = Callable[[Path], list[Capture]]


@pytest.fixture
def bring(tmp_path: Path) -> Bring:
    """Give what does what a command does: everything opened, some files imported, all closed."""

    async def bring(
        *paths: Path, again: bool = False, parts: Parts | None = None, **replaced: Any
    ) -> Figures:
        workers = Workers(reactor, 4)
        processes = replaced.get("processes") or Processes(reactor, 2, preload=PRELOAD)
        store = FolderStore([tmp_path / "disk"], workers)
        workers.startService()
        processes.startService()
        await store.open(writing=True)
        state = ImportState(tmp_path / "state")
        try:
            with Spool(tmp_path / "spool") as spool:
                target = replaced.get("wrap", lambda one: one)(store)
                importing = Importing(target, state, spool, processes, workers, Figures())
                return await importing.run(files_of(paths), parts or Parts(1, 0, 0), 2, again=again)
        finally:
            state.close()
            await store.close()
            await processes.stopService()
            await workers.stopService()

    return bring


def content(disk: Path, key: str) -> bytes:
    """Return a content of a disk."""
    return (disk / "contents" / key[:2] / key[2:4] / key).read_bytes()


def pages(found: list[Capture]) -> list[Capture]:
    """Return captures without those that keep records."""
    return [each for each in found if not each.url.startswith(SCHEME)]


def kept(disk: Path, found: list[Capture]) -> list[tuple[Slice, list[KeptRecord]]]:
    """Return the records that are kept."""
    slices_of = sorted(
        (each for each in found if each.url.startswith(SCHEME)), key=lambda each: each.metadata
    )
    return [decoded(content(disk, each.content)) for each in slices_of]


def rebuilt(disk: Path, record: KeptRecord) -> bytes:
    """Return the block of a record that lay in one piece."""
    parts = [
        each.data if isinstance(each, Inline) else content(disk, each.content)
        for each in record.block
    ]
    return b"".join(parts)


@ensureDeferred
async def test_a_file_comes_in_whole(
    bring: Bring, files: Any, captures_in: CapturesIn, tmp_path: Path
) -> None:
    """Captures, contents and every record of a compressed file are in the store."""
    body, large = b"<p>page</p>" * 200, b"large " * (SMALL // 3)
    about = b"format: WARC File Format 1.1\r\n"
    records = [
        files.record("warcinfo", about, Content_Type="application/warc-fields"),
        files.response(URL, body, WARC_Payload_Digest=files.digest(body)),
        files.record("request", b"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n", target=URL),
        files.response(f"{URL}large", large),
        files.record("resource", b"\x89PNG", target=f"{URL}image", Content_Type="image/png"),
        files.record("metadata", b"m" * 3000, target=URL, WARC_Date="2020-02-04T00:00:00Z"),
        files.record("response", b"a.example. 60 IN A 192.0.2.1", target="dns:a.example"),
    ]
    figures = await bring(files.compressed(tmp_path / "a.warc.gz", *records))
    assert figures.well and figures.files == 1 and sum(figures.records.values()) == 7
    assert figures.only_kept == 1, "of the answers that of DNS is no page"
    disk = tmp_path / "disk"
    found = captures_in(disk)
    assert [each.url for each in pages(found)] == [URL, f"{URL}image", f"{URL}large"]
    assert [content(disk, each.content) for each in pages(found)] == [body, b"\x89PNG", large]
    assert pages(found)[0].head == files.head() and pages(found)[0].status == 200
    [(part, all_kept)] = kept(disk, found)
    path = tmp_path / "a.warc.gz"
    assert part.file == "a.warc.gz" and part.end == path.stat().st_size
    assert part.identity == sha256(path.read_bytes()[:4096]).hexdigest()
    assert len(all_kept) == len(records)
    for record, written in zip(all_kept, records, strict=True):
        head = "".join(f"{name}: {value}\r\n" for name, value in record.fields)
        again = f"{record.version}\r\n{head}\r\n".encode() + rebuilt(disk, record) + b"\r\n\r\n"
        assert again == written
    assert not list((tmp_path / "spool").iterdir())


@ensureDeferred
async def test_chunks_are_undone_and_remembered(
    bring: Bring, files: Any, captures_in: CapturesIn, tmp_path: Path
) -> None:
    """A content has no framing, small or large; what is no sound framing stays as it is."""
    head = files.head("Transfer-Encoding: chunked")
    big = b"0123456789abcdef" * 30_000
    framed = b"5\r\nhello\r\n5\r\nworld\r\n0\r\n\r\n"
    large = b"%x\r\n%b\r\n0\r\n\r\n" % (len(big), big)
    bodies = {"a": framed, "b": large, "c": b"no chunks", "d": b"0\r\n\r\n"}
    records = [
        files.response(URL + name, body, head=head, WARC_Payload_Digest=files.digest(body))
        for name, body in bodies.items()
    ]
    figures = await bring(files.plain(tmp_path / "a.warc", *records))
    assert figures.well, "a digest may be that of the body in its chunks, as wget writes it"
    disk = tmp_path / "disk"
    found = captures_in(disk)
    held = [content(disk, each.content) for each in pages(found)]
    assert held == [b"helloworld", big, b"no chunks", b""]
    [(_, all_kept)] = kept(disk, found)
    chunks = [part.chunks for each in all_kept for part in each.block if isinstance(part, Stored)]
    assert chunks == [[(5, 2)], [(len(big), 1)], []]
    assert rebuilt(disk, all_kept[3]) == head + b"0\r\n\r\n"


@ensureDeferred
async def test_chunks_of_too_many_sizes_stay_in_the_body(
    bring: Bring, files: Any, captures_in: CapturesIn, tmp_path: Path
) -> None:
    """Their list would be longer than the body that it tells of."""
    body = b"1\r\na\r\n2\r\nbb\r\n" * 60_000 + b"0\r\n\r\n"
    record = files.response(URL, body, head=files.head("Transfer-Encoding: chunked"))
    figures = await bring(files.plain(tmp_path / "a.warc", record))
    [capture] = pages(captures_in(tmp_path / "disk"))
    assert figures.well and capture.content == content_key(body)


@ensureDeferred
async def test_a_repeated_import_does_nothing_unless_asked(
    bring: Bring, files: Any, captures_in: CapturesIn, tmp_path: Path
) -> None:
    """It says so; with `again` everything is read, and nothing is doubled."""
    path = files.plain(tmp_path / "a.warc", files.response(URL, b"one"))
    first = await bring(path)
    before = captures_in(tmp_path / "disk")
    figures = await bring(path)
    assert (figures.files, figures.files_known, figures.records) == (0, 1, {})
    assert figures.done == figures.size and figures.well
    figures = await bring(path, again=True)
    assert figures.files == 1 and figures.contents == 0
    assert figures.contents_known == first.contents
    assert captures_in(tmp_path / "disk") == before


@ensureDeferred
async def test_a_target_that_was_made_anew_is_filled_again(
    bring: Bring, files: Any, captures_in: CapturesIn, tmp_path: Path
) -> None:
    """A file is known only where it is: of an emptied disk nothing is taken for imported."""
    path = files.plain(tmp_path / "a.warc", files.response(URL, b"a"))
    await bring(path)
    shutil.rmtree(tmp_path / "disk")
    figures = await bring(path)
    assert (figures.files, figures.files_known) == (1, 0)
    assert len(pages(captures_in(tmp_path / "disk"))) == 1


@ensureDeferred
async def test_a_file_that_has_grown_is_read_on(
    bring: Bring, files: Any, captures_in: CapturesIn, tmp_path: Path
) -> None:
    """Also one that ended within a record, and one that was shorter than what identifies it."""
    records = [files.response(f"{URL}{number}", b"x" * 900) for number in range(12)]
    whole = b"".join(records)
    path = tmp_path / "a.warc"
    path.write_bytes(whole[: len(records[0]) + 400])
    figures = await bring(path)
    assert figures.damage == 1 and len(pages(captures_in(tmp_path / "disk"))) == 1
    path.write_bytes(whole)
    figures = await bring(path)
    assert figures.well and figures.files == 1
    found = captures_in(tmp_path / "disk")
    assert len(pages(found)) == 12
    assert len({each.url for each in found if each.url.startswith(SCHEME)}) == 1
    offsets = {record.offset for _, some in kept(tmp_path / "disk", found) for record in some}
    assert offsets == {sum(map(len, records[:number])) for number in range(12)}
    assert (await bring(path)).files_known == 1


@ensureDeferred
async def test_a_file_that_has_grown_is_still_damaged_where_it_was(
    bring: Bring, files: Any, tmp_path: Path
) -> None:
    """Nothing is well only because the damage lies in what an earlier command has read."""
    record = files.response(URL, b"a")
    path = files.plain(tmp_path / "a.warc", record, b"nonsense\r\n", record)
    assert (await bring(path)).damage == 1
    files.plain(path, record, b"nonsense\r\n", record, record)
    figures = await bring(path)
    assert (figures.files, figures.damage, figures.well) == (1, 1, False)


@ensureDeferred
async def test_damage_is_told_and_the_rest_comes_in(
    bring: Bring, files: Any, captures_in: CapturesIn, tmp_path: Path
) -> None:
    """File, offset and cause are said, now and when the import is repeated."""
    first, last = files.response(URL, b"first"), files.response(f"{URL}last", b"last")
    path = files.plain(tmp_path / "a.warc", first, b"nonsense " * 50, last)
    for _ in range(2):
        figures = await bring(path)
        assert figures.damage == 1 and not figures.well
        assert f"{path}: bytes {len(first)} to {len(first) + 450}" in figures.problems[0]
    found = captures_in(tmp_path / "disk")
    assert [each.url for each in pages(found)] == [URL, f"{URL}last"]
    assert kept(tmp_path / "disk", found)[0][0].damage


@ensureDeferred
async def test_a_digest_that_does_not_hold_is_told_and_names_nothing(
    bring: Bring, files: Any, captures_in: CapturesIn, tmp_path: Path
) -> None:
    """The record comes in as it is; a revisit of that digest is not given its content."""
    lie = files.digest(b"something else")
    record = files.response(URL, b"body", WARC_Payload_Digest=lie)
    revisit = files.revisit(f"{URL}2", b"something else", files.head())
    figures = await bring(files.plain(tmp_path / "a.warc", record, revisit))
    assert figures.digests == 1 and "WARC-Payload-Digest" in figures.problems[0]
    assert figures.pending == 1 and not figures.well
    assert [each.url for each in pages(captures_in(tmp_path / "disk"))] == [URL]


@ensureDeferred
async def test_revisits_find_their_contents(
    bring: Bring, files: Any, captures_in: CapturesIn, tmp_path: Path
) -> None:
    """Before or after the original, in the same file, in another, and in a later import."""
    body, head = b"the same", files.head("X-Second: yes")
    original = files.response(URL, body)
    before = files.plain(tmp_path / "a.warc", files.revisit(f"{URL}a", body, head))
    figures = await bring(before)
    assert (figures.pending, figures.revisits) == (1, 0) and not figures.well
    same = files.plain(tmp_path / "b.warc", original, files.revisit(f"{URL}b", body, head))
    figures = await bring(same)
    assert (figures.pending, figures.revisits) == (0, 2) and figures.well
    later = files.plain(tmp_path / "c.warc", files.revisit(f"{URL}c", body))
    figures = await bring(later)
    assert figures.pending == 1, "it has no head, and says not whose it is"
    assert (await bring(same)).well, "what waits is told of the files that are named"
    assert (await bring(later)).pending == 1
    found = {each.url: each for each in pages(captures_in(tmp_path / "disk"))}
    assert set(found) == {URL, f"{URL}a", f"{URL}b"}
    assert {each.content for each in found.values()} == {content_key(body)}
    assert found[f"{URL}a"].head == head
    assert origin.revisit_of(found[f"{URL}a"].origin) == origin.Revisit("identical-payload", "")


@ensureDeferred
async def test_a_revisit_finds_the_capture_that_it_names(
    bring: Bring, files: Any, captures_in: CapturesIn, tmp_path: Path
) -> None:
    """The server's 304 takes head and content of the other; a digest that differs takes nothing."""
    profile = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
    named = {"WARC_Refers_To_Target_URI": URL, "WARC_Refers_To_Date": "2020-02-03T04:05:06Z"}
    said = b"HTTP/1.1 304 Not Modified\r\n\r\n"
    later = {"WARC_Date": "2021-01-01T00:00:00Z"}
    unknown = {"WARC_Payload_Digest": ""}
    records = [
        files.response(URL, b"body"),
        files.revisit(URL, b"", said, WARC_Profile=profile, **named, **later, **unknown),
        files.revisit(f"{URL}x", b"another", files.head(), **named, **later),
    ]
    figures = await bring(files.plain(tmp_path / "a.warc", *records))
    assert (figures.revisits, figures.pending) == (1, 1)
    first, second = pages(captures_in(tmp_path / "disk"))
    assert (second.head, second.content, second.status) == (first.head, first.content, 200)
    assert origin.value(second.origin, "revisit") == f"not-modified {first.date} {URL}".strip()


def named(files: Any, year: int, target: str, **more: str) -> bytes:
    """Return a revisit of a year that repeats what the target was at the date of all others."""
    refers = {"WARC_Refers_To_Target_URI": target, "WARC_Date": f"{year}-02-03T04:05:06Z"}
    more = {"WARC_Refers_To_Date": "2020-02-03T04:05:06Z"} | refers | more
    head = b"" if "not-modified" in more.get("WARC_Profile", "") else files.head()
    return cast(bytes, files.revisit(target, b"", head, **more))


@ensureDeferred
async def test_a_revisit_of_one_of_two_contents_waits_unless_its_digest_says_which(
    bring: Bring, files: Any, captures_in: CapturesIn, tmp_path: Path
) -> None:
    """Two answers of one second: each is found by its digest, and none without one."""
    bodies = [b"one", b"two", b"three"]
    digests = [f"md5:{md5(each, usedforsecurity=False).hexdigest()}" for each in bodies]
    revisits = [
        named(files, 2021 + place, URL, WARC_Payload_Digest=each)
        for place, each in enumerate([*digests, "none"])
    ]
    answers = [files.response(URL, each) for each in bodies]
    figures = await bring(files.plain(tmp_path / "a.warc", *revisits, *answers))
    assert (figures.revisits, figures.pending) == (3, 1)
    found = {each.date[:4]: each.content for each in pages(captures_in(tmp_path / "disk"))}
    assert [found[year] for year in ("2021", "2022", "2023")] == list(map(content_key, bodies))


@ensureDeferred
async def test_revisits_of_revisits_find_their_contents(
    bring: Bring, files: Any, tmp_path: Path
) -> None:
    """In whatever order they come, each finds what the one before it found."""
    profile = {
        "WARC_Profile": "http://netpreserve.org/warc/1.1/revisit/server-not-modified",
        "WARC_Payload_Digest": "none",
    }
    chain = [
        named(files, year, URL, WARC_Refers_To_Date=f"{year - 1}-02-03T04:05:06Z", **profile)
        for year in range(2024, 2020, -1)
    ]
    figures = await bring(files.plain(tmp_path / "a.warc", *chain, files.response(URL, b"base")))
    assert (figures.revisits, figures.pending, figures.captures) == (4, 0, 5)


@ensureDeferred
async def test_slices_go_on_where_the_last_one_ended(
    bring: Bring, files: Any, captures_in: CapturesIn, tmp_path: Path
) -> None:
    """More records than a slice has come in once each, in several slices that touch."""
    number = slices.RECORDS + 100
    records = [files.response(f"{URL}{each}", b"%d" % each) for each in range(number)]
    path = files.compressed(tmp_path / "a.warc.gz", *records)
    figures = await bring(path)
    assert figures.records == {"response": number} and figures.well
    found = captures_in(tmp_path / "disk")
    assert len(pages(found)) == number
    parts = [part for part, _ in kept(tmp_path / "disk", found)]
    assert [each.begin for each in parts[1:]] == [each.end for each in parts[:-1]]
    assert len(parts) == 2 and parts[-1].end == path.stat().st_size


@ensureDeferred
async def test_one_member_around_everything_is_inflated_first(
    bring: Bring, files: Any, captures_in: CapturesIn, tmp_path: Path
) -> None:
    """Such a file cannot be read from the middle; it comes in all the same, and leaves nothing."""
    records = [files.response(f"{URL}{each}", b"%d" % each) for each in range(5)]
    path = tmp_path / "a.warc.gz"
    path.write_bytes(gzip.compress(b"".join(records)))
    assert (await bring(path)).well
    assert len(pages(captures_in(tmp_path / "disk"))) == 5
    assert not list((tmp_path / "spool").iterdir())


@ensureDeferred
async def test_what_cannot_be_decompressed_is_told_though_the_records_are_whole(
    bring: Bring, files: Any, tmp_path: Path
) -> None:
    """A file that is one member, and ends between two records, is no whole file; once and again."""
    path, packer = tmp_path / "a.warc.gz", zlib.compressobj(wbits=31)
    for number in range(5):
        with path.open("ab") as file:
            file.write(packer.compress(files.response(f"{URL}{number}", os.urandom(9000))))
            file.write(packer.flush(zlib.Z_FULL_FLUSH))
    figures = await bring(path)
    assert (figures.captures, figures.damage, figures.well) == (5, 1, False)
    assert (await bring(path)).problems == figures.problems
    with path.open("ab") as file:
        file.write(packer.flush())
    assert (await bring(path)).well


@ensureDeferred
async def test_what_is_no_file_of_a_web_archive_is_refused_or_passed_over(
    bring: Bring, files: Any, tmp_path: Path
) -> None:
    """Named by a person it is wrong; in a folder it is not."""
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "notes.txt").write_text("nothing of the web\n")
    (folder / "empty.warc").touch()
    files.plain(folder / "a", files.response(URL, b"body"))
    figures = await bring(folder)
    assert (figures.files, figures.files_other) == (1, 2) and figures.well
    figures = await bring(folder / "notes.txt")
    assert figures.files_refused == 1 and not figures.well
    assert str(folder / "notes.txt") in figures.problems[0]


@ensureDeferred
async def test_parts_take_each_file_once(bring: Bring, files: Any, tmp_path: Path) -> None:
    """What four machines import together is everything, and nothing twice."""
    folder = tmp_path / "folder"
    folder.mkdir()
    for number in range(20):
        files.plain(folder / f"{number}.warc", files.response(f"{URL}{number}", b"%d" % number))
    taken = [
        await bring(folder, parts=Parts.parse("16", f"{first}-{first + 3}", 2))
        for first in range(0, 16, 4)
    ]
    assert sum(each.files for each in taken) == 20 and not any(each.files_known for each in taken)
    assert sum(each.contents for each in taken) == 40


class Refusing:
    """A store that fails after some captures.

    Args:
        store: the real one.
        left: calls that succeed.
    """

    def __init__(self, store: Any, left: int, error: StorageError) -> None:
        self._store, self._left, self._error = store, left, error

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def append(self, captures: Any) -> None:
        """Record captures, or fail."""
        if not self._left:
            raise self._error
        self._left -= 1
        await self._store.append(captures)

    async def put_all(self, contents: Any, *, hashed: bool) -> list[Any]:
        """Store contents, or say of one why not."""
        outcomes: list[Any] = await self._store.put_all(contents, hashed=hashed)
        return outcomes if self._left else [*outcomes[:-1], self._error]


@ensureDeferred
async def test_a_store_that_fails_ends_the_import_and_loses_nothing(
    bring: Bring, files: Any, captures_in: CapturesIn, tmp_path: Path
) -> None:
    """The error is the store's; the same command goes on, and the archive is as without it."""
    number = 2 * slices.RECORDS + 10
    records = [files.response(f"{URL}{each}", b"%d" % each) for each in range(number)]
    path = files.plain(tmp_path / "a.warc", *records)
    for left in (0, 1):
        error = DiskFull("no room")
        with pytest.raises(DiskFull):
            await bring(path, wrap=lambda store, n=left, e=error: Refusing(store, n, e))
    figures = await bring(path)
    assert figures.well and figures.records["response"] == number - slices.RECORDS
    found = captures_in(tmp_path / "disk")
    assert len(pages(found)) == number and len(found) == number + 3


class Dying(Processes):
    """Workers of which one dies whenever it reads some record.

    Args:
        at: offset of that record.
        opening: whether it dies also when it only looks where the record ends.
    """

    def __init__(self, at: int, *, opening: bool = False) -> None:
        super().__init__(reactor, 1, preload=PRELOAD)
        self._at, self._opening = at, opening

    def run(self, function: Any, *args: Any, time: float | None = None) -> Any:
        """Let a task be done, or die where it would meet the record."""
        if function is slices.after and self._opening and args[1] == self._at:
            return super().run(os.abort)
        if function is slices.read and args[1] <= self._at and not 0 < args[2] <= self._at:
            _, offset, _, folder = args
            Path(folder.decode()).mkdir()
            (Path(folder.decode()) / "at").write_bytes((self._at + 1).to_bytes(8, "big"))
            return super().run(os.abort)
        return super().run(function, *args, time=time)


@pytest.mark.parametrize("opening", [False, True])
@pytest.mark.parametrize("place", [0, 3, 9])
@ensureDeferred
async def test_a_record_that_ends_workers_is_passed_over(
    bring: Bring,
    files: Any,
    captures_in: CapturesIn,
    tmp_path: Path,
    place: int,
    opening: bool,
) -> None:
    """It is told as damage, wherever it is, and all others come in."""
    records = [files.response(f"{URL}{each}", b"%d" % each) for each in range(10)]
    path = files.plain(tmp_path / "a.warc", *records)
    at = sum(map(len, records[:place]))
    figures = await bring(path, processes=Dying(at, opening=opening))
    urls = [f"{URL}{each}" for each in range(10) if each != place]
    assert [each.url for each in pages(captures_in(tmp_path / "disk"))] == urls
    assert figures.damage >= 1 and f"bytes {at} to " in figures.problems[0]


@ensureDeferred
async def test_a_digest_may_be_of_the_body_with_its_chunks(
    bring: Bring, files: Any, captures_in: CapturesIn, tmp_path: Path
) -> None:
    """As most tools write it; a revisit that names it finds the content."""
    head, chunked = files.head("Transfer-Encoding: chunked"), b"4\r\nbody\r\n0\r\n\r\n"
    large = b"40000\r\n" + b"x" * 0x40000 + b"\r\n0\r\n\r\n"
    records = []
    for name, framed in (("small", chunked), ("large", large), ("empty", b"0\r\n\r\n")):
        said = files.digest(framed)
        records += [
            files.response(URL + name, framed, head=head, WARC_Payload_Digest=said),
            files.revisit(f"{URL}again-{name}", framed, head),
        ]
    figures = await bring(files.plain(tmp_path / "a.warc", *records))
    assert figures.well and figures.revisits == 3
    found = {each.url: each.content for each in pages(captures_in(tmp_path / "disk"))}
    assert found[f"{URL}small"] == found[f"{URL}again-small"] == content_key(b"body")
    assert found[f"{URL}large"] == found[f"{URL}again-large"] == content_key(b"x" * 0x40000)
    assert found[f"{URL}empty"] == found[f"{URL}again-empty"] == content_key(b"")


class LittleRoom(Processes):
    """Workers that find little room to unpack in."""

    def run(self, function: Any, *args: Any, time: float | None = None) -> Any:
        """Unpack into little room; do all else as ever."""
        more = (100_000,) if function is slices.unpack else ()
        return super().run(function, *args, *more, time=time)


@ensureDeferred
async def test_a_file_that_unpacks_to_more_than_there_is_room_for_is_refused(
    bring: Bring, files: Any, captures_in: CapturesIn, tmp_path: Path
) -> None:
    """The import of others goes on, and what was unpacked of it is gone."""
    bomb = tmp_path / "a.warc.gz"
    records = files.response(URL, b""), files.response(f"{URL}a", bytes(1 << 20))
    bomb.write_bytes(gzip.compress(b"".join(records)))
    other = files.plain(tmp_path / "b.warc", files.response(f"{URL}b", b"body"))
    figures = await bring(bomb, other, processes=LittleRoom(reactor, 2, preload=PRELOAD))
    assert (figures.files, figures.files_refused) == (1, 1)
    assert f"{bomb}: unpacked it is larger than" in figures.problems[0]
    assert [each.url for each in pages(captures_in(tmp_path / "disk"))] == [f"{URL}b"]
    assert not list((tmp_path / "spool").iterdir())
    assert (await bring(bomb)).well


def test_unpacking_leaves_some_of_the_disk_free(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A tenth or 1 GiB, the lesser; the rest is shared by what is read side by side."""
    monkeypatch.setattr(slices.os, "sched_getaffinity", lambda _: {0, 1})
    for size, free, room in ((100, 50, 49), (5, 1, 0.5), (5, 0.1, 0)):
        disk = SimpleNamespace(
            f_frsize=1024, f_blocks=int(size * (1 << 20)), f_bavail=int(free * (1 << 20))
        )
        monkeypatch.setattr(slices.os, "statvfs", lambda _, disk=disk: disk)
        assert slices.room(tmp_path) == pytest.approx(room * (1 << 30) / 2, abs=2048)
