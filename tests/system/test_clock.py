"""Somebody sets the clock of the machine while a whole archive is at work."""

import re
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from clocks import FAKETIME, WrongClock
from conftest import DOCUMENTATION, Archive, Nginx, wait_for

from agents import dates

HOUR = 3600.0
EARLY, LATE = 30, 200  # captures after which the clock is set, and set again

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(FAKETIME is None, reason="Debian's faketime is not there"),
]


@pytest.fixture
def slow_site(tmp_path: Path) -> Iterator[Nginx]:
    """A part of Python's documentation, some 500 files, which takes some twenty seconds."""
    nginx = Nginx(DOCUMENTATION, tmp_path / "nginx", rate="40r/s")
    yield nginx
    nginx.stop()


@pytest.fixture
def clock(tmp_path: Path) -> WrongClock:
    """The clock of all agents."""
    return WrongClock(tmp_path / "clock")


@pytest.fixture
def archive(tmp_path: Path, clock: WrongClock) -> Iterator[Archive]:
    """A whole archive by that clock."""
    archive = Archive(tmp_path / "archive", environment=clock.environment)
    try:
        archive.wait_until_whole()
        yield archive
    finally:
        archive.stop()


def test_the_clock_goes_back_and_forward_during_a_crawl(
    archive: Archive, clock: WrongClock, slow_site: Nginx
) -> None:
    """Nothing waits for it and no link ends; captures have the date that the clock showed."""
    agents = {name: agent["pid"] for name, agent in archive.agents().items()}
    collecting = archive.start_collecting(slow_site.url)
    wait_for(lambda: collected(archive) > EARLY, "a crawl in its beginning")
    clock.set("-1h")
    wait_for(lambda: collected(archive) > LATE, "a crawl in its middle")
    clock.set("+1h")
    out, err = collecting.communicate(timeout=240)
    assert collecting.returncode == 0, out.decode() + err.decode()
    assert {name: agent["pid"] for name, agent in archive.agents().items()} == agents
    assert not ends_of_links(archive)
    captures = archive.check()
    hours = Counter(hours_from_now(capture["date"]) for capture in captures)
    assert set(hours) == {-1, 0, 1}, hours
    assert hours[0] >= EARLY and hours[-1] >= (LATE - EARLY) // 2, hours
    for capture in captures[::50]:
        assert archive.get(capture["url"])[0] == capture["status"], capture["url"]


def collected(archive: Archive) -> int:
    """Return how many captures the newest crawl has."""
    done = archive.hip("call", "crawls", "limit=1")
    crawls = yaml.safe_load(done.stdout) if done.returncode == 0 else []
    return crawls[0]["figures"]["captures"] if crawls else 0


def ends_of_links(archive: Archive) -> list[str]:
    """Return how links between agents have ended, but for those that were led elsewhere."""
    logs = "".join(path.read_text() for path in archive.directory.glob("log/*.log"))
    return re.findall(r"\] (link to \S+ ended: (?!redirected).*)", logs)


def hours_from_now(date: str) -> int:
    """Return how far a date is from the time of day, in whole hours."""
    return round((dates.to_datetime(date).timestamp() - time.time()) / HOUR)
