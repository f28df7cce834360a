"""The index of delimitations: which site a URL belongs to."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents.scheduler.expansion.borders import TooWide
from agents.scheduler.expansion.claims import Claim
from agents.scheduler.expansion.delimitations import CROWD, Delimitations, Stamp


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Delimitations]:
    """An open index without sites."""
    opened = Delimitations(tmp_path / "delimitations.lmdb")
    opened.open()
    yield opened
    opened.close()


def claim(number: int, accept: str, reject: str = "") -> Claim:
    """Return what a site claims."""
    return Claim.read(number, "http://elsewhere.net/", accept, reject)


TF1 = claim(
    1, "//tf1.fr OR //tf1.com OR .tf1.fr OR .tf1.com", "//eurosport.tf1.fr OR //eurosport.tf1.com"
)
SITES = [
    TF1,
    claim(2, "//eurosport.tf1.fr"),
    claim(3, "//univ.fr OR //www.univ.fr", "/~"),
    claim(4, "//univ.fr/~bob/ OR //univ.fr/~bob$ OR //univ.fr/~bob?"),
    claim(5, "//univ.fr:81"),
    claim(6, "//univ.fr/?user=1"),
    claim(7, "//univ.fr AND topic="),
    claim(8, "*.special.net OR .net/special/"),
    claim(9, "//univ.fr/a/b/c/d/e/f/g/h/i/ OR //univ.fr/a/b/c/d/e/f/g/h/j/"),
    claim(10, "//univ.fr/a/b/c/d/e/f/g/h/k/"),
    claim(11, "//[::1]:81"),
]


@pytest.mark.parametrize(
    ("url", "number"),
    [
        ("http://www.tf1.fr/x", 1),
        ("https://tf1.com/", 1),
        ("http://eurosport.tf1.com/", None),
        ("http://eurosport.tf1.fr/", 2),
        ("http://univ.fr/", 3),
        ("http://univ.fr:82/", 3),
        ("http://univ.fr:81/~bob/", 5),
        ("http://univ.fr/~bob", 4),
        ("http://univ.fr/~bob?x", 4),
        ("http://univ.fr/~bob/x/y", 4),
        ("http://univ.fr/~bobby/", None),
        ("http://univ.fr/?user=12", 6),
        ("http://univ.fr/?topic=1", 3),
        ("http://univ.fr/~x?topic=1", 7),
        ("http://x.special.net/", 8),
        ("http://x.org/a.special.net", 8),
        ("http://a.b.net/special/x", 8),
        ("http://a.b.net/specials/x", None),
        ("http://univ.fr/a/b/c/d/e/f/g/h/j/x", 9),
        ("http://univ.fr/a/b/c/d/e/f/g/h/k/x", 10),
        ("http://univ.fr/a/b/c/d/e/f/g/h/l/x", 3),
        ("http://[::1]:81/x", 11),
        ("http://[::1]/x", None),
        ("http://fr/", None),
        (f"http://{'a.' * 130}fr/", None),
        (f"http://univ.fr/{'x' * 3000}/{'y/' * 2000}", 3),
    ],
)
def test_lookups(index: Delimitations, url: str, number: int | None) -> None:
    """The site of a URL is the one that claims it most specifically."""
    assert index.register(SITES) == {}
    assert index.site_of(url) == number


def test_many_lookups_at_once(index: Delimitations) -> None:
    """Answers are in the order of the URLs, with None for what nobody claims."""
    index.register(SITES)
    assert index.sites_of(["http://univ.fr/", "http://x.fr/", "http://tf1.fr/"]) == [3, None, 1]


def test_new_bounds_replace_the_old(index: Delimitations) -> None:
    """A site that is registered again is found where it is now, and no more where it was."""
    index.register(SITES)
    index.register([claim(1, "//tf1.eu")], mark=7)
    assert index.sites_of(["http://tf1.fr/", "http://tf1.eu/"]) == [None, 1]
    assert index.stamp == Stamp(len(SITES), len(SITES), 7)


def test_forgotten_sites_are_not_found(index: Delimitations) -> None:
    """What belonged to a site that is forgotten belongs to the next that claims it."""
    index.register(SITES)
    index.forget([4, 99], mark=3)
    assert index.sites_of(["http://univ.fr/~bob/", "http://univ.fr/"]) == [None, 3]
    index.forget([3, 6, 7])
    assert index.site_of("http://univ.fr/") is None
    assert index.claim(4) is None
    assert index.claim(5) == SITES[4]


def test_it_is_there_when_opened_again(index: Delimitations, tmp_path: Path) -> None:
    """A closed index answers as before, and tells how far it goes."""
    index.register(SITES, mark=5)
    index.close()
    assert index.open() == Stamp(11, 11, 5)
    assert index.site_of("http://tf1.fr/") == 1


@pytest.mark.parametrize("damage", ["text", "short", "version"])
def test_a_damaged_file_is_begun_anew(index: Delimitations, tmp_path: Path, damage: str) -> None:
    """A file that cannot be read, or was cut short, is replaced by an empty one: it is rebuilt."""
    index.register(SITES)
    if damage == "version":
        with index._tables.begin(write=True) as txn:
            txn.put(b"version", b"of another", db=index._tables.about)
    index.close()
    path = tmp_path / "delimitations.lmdb"
    data = path.read_bytes()
    if damage != "version":
        path.write_bytes(b"no database " * 9999 if damage == "text" else data[: len(data) // 2])
    assert index.open() == Stamp()
    assert index.site_of("http://tf1.fr/") is None
    index.register(SITES)
    assert index.site_of("http://tf1.fr/") == 1


def test_a_crowd_at_one_anchor_is_refused(index: Delimitations) -> None:
    """No more sites than can be tested for each URL lie at one anchor; the others are told why."""
    crowd = [claim(number, f"//h.org/?user={number}-") for number in range(1, CROWD + 3)]
    refused = index.register(crowd)
    assert set(refused) == {CROWD + 1, CROWD + 2}
    assert f"{CROWD} sites are at //h.org/ already" in refused[CROWD + 1]
    assert index.sites_of([f"http://h.org/?user={CROWD}-", f"http://h.org/?user={CROWD + 1}-"]) == [
        CROWD,
        None,
    ]
    assert index.stamp.sites == CROWD + 2
    index.forget([1])
    assert index.register([crowd[-1]]) == {}
    assert index.site_of(f"http://h.org/?user={CROWD + 2}-") == CROWD + 2


def test_neighbours(index: Delimitations) -> None:
    """The neighbours of a site are those around it, within it and across it, on any port."""
    index.register(SITES)

    def near(accept: str) -> list[int]:
        return sorted(each.number for each in index.neighbours(claim(99, accept)))

    assert near("//univ.fr/~bob/cv/") == [3, 4, 5, 7, 8]
    assert near("//univ.fr/~amy/") == [3, 5, 7, 8]
    assert near("//univ.fr/a/b/c/") == [3, 5, 7, 8, 9, 10]
    assert near("//univ.fr:81/a/") == [3, 5, 7, 8, 9, 10]
    assert near(".fr") == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    assert near("//x.net/special/y/") == [8]
    assert near("//x.net") == [8]
    assert near("/") == list(range(1, 12))
    assert near("//www.tf1.fr") == [1, 8]
    with pytest.raises(TooWide, match="more than 2 sites"):
        index.neighbours(SITES[2], limit=2)


PARTS = ["//a.fr", "//b.a.fr", ".a.fr", ".fr", "//a.fr:81", "/x/", "//a.fr/x/", "//a.fr/x", "x"]
BOUNDS = st.lists(st.sampled_from(PARTS), min_size=1, max_size=3).map(" OR ".join)
URLS = [
    f"http://{host}{path}"
    for host in ("a.fr", "b.a.fr", "c.fr", "a.fr:81", "d.org")
    for path in ("/", "/x", "/x/", "/x/y")
]


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(changes=st.lists(st.tuples(st.integers(1, 4), st.none() | BOUNDS), max_size=8))
def test_changes_leave_what_a_new_index_would_hold(
    index: Delimitations, changes: list[tuple[int, str | None]]
) -> None:
    """However sites came, changed and went, the index answers as one made of those that remain."""
    kept: dict[int, Claim] = {}
    for number, bounds in changes:
        if bounds is None:
            index.forget([number])
            kept.pop(number, None)
        else:
            kept[number] = claim(number, bounds)
            index.register([kept[number]])
    changed = index.sites_of(URLS)
    index.clear()
    index.register(kept.values())
    assert index.sites_of(URLS) == changed
    index.clear()
