"""What the index answers."""

from pytest_twisted import ensureDeferred

from agents.capture import structure_key
from agents.consultation.errors import Faulted
from agents.consultation.faults.fault import unknown_url
from agents.consultation.urls import index as room
from agents.consultation.urls.index import decoded
from agents.consultation.urls.tables import Progress

SITE = [
    "http://example.org/", "http://example.org/a", "https://www.example.org/a",
    "http://example.org/a/b?x=1", "http://example.org/ab", "http://example.org:8080/a",
    "http://example.orgy/", "http://sub.example.org/a", "http://other.example/",
]  # fmt: skip


async def found(index, url="", match="prefix", limit=2, **asked):
    """Return all URLs of all pages, and check that no page is too long."""
    urls, after = [], ""
    while after is not None:
        page = await index.urls(url, match, after, limit, **asked)
        assert len(page.urls) <= limit
        assert all(each.key == structure_key(each.url) for each in page.urls)
        urls += [each.url for each in page.urls]
        after = page.after
    assert len(urls) == len(set(urls))
    return urls


@ensureDeferred
async def test_urls_are_found_by_each_match(begin):
    """Exact takes all that have the urlkey; prefix, host and domain as their names say."""
    index = (await begin()).index
    await index.add("node", Progress(), SITE)
    assert set(await found(index)) == set(SITE)
    assert set(await found(index, "http://example.org/a", "exact")) == set(SITE[1:3])
    assert set(await found(index, "http://example.org/a")) == set(SITE[1:5])
    assert set(await found(index, "http://example.org/a/")) == {SITE[3]}
    assert set(await found(index, "http://example.org/", "host")) == set(SITE[:6])
    assert set(await found(index, "http://example.org/", "domain")) == {*SITE[:6], SITE[7]}
    assert await found(index, "http://nothing.example/", "domain") == []


@ensureDeferred
async def test_long_urls_are_told_apart(begin):
    """Urlkeys that are longer than a key of the file are compared whole."""
    index = (await begin()).index
    long = ["http://example.org/" + "x" * 600 + end for end in ("", "a", "ab", "b")]
    await index.add("node", Progress(), long)
    assert set(await found(index, long[1])) == {long[1], long[2]}
    assert await found(index, long[0], "exact") == [long[0]]


@ensureDeferred
async def test_where_to_go_on_names_no_url_that_may_not_be_shown(begin, monkeypatch):
    """A page ends at some URL, be it hidden; what the next question gives back is then sealed."""
    monkeypatch.setattr(room, "LISTED_LIMIT", 10)
    index = (await begin()).index
    await index.add("node", Progress(), [f"http://a.example/{n:03}" for n in range(60)])
    last = "http://a.example/059"
    index._rules = Hidden(last)
    shown, after, pages = [], "", 0
    while after is not None:
        page = await index.urls("http://a.example/", "prefix", after, 2)
        shown, after, pages = shown + page.urls, page.after, pages + 1
        told = decoded(after or "")
        assert b"example" not in told or b"/059" in told
    assert [each.url for each in shown] == [last] and pages > 3
    again = await index.urls("http://a.example/", "prefix", "sforged", 2)
    assert again.after is not None, "what nobody gave is the beginning"


class Hidden:
    """Rules that keep all but one URL back."""

    def __init__(self, but):
        self.but = but

    def check(self, url, date="", reader=None):
        """Keep it back."""
        if url != self.but:
            raise Faulted(unknown_url(url))


@ensureDeferred
async def test_what_may_not_be_shown_is_not_listed(begin):
    """The rules of access hold for lists too, and a page goes on past what they hide."""

    class Hidden:
        def check(self, url, date="", reader=None):
            if "/a" in url:
                raise Faulted(unknown_url(url, date))

    index = (await begin(Hidden())).index
    await index.add("node", Progress(), SITE)
    assert set(await found(index, limit=1)) == {SITE[0], SITE[6], SITE[8]}


@ensureDeferred
async def test_alike_are_found_and_not_the_url_itself(begin):
    """What the fuzzy rules hold equal is offered, the closest first."""
    index = (await begin()).index
    await index.add("node", Progress(), SITE)
    assert await index.alike("http://example.org/a?_=1700000000000") == SITE[1:3]
    assert await index.alike("http://example.org/a") == [SITE[2]]
    assert await index.alike("http://example.org/none") == []
    assert await index.alike("http://example.org/a?__wb_method=POST&x=1") == []


@ensureDeferred
async def test_skipping_leads_to_a_page(begin):
    """Pages by number begin where as many URLs have been passed over."""
    index = (await begin()).index
    await index.add("node", Progress(), SITE)
    whole = await found(index, "http://example.org/", "domain")
    for count in range(len(whole) + 2):
        passed, after = await index.skip("http://example.org/", "domain", count)
        page = await index.urls("http://example.org/", "domain", after, 100)
        assert passed == min(count, len(whole))
        assert [each.url for each in page.urls] == whole[count:]


@ensureDeferred
async def test_a_damaged_file_is_begun_anew(begin, tmp_path):
    """What cannot be read is made again; so is an index of other rules."""
    first = await begin()
    await first.index.add("node", Progress(None), SITE)
    await first.stop()
    second = await begin()
    assert second.index.count == len(SITE)
    assert await second.index.progress() == {"node": Progress(None)}
    await second.stop()
    file = tmp_path / "consultation" / "urls.mdb"
    file.write_bytes(file.read_bytes()[: 3 * 4096])
    third = await begin()
    assert (third.index.count, await third.index.progress()) == (0, {})


@ensureDeferred
async def test_nonsense_to_go_on_after_is_the_beginning(begin):
    """Whatever stands in `after`, the answer is a list."""
    index = (await begin()).index
    await index.add("node", Progress(), SITE)
    for after in ("u\xff", "%%%", "u", "ué", "u===", "0" * 64):
        await index.urls("", "prefix", after, 5)
