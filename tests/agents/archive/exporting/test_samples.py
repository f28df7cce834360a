"""Files of the field, good and damaged: what is sound in them comes in and goes out again."""

from functools import partial
from pathlib import Path

import pytest

from agents.archive.kept_records import name_of
from anet.formats.reading import open_records
from anet.formats.record import DamagedRecord, Record
from tests.agents.archive.exporting.test_round_trip import dlweb

SAMPLES = Path(__file__).parents[3] / "samples"
Read = tuple[str, tuple[tuple[str, str], ...], bytes]

pytestmark = pytest.mark.slow


def sound(path: Path) -> list[Read]:
    """Return version, fields and block of all records that can be read to their end."""
    found: list[Read] = []
    with open_records(path) as reader:
        for each in reader:
            if isinstance(each, Record):
                read = partial(each.block.read, 1 << 20)  # type: ignore[attr-defined]
                try:
                    block = b"".join(iter(read, b""))
                except DamagedRecord:
                    continue
                found.append((each.version, each.fields, block))
    return found


def test_samples_go_through_the_archive(tmp_path: Path) -> None:
    """All sound records of all samples are in the export, as they were, file after file."""
    samples = sorted(
        (path for path in SAMPLES.iterdir() if ".warc" in path.name), key=lambda path: name(path)
    )
    assert len(samples) > 10
    there = ("--archive", tmp_path / "var", "--to", tmp_path / "disk")
    dlweb("import", *samples, *there, status=1)
    out = tmp_path / "out"
    told = dlweb("export", "--source", tmp_path / "disk", "--output", out)
    [path] = out.glob("*.warc.gz")
    given = sound(path)[1:]
    expected = [record for sample in samples for record in sound(sample)]
    assert given == expected
    assert told["well"]


def name(path: Path) -> str:
    """Return the name under which the records of a file are kept, as far as it orders them."""
    return name_of(path.name, "")
