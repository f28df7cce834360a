"""What is read of feeds, however they are written."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents import urls
from agents.feeds.document import ENTRIES_LIMIT, TEXT_LIMIT, Feed
from agents.feeds.errors import NotAFeed
from agents.feeds.reader import read
from tests.agents.feeds.samples import ALL, ATOM_10, JSON_11, PAGES, RSS_091, RSS_10, RSS_20

URL = "https://example.org/feed"
MORNING = 1795168800.0  # 2026-11-20T10:00:00Z


def pages(feed: Feed) -> list[str | None]:
    """Return the pages that entries lead to."""
    return [urls.canonical(entry.url, entry.base) for entry in feed.entries]


@pytest.mark.parametrize("form", ALL)
def test_every_form_of_feed_leads_to_its_pages(form: str) -> None:
    """Feeds of all versions, damaged ones too, give title, link and the pages of entries."""
    feed = read(ALL[form], URL)
    assert (feed.title, feed.link) == ("News", "https://example.org/")
    assert pages(feed) == PAGES
    assert len({entry.id for entry in feed.entries}) == 2


def test_entities_of_html_and_bare_ampersands_are_mended() -> None:
    """They damage neither the words around them nor the ampersands after them."""
    body = b"<rss><channel><title>a&nbsp;&eacute;&amp;b &c&unknown; &lt;</title><![CDATA[&]]>"
    assert read(body, URL).title == "a \xe9&b &c&unknown; <"


def test_the_wishes_of_publishers_are_read() -> None:
    """ttl, sy:updatePeriod, skipHours and skipDays say when to stay away."""
    assert read(RSS_20, URL).hint == 3600.0
    assert read(RSS_10, URL).hint == 1800.0
    feed = read(RSS_091, URL)
    assert (feed.skip_hours, feed.skip_days) == (1 | 1 << 7, 1 << 6)


@pytest.mark.parametrize("body", [RSS_20, ATOM_10, JSON_11])
def test_hubs_are_read(body: bytes) -> None:
    """A feed names its WebSub hub and itself."""
    feed = read(body, URL)
    assert (feed.hubs, feed.self_url) == (("https://hub.example/",), URL)


def test_dates_of_entries_are_read() -> None:
    """Dates of RFC 822 and of ISO 8601 are moments; others are none."""
    assert read(RSS_20, URL).entries[0].published == MORNING
    assert read(ATOM_10, URL).entries[0].published == MORNING
    assert read(RSS_10, URL).entries[0].published == MORNING - 3600
    assert read(RSS_20.replace(b"Fri, 20 Nov 2026", b"soon"), URL).entries[0].published is None


def test_a_change_of_text_or_date_makes_another_version() -> None:
    """An entry without a date of change changes with its text, one with it by that only."""
    before = read(RSS_20, URL).entries[0]
    after = read(RSS_20.replace(b"Text", b"Other"), URL).entries[0]
    assert before.id == after.id
    assert before.version != after.version
    same = read(ATOM_10.replace(b"<id>tag:1", b"<summary>Views: 7</summary><id>tag:1"), URL)
    assert same.entries[0].version == read(ATOM_10, URL).entries[0].version


def test_entities_are_never_expanded() -> None:
    """Neither a bomb of entities nor a file of this machine gets into a feed."""
    body = (
        b'<!DOCTYPE rss [<!ENTITY a "xxxxxxxxxx"><!ENTITY b "&a;&a;&a;&a;&a;&a;">'
        b'<!ENTITY c SYSTEM "file:///etc/passwd">]>'
        b"<rss><channel><title>T&b;&c;</title></channel></rss>"
    )
    assert read(body, URL).title == "T"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b'{"a": 1}',
        b"<html><body>404</body></html>",
        b"\x00\x01",
        b"text",
        b"<rdf><",
    ],
)
def test_what_is_no_feed_is_refused_in_words(body: bytes) -> None:
    """A page of an error, or nothing at all, is no feed without entries."""
    with pytest.raises(NotAFeed):
        read(body, URL)


def test_entries_and_texts_are_bounded() -> None:
    """A feed without end is read up to a limit."""
    item = "<item><title>" + "x" * 10 * TEXT_LIMIT + "</title><link>http://e.org/{}</link></item>"
    text = "".join(item.format(number) for number in range(ENTRIES_LIMIT + 5))
    feed = read(f"<rss><channel>{text}</channel></rss>".encode(), URL)
    assert len(feed.entries) == ENTRIES_LIMIT
    assert max(len(entry.title) for entry in feed.entries) == TEXT_LIMIT
    items = json.dumps({"version": "jsonfeed.org/version/1", "items": [{"id": "x" * 9999}] * 999})
    feed = read(items.encode(), URL)
    assert len(feed.entries) == ENTRIES_LIMIT
    assert len(feed.entries[0].id) == TEXT_LIMIT


@given(st.sampled_from(list(ALL)), st.data())
def test_damage_anywhere_gives_a_feed_or_is_refused(form: str, data: st.DataObject) -> None:
    """Bytes cut out or put in anywhere raise nothing but NotAFeed, and limits hold."""
    body = ALL[form]
    begin = data.draw(st.integers(0, len(body)))
    end = data.draw(st.integers(begin, len(body)))
    try:
        feed = read(body[:begin] + data.draw(st.binary(max_size=20)) + body[end:], URL)
    except NotAFeed:
        return
    assert len(feed.entries) <= ENTRIES_LIMIT
    for entry in feed.entries:
        assert entry.id
        assert max(map(len, (entry.id, entry.url, entry.title))) <= TEXT_LIMIT
    pages(feed)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=10,
    ),
    st.sampled_from(["items", "hubs", "title", "home_page_url", "feed_url"]),
)
def test_json_of_any_shape_is_read(value: object, key: str) -> None:
    """Values of wrong types are passed over."""
    document = {"version": "https://jsonfeed.org/version/1.1", "items": [value], key: value}
    try:
        read(json.dumps(document).encode(), URL)
    except NotAFeed as error:
        assert "JSON" in str(error)  # NaN is none


def test_sections_that_never_end_take_no_time() -> None:
    """Each byte of a damaged feed is looked at once, however many of them begin there."""
    body = b"<rss><channel><title>x</title>" + b"<![CDATA[" * 100_000
    assert read(body, URL).entries == ()
