"""Monthly batches: pages by identifier, whatever happens to whoever writes them."""

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from old_formats import HEAD

from anet.formats.batch_index import BatchesError, Entry, Identifier, entries
from anet.formats.batch_writing import BatchWriter
from anet.formats.batches import Batches, pieces_of
from anet.formats.compressing import PLAIN
from anet.formats.page import Page
from anet.formats.tianwang_writing import record
from anet.formats.warc_writing import CannotWrite, new_record

NUMBERS = st.integers(0, 2**32 - 1)


def page_of(number: int, month: int = 5) -> Page:
    """Return a page of a number and a month."""
    return Page(
        f"http://a/{number}", f"2004{month:02}01120000", HEAD, b"%d " % number * 50, "1.2.3.4"
    )


def write(folder: Path, numbers, months=(5,), note: str = "done", **options) -> list[Identifier]:
    """Write pages of some numbers, month after month, and commit them."""
    with BatchWriter(folder, **options) as writer:
        written = [page_of(number, month) for month in months for number in numbers]
        names = [writer.add(one.date, record(one)) for one in written]
        writer.commit(note)
    return names


def test_pages_are_read_by_identifier(tmp_path):
    """Each page has the next serial of its month, and is read by it, alone and in runs."""
    names = write(tmp_path, range(10), months=(5, 6), limit=1000)
    assert list(map(str, names)) == [
        f"2004{month:02}-{serial:010}" for month in (5, 6) for serial in range(10)
    ]
    with Batches(tmp_path) as batches:
        found = batches.read("200406", 3)
        assert found == page_of(3, 6)
        run = [each.url for each in batches.read_run("200405", 7, 100)]
        assert run == ["http://a/7", "http://a/8", "http://a/9"]
        assert [each.url for each in batches.read_run("200405", 2, 2)] == [
            "http://a/2",
            "http://a/3",
        ]
        with batches.record("200405", 4) as one:
            assert b"".join(pieces_of(one)) == HEAD + page_of(4).body


def test_the_first_level_says_what_there_is(tmp_path):
    """Batches, their counts and dates are in one small file; data files are numbered through."""
    write(tmp_path, range(10), months=(5, 6), limit=1000)
    known = msgspec.json.decode((tmp_path / "batches.json").read_bytes())
    assert [(each["batch"], each["count"]) for each in known["batches"]] == [
        ("200405", 10), ("200406", 10),
    ]  # fmt: skip
    assert known["batches"][1]["first_date"] == known["batches"][1]["last_date"] == "20040601120000"
    files = {int(path.stem) for path in tmp_path.glob("*/*.tianwang")}
    assert files == set(range(known["files"]))
    first = {int(path.stem) for path in tmp_path.glob("200406/*.tianwang")}
    assert known["batches"][1]["first_file"] == min(first)


def test_later_pages_of_a_month_go_to_its_end(tmp_path):
    """A month can be gone on with after others; serials go on, and nothing is written over."""
    write(tmp_path, range(3), months=range(1, 13))
    names = write(tmp_path, range(3, 5), months=range(12, 0, -1))
    assert names[-1] == Identifier("200401", 4)
    with Batches(tmp_path) as batches:
        assert [each.count for each in batches.batches] == [5] * 12
        for month in range(1, 13):
            read = [each.url for each in batches.read_run(f"2004{month:02}", 0, 9)]
            assert read == [f"http://a/{number}" for number in range(5)]


def test_what_was_not_committed_is_forgotten(tmp_path):
    """Pages after the last commit are not shown; the next writer gives their serials again."""
    write(tmp_path, range(3), note="three")
    writer = BatchWriter(tmp_path, limit=300)
    for number in range(50, 60):
        writer.add("200405", record(page_of(number)))
        writer.add("200407", record(page_of(number)))
    assert writer.total == 23
    writer.close()
    with Batches(tmp_path) as batches, pytest.raises(BatchesError, match="no page"):
        batches.read("200405", 3)
    with BatchWriter(tmp_path) as writer:
        assert (writer.total, writer.note) == (3, "three")
        assert writer.add("200405", record(page_of(3))) == Identifier("200405", 3)
        writer.commit()
    with Batches(tmp_path) as batches:
        assert [each.url[-1] for each in batches.read_run("200405", 0, 99)] == list("0123")
        assert [each.batch for each in batches.batches] == ["200405"]
    assert len(list(tmp_path.glob("*/*.tianwang"))) == 1


def test_a_reader_sees_what_is_committed_meanwhile(tmp_path):
    """A reader need not be opened again."""
    write(tmp_path, range(2))
    with Batches(tmp_path) as batches:
        write(tmp_path, range(2, 4))
        assert batches.read("200405", 3).url == "http://a/3"


