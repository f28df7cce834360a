"""The crawl directory is whole exactly when its report is there."""

import json
from hashlib import sha256
from pathlib import Path

from agents.crawler.directory import CrawlDirectory
from agents.order import Order


def test_a_whole_directory(tmp_path: Path) -> None:
    """Signatures are sorted, the order is kept, nothing temporary stays."""
    directory = CrawlDirectory(tmp_path / "c")
    directory.write_order(Order("c", "site", "http://a/", "//a"))
    digests = [sha256(bytes([number])).digest() for number in range(20)]
    for digest in digests:
        directory.met.add(digest)
        directory.pack.append(b"x")
        directory.write_line({"url": "u"})
    assert not (directory.path / "report.xml").exists()
    directory.finish(b"<report/>")
    signatures = (directory.path / "signatures").read_text().splitlines()
    assert signatures == sorted(digest.hex() for digest in digests)
    assert (directory.path / "structure").read_text().count("\n") == 20
    assert json.loads((directory.path / "order.json").read_text())["politeness"]["robots"] is True
    assert {path.name for path in directory.path.iterdir()} == {
        "order.json", "pack", "report.xml", "signatures", "structure"}  # fmt: skip


def test_what_an_attempt_left_is_emptied(tmp_path: Path) -> None:
    """A directory of the same name from an attempt that died is begun anew."""
    first = CrawlDirectory(tmp_path / "c")
    first.pack.append(b"old")
    second = CrawlDirectory(tmp_path / "c")
    assert second.pack.append(b"new") == 0
    assert (tmp_path / "c" / "pack").read_bytes() == b"new"


def test_abandoned(tmp_path: Path) -> None:
    """Nothing stays of an abandoned crawl."""
    directory = CrawlDirectory(tmp_path / "c")
    directory.write_line({})
    directory.abandon()
    assert not directory.path.exists()
