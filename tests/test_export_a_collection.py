"""The page on exporting, walked: each of its commands does what it says."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.test_documentation import Walk

_PAGE = Path(__file__).parent.parent / "docs" / "how-to" / "export-a-collection.md"
_BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Walk]:
    """An archive of the demonstration website that runs."""
    walk = Walk(tmp_path_factory.mktemp("export"))
    try:
        walk.start_archive()
        yield walk
    finally:
        walk.stop()


def test_every_command_of_the_page_works(walk: Walk) -> None:
    """Run in the order of the page, all of them end well, and leave what it names."""
    for block in _BLOCK.findall(_PAGE.read_text("utf-8")):
        walk.step(re.sub(r"^(dlweb|warcio) ", r".venv/bin/\1 ", block, flags=re.MULTILINE))
    out = walk.folder / "out"
    for name in ("all", "some", "whole", "cluster"):
        assert list((out / name).glob("*.warc.gz")), name
        assert list((out / name).glob("*.warc.gz.cdxj")), name
    assert list((out / "wacz").glob("*.wacz"))
    assert list((out / "zstd").glob("*.warc.zst"))
    assert list((out / "arc").glob("*.arc.gz"))
    assert list((out / "batches" / "batches").rglob("*.tianwang"))
