"""Processes are killed with signal 9 in the middle of their work, and nothing is lost."""

import json
import shutil
from collections import Counter

import pytest
import yaml
from conftest import DOCUMENTATION, Archive, Nginx, wait_for

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A part of Python's documentation, some 500 files, served by nginx."""
    folder = tmp_path_factory.mktemp("site") / "html"
    shutil.copytree(DOCUMENTATION, folder, ignore_dangling_symlinks=True)
    nginx = Nginx(folder, tmp_path_factory.mktemp("nginx"))
    yield nginx
    nginx.stop()


@pytest.fixture(scope="module")
def slow_site(site, tmp_path_factory):
    """The same site behind a server that gives it one by one, and takes some seconds for it."""
    nginx = Nginx(site.folder, tmp_path_factory.mktemp("slow-nginx"), rate="500r/s")
    yield nginx
    nginx.stop()


@pytest.fixture
def archive(tmp_path):
    """A whole archive of this test's own, whose connectivity agent deposits one by one."""
    archive = Archive(tmp_path / "archive", "connectivity:\n  batch_captures: 1\n")
    try:
        archive.wait_until_whole()
        yield archive
    finally:
        archive.stop()


def crawl_of(archive: Archive) -> dict:
    """Return the newest crawl as the scheduler tells it, or nothing while it does not answer."""
    done = archive.hip("call", "crawls", "limit=1")
    crawls = yaml.safe_load(done.stdout) if done.returncode == 0 else []
    return crawls[0] if crawls else {}


def reach(archive: Archive, state: str, condition=lambda crawl: True) -> dict:
    """Wait until the newest crawl is in a state, and some way into it."""

    def there() -> dict:
        crawl = crawl_of(archive)
        return crawl if crawl.get("state") == state and condition(crawl) else {}

    return wait_for(there, f"a crawl that is {state}", 120)


def finish(collecting) -> dict:
    """Wait for a collection that somebody began, and return its summary."""
    out, err = collecting.communicate(timeout=240)
    assert collecting.returncode == 0, out.decode() + err.decode()
    return json.loads(out.decode().strip().splitlines()[-1])


def assert_once_each(archive: Archive, crawls: int = 1) -> list[dict]:
    """Every URL was recorded once a crawl, and every capture is sound."""
    captures = archive.check()
    doubled = {url: n for url, n in Counter(it["url"] for it in captures).items() if n != crawls}
    assert not doubled, list(doubled.items())[:10]
    assert len(captures) > 500
    return captures


def in_middle(crawl: dict) -> bool:
    """Tell whether a collection has begun in earnest."""
    return crawl["figures"]["captures"] > 30


def depositing(crawl: dict) -> bool:
    """Tell whether a deposit has begun in earnest."""
    return bool(crawl["deposit"]) and crawl["deposit"]["captures_recorded"] > 20


def test_a_site_crawler_dies_in_the_middle_of_a_crawl(archive, slow_site):
    """Another crawler collects the site again, and nothing is doubled."""
    collecting = archive.start_collecting(slow_site.url)
    crawl = reach(archive, "collecting", in_middle)
    archive.kill(crawl["crawler"])
    summary = finish(collecting)
    # The documentation's search engine has its picture at www.python.org, which is out of reach.
    assert summary["failures"] == 1, summary
    assert crawl_of(archive)["attempt"] == 2
    assert_once_each(archive)
    wait_for(lambda: crawl["crawler"] in archive.agents(), "the crawler to come back")


def test_a_storage_node_dies_in_the_middle_of_a_deposit(archive, site):
    """Reads go on from the replica, deposits go on, and the node comes back whole."""
    collecting = archive.start_collecting(site.url)
    reach(archive, "depositing", depositing)
    known = [it["url"] for it in archive.check_alive() if it["status"] == 200][:10]
    archive.kill("storage-1")
    assert crawl_of(archive)["state"] != "deposited"
    for url in known:
        assert archive.get(url)[0] == 200, url
    finish(collecting)
    captures = assert_once_each(archive)
    for capture in captures[::50]:
        assert archive.get(capture["url"])[0] == capture["status"], capture["url"]
    wait_for(lambda: "storage-1" in archive.agents(), "the node to come back")
    wait_for(lambda: alike(archive), "both nodes to hold the same", 120)
    archive.check()


def alike(archive: Archive) -> bool:
    """Tell whether all storage nodes hold the same contents and as many captures of each URL."""

    def held(node) -> dict[str, int]:
        contents = {path.name: 0 for path in node.glob("contents/*/*/*")}
        lines = {path.name: path.stat().st_size for path in node.glob("structures/*/*/*.captures")}
        return contents | lines

    first, *others = (held(node) for node in archive.storage)
    return bool(first) and all(first == other for other in others)


def test_the_scheduler_dies_in_the_middle_of_a_crawl(archive, slow_site):
    """The crawl goes on, the scheduler takes it up again, and the site is collected once."""
    collecting = archive.start_collecting(slow_site.url)
    reach(archive, "collecting", in_middle)
    archive.kill("scheduler")
    finish(collecting)
    assert crawl_of(archive)["state"] == "deposited"
    assert_once_each(archive)


def test_the_index_node_dies_in_the_middle_of_a_deposit(archive, site):
    """The deposit waits for it and goes on; nothing acknowledged is lost, nothing doubled."""
    collecting = archive.start_collecting(site.url)
    reach(archive, "depositing", depositing)
    archive.kill("index-1")
    assert crawl_of(archive)["state"] != "deposited"
    finish(collecting)
    assert_once_each(archive)


def test_the_connectivity_agent_dies_in_the_middle_of_a_deposit(archive, site):
    """The deposit is repeated without doubling anything."""
    collecting = archive.start_collecting(site.url)
    reach(archive, "depositing", depositing)
    archive.kill("connectivity")
    assert crawl_of(archive)["state"] != "deposited"
    finish(collecting)
    assert_once_each(archive)


def test_everything_dies_at_once_and_comes_back(archive, slow_site):
    """After the supervisor is killed no agent is left; started again, the archive resumes."""
    collecting = archive.start_collecting(slow_site.url)
    reach(archive, "collecting", in_middle)
    collecting.kill()
    collecting.communicate()
    pids = [agent["pid"] for agent in archive.agents().values()]
    archive.kill_supervisor()
    wait_for(lambda: not any(archive.runs(pid) for pid in pids), "all agents to end")
    archive.start()
    archive.wait_until_whole()
    reach(archive, "deposited")
    assert_once_each(archive)
