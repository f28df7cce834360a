"""What may be registered, how it is ordered, and how the index is made again."""

import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from agents.scheduler.expansion.borders import TooWide
from agents.scheduler.expansion.claims import Claim
from agents.scheduler.expansion.delimitations import Delimitations, Stamp
from agents.scheduler.expansion.placing import Row, catch_up, place, reject_of


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Delimitations]:
    """An open index without sites."""
    opened = Delimitations(tmp_path / "delimitations.lmdb")
    opened.open()
    yield opened
    opened.close()


def claim(number: int, accept: str, start: str = "http://elsewhere.net/") -> Claim:
    """Return what a site claims."""
    return Claim.read(number, start, accept)


def test_a_site_is_placed_and_left_out(index: Delimitations) -> None:
    """An inner site is allowed, and the one around it is ordered without it from then on."""
    index.register([claim(1, "//a.org OR .a.org", "http://a.org/")])
    inner = claim(2, "//b.a.org", "http://b.a.org/")
    decision = place(index, inner)
    assert decision.allowed
    assert decision.reasons == ("carved out of site 1 (http://a.org/), which takes .a.org",)
    assert reject_of(index, 1) == ""
    index.register([inner])
    assert reject_of(index, 1) == "//b.a.org"
    assert reject_of(index, 2) == ""
    assert place(index, inner).allowed, "new bounds of a known site are no rival of its old ones"
    assert not place(index, claim(3, "//b.a.org", "http://b.a.org/")).allowed
    with pytest.raises(KeyError):
        reject_of(index, 9)


def test_no_more_sites_within_one_than_it_can_be_told(index: Delimitations) -> None:
    """A site that its neighbour could not be told to leave out is refused, and so is a wide one."""
    names = [f"{'x' * 50}{number}.a.org" for number in range(1200)]
    index.register([claim(1, ".a.org")])
    index.register(claim(number, f"//{name}") for number, name in enumerate(names, 2))
    with pytest.raises(TooWide, match="does not go into an expression"):
        reject_of(index, 1)
    refused = place(index, claim(9000, "//new.a.org"))
    assert not refused.allowed
    assert "does not go into an expression" in refused.reasons[0]
    assert not place(index, claim(9000, ".org")).allowed
    assert place(index, claim(9000, "//b.org")).allowed


class Table:
    """A table of sites, and what was read of it."""

    def __init__(self, *rows: Row) -> None:
        self.rows = list(rows)
        self.mark = 0
        self.read: list[int] = []

    @property
    def stamp(self) -> Stamp:
        """How far the table goes."""
        return Stamp(len(self.rows), max((row[0] for row in self.rows), default=0), self.mark)

    def after(self, number: int) -> Iterable[Row]:
        """Give the rows with higher numbers."""
        self.read.append(number)
        return [row for row in self.rows if row[0] > number]


def test_the_index_follows_the_table(index: Delimitations) -> None:
    """Only what is missing is read, unless something has changed or gone: then everything is."""
    table = Table((1, "http://a.org/", "//a.org", ""), (5, "http://b.org/", "//b.org", ""))
    assert catch_up(index, table.stamp, table.after) == {}
    assert catch_up(index, table.stamp, table.after) == {}
    table.rows.append((6, "http://c.org/", "//c.org", ""))
    catch_up(index, table.stamp, table.after)
    assert table.read == [0, 5]
    urls = ["http://a.org/", "http://b.org/", "http://c.org/"]
    assert index.sites_of(urls) == [1, 5, 6]
    table.rows[0] = (1, "http://a.org/", "//a.com", "")
    table.mark = 1
    catch_up(index, table.stamp, table.after)
    assert index.sites_of([*urls, "http://a.com/"]) == [None, 5, 6, 1]
    del table.rows[1]
    catch_up(index, table.stamp, table.after)
    assert index.sites_of(urls) == [None, None, 6]
    assert table.read == [0, 5, 0, 0]
    assert index.stamp == table.stamp


def test_bounds_that_cannot_be_read_are_told(index: Delimitations) -> None:
    """A row with broken bounds claims nothing and does not stop the others."""
    table = Table((1, "http://a.org/", "//a.org OR", ""), (2, "http://b.org/", "//b.org", ""))
    refused = catch_up(index, table.stamp, table.after)
    assert list(refused) == [1]
    assert "expected a pattern" in refused[1]
    assert index.sites_of(["http://a.org/", "http://b.org/"]) == [None, 2]
    assert catch_up(index, table.stamp, table.after) == {}


def test_an_empty_table(index: Delimitations) -> None:
    """Without sites the index holds none."""
    index.register([claim(1, "//a.org")])
    assert catch_up(index, Stamp(), Table().after) == {}
    assert index.site_of("http://a.org/") is None


WRITER = """
import sys
from pathlib import Path
from agents.scheduler.expansion.claims import Claim
from agents.scheduler.expansion.delimitations import Delimitations

index = Delimitations(Path(sys.argv[1]))
index.open()
number = 0
while True:
    number += 1
    index.register([Claim.read(number, "http://a.org/", f"//s{number}.org")], mark=7)
    print(number, flush=True)
"""


def test_a_killed_writer_leaves_an_index_that_can_be_brought_up(tmp_path: Path) -> None:
    """Whoever is killed while it registers leaves an index that holds what it was told to have."""
    path = tmp_path / "delimitations.lmdb"
    rows = [(number, "http://a.org/", f"//s{number}.org", "") for number in range(1, 5001)]
    for _ in range(3):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True
        )
        assert writer.stdout is not None
        told = [int(writer.stdout.readline()) for _ in range(20)]
        writer.kill()
        told += [int(line) for line in writer.stdout]
        writer.wait()
        index = Delimitations(path)
        stamp = index.open()
        assert told[-1] <= stamp.sites <= told[-1] + 1
        assert index.sites_of(f"http://s{number}.org/" for number in told) == told
        table = Table(*rows)
        table.mark = 7
        assert catch_up(index, table.stamp, table.after) == {}
        assert index.site_of("http://s5000.org/") == 5000
        index.clear()
        index.close()
