"""The lists of all nodes are one list, page by page."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_twisted import ensureDeferred

from agents.archive.kept_records import name_of
from agents.consultation.errors import LookupFailed, NodesFailed
from agents.consultation.harbor import listing
from agents.consultation.harbor.listing import Listed, Listings, Part, begins, merged
from agents.consultation.urls.index import UrlPage
from anet.errors import Stopped

KEYS = st.text("abc", min_size=1, max_size=3)


@given(st.lists(st.sets(KEYS), min_size=1, max_size=3), st.integers(1, 4))
def test_pages_of_many_nodes_make_one_list(nodes, size):
    """Whatever each node holds, paging gives every URL once and in order."""
    seen, after = [], ""
    for _ in range(200):
        parts = []
        for held in nodes:
            keys = sorted(key for key in held if key > after)
            rest = keys[size - 1] if len(keys) > size else None
            parts.append(Part([Listed(f"http://{key}/", key) for key in keys[:size]], rest))
        urls, further = merged(parts)
        seen += [listed.key for listed in urls]
        if further is None:
            break
        after = further
    assert seen == sorted(set().union(*nodes))


@pytest.mark.parametrize(
    ("prefix", "expected"),
    [("", True), ("http://www.a.org/x", True), ("www.a.org", True), ("a.org", True), ("b", False)],
)
def test_a_prefix_is_what_a_person_types(prefix, expected):
    """Scheme and www. may be left out."""
    assert begins("http://www.a.org/x/y", prefix) is expected


@ensureDeferred
async def test_every_url_is_listed_once(archive):
    """Two copies of a URL are one, and pages follow each other."""
    urls = {f"http://a.example/{number}" for number in range(50)}
    for url in urls:
        archive.add(url, b"x")
    listings = Listings(archive.client, archive.locator.all_nodes)
    seen, after = [], ""
    while after is not None:
        page = await listings.page("", after, 20)
        assert len(page.urls) <= 20
        seen += [listed.url for listed in page.urls]
        after = page.after
    assert len(seen) == 50 and set(seen) == urls


@ensureDeferred
async def test_records_of_imports_are_not_listed(archive, monkeypatch):
    """However many there are, the list goes on after them."""
    monkeypatch.setattr(listing, "PART_SIZE", 2)
    monkeypatch.setattr(listing, "SCAN_LIMIT", 1)
    for number in range(40):
        archive.add(name_of(f"{number}.warc.gz", "0123456789abcdef"), b"x")
    archive.add("http://a.example/", b"x")
    listings = Listings(archive.client, archive.locator.all_nodes)
    for prefix in ("", "warc", "warc:", "0.warc.gz"):
        seen, after = [], ""
        while after is not None:
            page = await listings.by_key(prefix, after, 20)
            seen += [listed.url for listed in page.urls]
            after = page.after
        assert seen == ([] if prefix else ["http://a.example/"])


@ensureDeferred
async def test_a_search_gives_what_begins_so(archive):
    """Only URLs with the prefix are listed."""
    archive.add("http://www.a.example/x", b"x")
    archive.add("http://b.example/", b"x")
    page = await Listings(archive.client, archive.locator.all_nodes).page("a.example", "", 10)
    assert [listed.url for listed in page.urls] == ["http://www.a.example/x"]


@ensureDeferred
async def test_silent_nodes_are_counted(archive):
    """What the nodes that answer hold is listed; how many are silent is said."""
    archive.add("http://a.example/", b"x")
    archive.locator.down = 1
    await archive.first.server.stopService()
    page = await Listings(archive.client, archive.locator.all_nodes).page("", "", 10)
    assert (len(page.urls), page.silent, page.nodes) == (1, 2, 3)


@ensureDeferred
async def test_an_archive_that_does_not_answer_is_not_an_empty_one(archive):
    """No node, or no index, is an error."""
    listings = Listings(archive.client, archive.locator.all_nodes)
    for node in (archive.first, archive.second):
        await node.server.stopService()
    with pytest.raises(NodesFailed):
        await listings.page("", "", 10)
    archive.locator.broken = True
    with pytest.raises(LookupFailed):
        await listings.page("", "", 10)


class Index:
    """An index of URLs that notes what it is asked."""

    complete = True

    def __init__(self, *urls):
        self.urls_held, self.asked = list(urls), []

    async def urls(self, url, match, after, limit, reader=None):
        """Give one URL a page."""
        self.asked.append((url, match))
        held = [each for each in self.urls_held if each > after]
        page = [Listed(each, "") for each in held[:1]]
        return UrlPage(page, page[0].url if len(held) > 1 else None)


@pytest.mark.parametrize(
    ("typed", "asked"),
    [
        ("", ("", "prefix")),
        ("a.example", ("http://a.example/", "domain")),
        ("http://www.a.example", ("http://www.a.example/", "domain")),
        ("a.example/x", ("http://a.example/x", "prefix")),
        ("https://a.example/?", ("https://a.example/?", "prefix")),
        ("example", None),
        ("http://", None),
    ],
)
@ensureDeferred
async def test_the_index_is_asked_for_what_it_can_find(archive, typed, asked):
    """A host takes its domain, a path what begins so; what is less is looked for in the lists."""
    archive.add("http://a.example/x", b"x")
    index = Index("http://a.example/x", "http://a.example/y")
    listings = Listings(archive.client, archive.locator.all_nodes, index)
    page = await listings.page(typed, "", 10)
    assert index.asked == ([asked] if asked else [])
    assert page.after == ("http://a.example/x" if asked else None)
    if asked:
        page = await listings.page(typed, page.after, 10)
        assert ([each.url for each in page.urls], page.after) == (["http://a.example/y"], None)


@ensureDeferred
async def test_lists_serve_until_the_index_is_complete(archive):
    """Without all URLs in the index, and where it finds none, the nodes' lists are searched."""
    archive.add("http://a.example/x", b"x")
    index = Index()
    listings = Listings(archive.client, archive.locator.all_nodes, index)
    assert len((await listings.page("a.example/x", "", 10)).urls) == 1
    index.complete, index.asked = False, []
    assert len((await listings.page("a.example/x", "", 10)).urls) == 1
    assert index.asked == []


@ensureDeferred
async def test_an_index_that_cannot_be_asked_is_said(archive):
    """A search that began in the index goes on there, or says that it cannot now."""

    class Closed(Index):
        async def urls(self, url, match, after, limit, reader=None):
            raise Stopped("the index of URLs is closed")

    listings = Listings(archive.client, archive.locator.all_nodes, Closed())
    with pytest.raises(LookupFailed, match="closed"):
        await listings.page("", "uAAAA", 10)
