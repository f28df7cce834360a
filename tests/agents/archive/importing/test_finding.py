"""Which files are imported, and by whom."""

import os
from hashlib import md5
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.archive.importing.finding import NotThere, Parts, PartsRefused, files_of


@given(st.integers(0, 16), st.binary(min_size=1, max_size=60), st.data())
def test_every_file_belongs_to_one_part(bits: int, name: bytes, data: st.DataObject) -> None:
    """However the parts are shared among machines, exactly one of them takes it."""
    number = 1 << bits
    cuts = sorted({0, *data.draw(st.lists(st.integers(0, number - 1), max_size=6)), number})
    shares = [
        Parts.parse(str(number), f"{first}-{end - 1}", 2)
        for first, end in zip(cuts, cuts[1:], strict=False)
    ]
    assert sum(share.takes(name) for share in shares) == 1
    assert Parts.parse(str(number), "", 2).takes(name)


def test_a_part_is_the_first_bits_of_the_md5() -> None:
    """As others may compute it."""
    name = b"a.warc.gz"
    assert Parts.parse("256", "", 1).of(name) == md5(name).digest()[0]
    assert Parts.parse("16", "", 1).of(name) == md5(name).digest()[0] >> 4
    assert Parts.parse("1", "", 1).of(name) == 0


def test_without_words_there_is_a_part_a_processor() -> None:
    """Rounded up to a power of two."""
    assert [Parts.parse("", "", cores).number for cores in (1, 2, 3, 48)] == [1, 2, 4, 64]
    assert Parts.parse("16", "5", 2) == Parts(16, 5, 5)


@pytest.mark.parametrize(
    ("number", "only"),
    [
        ("3", ""),
        ("0", ""),
        ("x", ""),
        ("-2", ""),
        ("131072", ""),
        ("16", "0-16"),
        ("16", "5-4"),
        ("16", "a-b"),
        ("16", "-"),
        ("", "0-3"),
    ],
)
def test_words_that_make_no_sense_are_refused(number: str, only: str) -> None:
    """The status is that of a wrong command line."""
    with pytest.raises(PartsRefused) as raised:
        Parts.parse(number, only, 2)
    assert raised.value.status == 2


def test_folders_are_searched(tmp_path: Path) -> None:
    """With all in them, but for hidden names and what is no file; nothing is there twice."""
    for name in ("b/c/one.warc", "b/two.warc", "a.warc", ".hidden/x.warc", "b/.part"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"12345")
    (tmp_path / "link").symlink_to(tmp_path / "a.warc")
    os.mkfifo(tmp_path / "b" / "pipe")
    found = files_of([tmp_path / "a.warc", tmp_path])
    names = [str(each.path.relative_to(tmp_path)) for each in found]
    assert names == ["a.warc", "b/two.warc", "b/c/one.warc"]
    assert [each.named for each in found] == [True, False, False]
    assert {each.size for each in found} == {5}


def test_a_path_that_names_nothing_is_an_error(tmp_path: Path) -> None:
    """A wrong name is said, and nothing is imported."""
    with pytest.raises(NotThere, match="nowhere"):
        files_of([tmp_path / "nowhere"])


def test_links_are_followed_and_what_leads_nowhere_is_told(tmp_path: Path) -> None:
    """A collection may be links to the folders of other disks; a disk may not be there."""
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    (outside / "a.warc").write_bytes(b"12345")
    (inside / "disk").symlink_to(outside)
    (inside / "circle").symlink_to(inside)
    (inside / "lost").symlink_to(tmp_path / "nowhere")
    found = files_of([inside])
    assert [(each.path.name, each.size, each.named) for each in found] == [
        ("lost", 0, True),
        ("a.warc", 5, False),
    ]


def test_a_folder_that_is_closed_is_told_and_the_others_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is among the files, by its own name, and refused with them."""
    (tmp_path / "closed").mkdir()
    (tmp_path / "open.warc").write_bytes(b"12345")
    real = os.scandir

    def scandir(path: str) -> Any:
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied", path)
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    assert [(each.path.name, each.named) for each in files_of([tmp_path])] == [
        ("open.warc", False),
        ("closed", True),
    ]


def test_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    """A pipe that is named would never give its first byte."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(NotThere, match="no file"):
        files_of([tmp_path / "pipe"])
