"""The graph tells who links to whom and what is alike, within limits."""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from unittest import mock

import lmdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.analysis.signatures import signatures
from agents.consultation.mining.extraction import Extracted, FoundLink
from agents.consultation.mining.graph import COMMON, LINKS_LIMIT, Graph
from agents.consultation.mining.records import Position, Seen

OLD, MIDDLE, NEW = (f"{year}0101000000000000" for year in (2020, 2023, 2026))


def key(text: str) -> str:
    """Return the key of a content."""
    return sha256(text.encode()).hexdigest()


def seen(url: str, date: str, text: str = "", *links: str) -> Seen:
    """Return a capture of a document with a text and links."""
    told = signatures(text.split())
    extracted = Extracted(
        links=tuple(FoundLink(link, "page") for link in links),
        chunks=told.total,
        signatures=told.written(),
    )
    return Seen(url, date, key(text + " ".join(links)), extracted)


@pytest.fixture
def graph(tmp_path: Path) -> Iterator[Graph]:
    """An empty graph."""
    graph = Graph(tmp_path / "mining.lmdb")
    graph.open()
    yield graph
    graph.close()


def test_versions_of_one_page_are_one_backlink(graph: Graph) -> None:
    """From the first capture that has the link to the last; a version without it does not count."""
    versions = [seen("a", OLD, "x", "t"), seen("a", NEW, "y", "t"), seen("a", MIDDLE, "z")]
    graph.note(versions, Position())
    ((link,), after) = graph.backlinks("t", "", 10)
    assert (link.url, link.first, link.last, after) == ("a", OLD, NEW, "")
    assert graph.backlinks("a", "", 10) == ([], "")


def test_a_full_disk_takes_nothing_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that can't be opened for want of room is opened later, with all that was noted."""
    path = tmp_path / "file"
    graph = Graph(path)
    graph.open()
    graph.note([seen("a", OLD, "x", "t")], Position("k"))
    graph.close()
    with monkeypatch.context() as patched:
        patched.setattr(lmdb, "open", mock.Mock(side_effect=lmdb.DiskError("no space left")))
        with pytest.raises(lmdb.Error):
            graph.open()
    graph.open()
    assert graph.position() == Position("k")
    graph.close()


def test_noting_again_changes_nothing(graph: Graph) -> None:
    """What a kill makes happen twice has the outcome of once."""
    for _ in range(2):
        graph.note([seen("a", OLD, "x y z", "t"), seen("b", NEW, "x y z", "t")], Position("k"))
    assert len(graph.backlinks("t", "", 10)[0]) == 2
    assert graph.position() == Position("k")


@given(
    st.lists(st.tuples(st.sampled_from("abcdefgh"), st.sampled_from("12")), max_size=30),
    st.integers(1, 5),
)
def test_pages_of_backlinks_hold_each_once(
    tmp_path_factory: pytest.TempPathFactory, documents: list[tuple[str, str]], limit: int
) -> None:
    """All pages together name every document that links, whatever their size."""
    graph = Graph(tmp_path_factory.mktemp("graph") / "file")
    graph.open()
    try:
        graph.note([seen(url, OLD, text, "t") for url, text in documents], Position())
        found: list[str] = []
        after = ""
        while True:
            links, after = graph.backlinks("t", after, limit)
            assert len(links) <= limit
            found += [link.url for link in links]
            if not after:
                break
        assert set(found) == {url for url, _ in documents}
        assert len(found) <= len(set(documents))
    finally:
        graph.close()


def words(start: int, number: int = 400) -> str:
    """Return a text."""
    return " ".join(sha256(b"%d" % place).hexdigest()[:6] for place in range(start, start + number))


def test_similar_texts(graph: Graph) -> None:
    """The most alike comes first; a text that shares nothing does not come."""
    graph.note(
        [
            seen("half", OLD, words(200)),
            seen("near", OLD, words(20)),
            seen("other", OLD, words(5000)),
            seen("same", OLD, words(0)),
        ],
        Position(),
    )
    told = signatures(words(0).split())
    alike = graph.similar(key("else"), told.total, told.written(), 10)
    assert [one.url for one in alike] == ["same", "near", "half"]
    assert alike[0].resemblance == 1.0 and 0.15 < alike[2].resemblance < 0.6
    assert "same" not in {
        one.url for one in graph.similar(key(words(0)), told.total, told.written(), 10)
    }


def test_what_everybody_says_tells_nothing(graph: Graph) -> None:
    """A chunk that a hundred contents have is left aside, and its list grows no further."""
    common = words(0, 200)
    graph.note(
        [seen(f"u{n}", OLD, f"{common} {words(1000 * n)}") for n in range(1, COMMON + 20)],
        Position(),
    )
    told = signatures(f"{common} {words(999_000)}".split())
    assert len(graph.similar(key("x"), told.total, told.written(), 500)) <= 2 * COMMON
    told = signatures(common.split())
    alike = graph.similar(key("x"), told.total, told.written(), 500)
    assert len(alike) <= COMMON


def test_a_page_of_links_without_end(graph: Graph) -> None:
    """Only so many links of one document are noted."""
    graph.note([seen("a", OLD, "", *(f"t{n}" for n in range(LINKS_LIMIT + 5)))], Position())
    assert graph.backlinks(f"t{LINKS_LIMIT - 1}", "", 1)[0]
    assert not graph.backlinks(f"t{LINKS_LIMIT}", "", 1)[0]


@given(st.text(max_size=40))
def test_a_wrong_place_is_refused(after: str) -> None:
    """Only what an answer gave leads on."""
    graph = Graph(Path("nowhere"))
    try:
        bytes.fromhex(after)
    except ValueError:
        with pytest.raises(ValueError):
            graph.backlinks("t", after, 1)
