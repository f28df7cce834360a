"""What is done to folders."""

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.connectivity import former
from agents.connectivity.crawl_folder import CrawlFolder, is_name
from agents.connectivity.discard import discard, sweep
from agents.connectivity.errors import BadCrawl, Forbidden, NoCrawl

CRAWLS = Path("/archive/crawls")


@given(st.text(max_size=30) | st.sampled_from(["..", ".", "", "a/b", "/etc", "c\0"]))
def test_no_path_leads_out_of_the_crawls(text: str) -> None:
    """Whatever is asked for lies directly inside the folder of crawls, or is refused."""
    for directory in (text, f"{CRAWLS}/{text}", f"{CRAWLS}/../{text}"):
        try:
            folder = CrawlFolder.named(CRAWLS, directory)
        except Forbidden:
            continue
        assert folder.path.parent == CRAWLS
        assert is_name(folder.path.name)


def test_what_was_half_removed_is_removed_at_the_next_start(tmp_path: Path) -> None:
    """A process killed in the middle of a removal leaves nothing for ever, and no half crawl."""
    (tmp_path / ".discarded-c" / "contents").mkdir(parents=True)
    (tmp_path / "d").mkdir()
    sweep(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["d"]
    (tmp_path / ".discarded-d").mkdir()
    discard(tmp_path, str(tmp_path / "d"))
    assert list(tmp_path.iterdir()) == []


def test_former_files_are_replaced_whole(tmp_path: Path, make_crawl: Callable[..., Path]) -> None:
    """A later crawl replaces what an earlier one left, although a draft was left too."""
    site = tmp_path / "sites" / "s"
    for number in range(2):
        path = make_crawl(tmp_path / "crawls" / f"c{number}", {"http://a/": b"%d" % number})
        if number:
            (site / ".signatures.new").write_text("of one that was killed")
        former.publish(CrawlFolder(path), site)
        assert (site / "signatures").read_text() == (path / "signatures").read_text()
        kept = sorted(file.name for file in site.iterdir())
        assert kept == ["report.xml", "signatures", "structure"]
        former.publish(CrawlFolder(path), site)
        assert sorted(file.name for file in site.iterdir()) == kept
    former.withdraw(site)
    former.withdraw(tmp_path / "sites" / "unknown")
    assert list(site.iterdir()) == []


def test_one_at_a_time_changes_what_is_left(
    tmp_path: Path, make_crawl: Callable[..., Path]
) -> None:
    """While another process has the folder nothing in it changes, and nobody is held up."""
    site = tmp_path / "sites" / "s"
    folder = CrawlFolder(make_crawl(tmp_path / "crawls" / "c", {"http://a/": b"a"}))
    former.publish(folder, site)
    other = os.open(site, os.O_RDONLY)
    fcntl.flock(other, fcntl.LOCK_EX)
    for change in (lambda: former.publish(folder, site), lambda: former.withdraw(site)):
        with pytest.raises(BlockingIOError):
            change()
    assert (site / "signatures").exists()
    os.close(other)
    former.withdraw(site)
    assert not (site / "signatures").exists()


def test_certificates_of_all_crawls_are_kept(
    tmp_path: Path, make_crawl: Callable[..., Path]
) -> None:
    """Captures name them for ever, so a later crawl adds to them and takes none away."""
    site = tmp_path / "sites" / "s"
    for number in range(2):
        path = make_crawl(tmp_path / "crawls" / f"c{number}", {"http://a/": b"a"})
        (path / "certificates").mkdir()
        (path / "certificates" / f"{number}.pem").write_text(f"chain {number}")
        former.publish(CrawlFolder(path), site)
    former.withdraw(site)
    kept = {file.name: file.read_text() for file in (site / "certificates").iterdir()}
    assert kept == {"0.pem": "chain 0", "1.pem": "chain 1"}


def test_a_crawl_that_is_not_whole_is_told_from_one_that_is_not_there(
    tmp_path: Path, make_crawl: Callable[..., Path]
) -> None:
    """The report comes last: without it a crawl is not whole."""
    folder = CrawlFolder(make_crawl(tmp_path / "c", {"http://a/": b"a"}))
    folder.check()
    with pytest.raises(Forbidden):
        folder.content("../../../etc/passwd")
    (folder.path / "report.xml").unlink()
    with pytest.raises(BadCrawl, match=r"report\.xml"):
        folder.check()
    with pytest.raises(NoCrawl):
        CrawlFolder(tmp_path / "d").check()