def test_a_page_that_cannot_be_written_leaves_nothing(tmp_path):
    """The serial that it would have had is of the next page."""
    with BatchWriter(tmp_path) as writer:
        writer.add("200405", record(page_of(0)))

        def torn():
            yield from list(record(page_of(1)))[:1]
            raise CannotWrite("no")

        with pytest.raises(CannotWrite):
            writer.add("200405", torn())
        with pytest.raises(BatchesError, match="date"):
            writer.add("2004-05", [])
        assert writer.add("200405", record(page_of(2))) == Identifier("200405", 1)
        writer.commit()
    with Batches(tmp_path) as batches:
        assert [each.url[-1] for each in batches.read_run("200405", 0, 9)] == list("02")


def test_one_writer_at_a_time(tmp_path):
    """A second writer, or one of another kind of records, is refused."""
    with BatchWriter(tmp_path) as writer:
        with pytest.raises(BatchesError, match="another process"):
            BatchWriter(tmp_path)
        writer.add("200405", record(page_of(0)))
        writer.commit()
    with pytest.raises(BatchesError, match=r"not of \.warc"):
        BatchWriter(tmp_path, suffix=".warc.gz")
    BatchWriter(tmp_path).close()


def test_damage_is_told(tmp_path):
    """A page of which a bit fell over is damaged, and others are read."""
    write(tmp_path, range(3))
    (path,) = tmp_path.glob("*/*.tianwang")
    data = bytearray(path.read_bytes())
    data[5] ^= 1
    path.write_bytes(data)
    with Batches(tmp_path) as batches:
        with pytest.raises(BatchesError, match="200405-0000000000 is damaged"):
            batches.read("200405", 0)
        assert batches.read("200405", 1) == page_of(1)


@pytest.mark.parametrize("name", ["index", "00000000.tianwang"])
def test_nothing_is_written_behind_what_was_lost(tmp_path, name):
    """When files are shorter than what was committed, a writer refuses to go on."""
    write(tmp_path, range(3))
    os.truncate(tmp_path / "200405" / name, 30)
    with pytest.raises(BatchesError, match="put back a copy"):
        BatchWriter(tmp_path)


def test_batches_of_other_records(tmp_path):
    """Records may be of any format that is read, such as WARC."""
    fields = (
        ("WARC-Target-URI", "http://a/"),
        ("WARC-Date", "2004-05-01T12:00:00.000001Z"),
        ("WARC-IP-Address", "1.2.3.4"),
        ("WARC-Record-ID", "<urn:uuid:1>"),
        ("Content-Type", "application/http;msgtype=response"),
    )
    with BatchWriter(tmp_path, suffix=".warc") as writer:
        for _ in range(2):
            writer.add("20040501", new_record("response", fields, [HEAD, b"body"], PLAIN))
        writer.commit()
    with Batches(tmp_path) as batches:
        found = batches.read("200405", 1)
    assert found == Page("http://a/", "20040501120000000001", HEAD, b"body", "1.2.3.4")


@pytest.mark.parametrize(
    "text", ["200405", "200413-1", "200405-", "200405-4294967296", "x-1", "-1"]
)
def test_what_is_no_identifier(text):
    """Whoever writes another thing is told how one looks."""
    with pytest.raises(BatchesError, match="200405-0000001234"):
        Identifier.parse(text)


@given(st.integers(1000, 9999), st.integers(1, 12), NUMBERS)
def test_identifiers_are_read_as_they_are_written(year, month, serial):
    """Any identifier comes back from its text."""
    name = Identifier(f"{year}{month:02}", serial)
    assert Identifier.parse(str(name)) == name


@given(st.lists(st.builds(Entry, NUMBERS, NUMBERS, st.integers(0, 2**64 - 1), NUMBERS)))
def test_entries_are_read_as_they_are_written(some):
    """Any entries come back, and a part of one at the end is none."""
    assert entries(b"".join(each.packed() for each in some) + b"torn") == some


def test_a_killed_writer_neither_skips_a_serial_nor_gives_one_twice(tmp_path):
    """However often the writing process is killed, all pages are there once, in their order."""
    pages, chance = 1200, random.Random(7)
    folder = tmp_path / "batches"
    kills = 0
    while True:
        command = [sys.executable, Path(__file__).with_name("batch_child.py"), folder, str(pages)]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
            assert child.stdout is not None
            for _ in range(chance.randrange(1, 30)):  # commits that it tells of
                if not child.stdout.readline():
                    break
            child.send_signal(signal.SIGKILL)
        if child.returncode == 0:
            break
        kills += 1
        _check_prefix(folder)
    assert kills > 2
    assert _check_prefix(folder) == pages


def _check_prefix(folder: Path) -> int:
    """Check that the committed pages are the first ones, each once; return how many."""
    found = []
    with Batches(folder) as batches:
        for each in batches.batches:
            run = list(batches.read_run(each.batch, 0, each.count))
            assert len(run) == each.count
            found += [int(one.url.rpartition("/")[2]) for one in run]
    assert found == list(range(len(found)))
    return len(found)
