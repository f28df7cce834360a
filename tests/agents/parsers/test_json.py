"""JSON, and the formats made of it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.parsers import Source
from agents.parsers.json import JsonParser, links_of
from agents.parsers.json_document import JsonDocument, decoded, texts

API = {
    "id": 7,
    "link": "https://example.org/post",
    "guid": {"rendered": "https://example.org/?p=7"},
    "content": {"rendered": '<p>Hello <a href="/x">x</a></p>'},
    "title": "not/a/link, or https://example.org/in words",
    "path": "/wp/v2/posts",
    "href": "/relative/page",
    "next_url": "page2.html",
    "featured_image": "/img/1.jpg",
    "media": ["https://cdn.example.org/a.PNG?w=1", "//cdn.example.org/film.mp4", "/b/c.pdf"],
    "$schema": "http://json-schema.org/draft-07/schema#",
    "css": "a{}",
    "empty": ["", "/", "//", None, True, 1.5],
}
MANIFEST = {
    "name": "App", "short_name": "A", "start_url": "/?source=pwa", "scope": "/app/",
    "icons": [{"src": "i/192.png", "sizes": "192x192"}, {"src": "data:image/png;base64,A"}],
    "screenshots": [{"src": "s.png"}],
    "shortcuts": [{"name": "New", "url": "/new", "icons": [{"src": "n.png"}]}],
    "related_applications": [{"platform": "play", "url": "https://play.example/x", "id": "x"}],
    "serviceworker": {"src": "sw.js"},
}  # fmt: skip
LINKED = {
    "@context": "https://schema.org",
    "@graph": [
        {"@type": "NewsArticle", "@id": "https://example.org/1#article", "headline": "News",
         "url": "/1", "image": ["https://cdn.example.org/1.jpg", {"@type": "ImageObject",
         "url": "https://cdn.example.org/2.jpg", "license": "/license"}],
         "articleBody": "All of it", "thumbnailUrl": "t.jpg",
         "author": {"@type": "Person", "name": "Anna", "sameAs": ["https://social.example/a"]},
         "publisher": {"logo": {"@type": "ImageObject", "url": "logo.png"}},
         "video": {"contentUrl": "/v.mp4", "embedUrl": "https://player.example/1"},
         "offers": {"availability": "https://schema.org/InStock", "url": "https://schema.org/X"},
         "potentialAction": {"target": {"urlTemplate": "https://example.org/?s={q}"}}},
        {"@type": "BreadcrumbList", "itemListElement": [{"item": "https://example.org/cat"}]},
    ],
}  # fmt: skip
FEED = {
    "version": "https://jsonfeed.org/version/1.1", "title": "Blog",
    "home_page_url": "https://example.org/", "feed_url": "https://example.org/feed.json",
    "next_url": "https://example.org/feed.json?2", "icon": "icon.png",
    "items": [{"id": "1", "url": "/1", "title": "One", "content_html": "<p>x</p>",
               "image": "1.jpg", "authors": [{"name": "Anna", "url": "/anna", "avatar": "a.png"}],
               "attachments": [{"url": "1.mp3", "mime_type": "audio/mpeg"}]},
              {"id": "2", "external_url": "https://other.example/", "content_text": "Words"}],
}  # fmt: skip
IMPORTS = {
    "imports": {"app": "/js/app.js", "lib/": "/js/lib/", "three": "https://cdn.example/t.js",
                "bare": "other", "blocked": None, "near": "./near.mjs"},
    "scopes": {"/old/": {"app": "/js/old.js"}},
}  # fmt: skip
SOURCES = {
    "version": 3, "sourceRoot": "/src", "sources": ["a.ts", "../b.ts", "c.ts", "webpack://x/d"],
    "sourcesContent": [None, None, "let c"], "mappings": "AAAA",
}  # fmt: skip


def test_any_json(read) -> None:
    """Absolute URLs and those under telling keys are links, a guess never leaves the site."""
    found = read("json", json.dumps(API))
    assert found.pages == [
        "https://example.org/post", "https://example.org/?p=7", "/relative/page", "page2.html",
        "//cdn.example.org/film.mp4", "/b/c.pdf",
    ]  # fmt: skip
    assert found.components == ["/img/1.jpg", "https://cdn.example.org/a.PNG?w=1"]
    assert not any(link.requisite for link in found.links)
    assert found.embedded == [API["content"]["rendered"]]  # type: ignore[index]


@pytest.mark.parametrize(
    ("key", "kind"),
    [
        ("url", "page"), ("pageUrl", "page"), ("download-links", "page"), ("HREF", None),
        ("curl", None), ("blink", None), ("title", None), ("self", "page"), ("image", "component"),
        ("heroImage", "component"), ("image_url", "component"), ("iconUrls", "component"),
        ("discovery", None), ("source", None), ("imagery", None), ("og:image", "component"),
    ],
)  # fmt: skip
def test_keys(key: str, kind: str | None) -> None:
    """A path without a name of a file is a link only under a key that says so."""
    assert [link.kind for link in links_of(key, "/some/path")] == ([kind] if kind else [])


@pytest.mark.parametrize("name", ["web-manifest", "json"])
def test_web_manifest(read, name: str) -> None:
    """Pictures are components, places to start are pages."""
    found = read(name, json.dumps(MANIFEST))
    assert found.pages == ["/?source=pwa", "/app/", "/new", "https://play.example/x"]
    assert found.components == ["i/192.png", "s.png", "n.png", "sw.js"]
    assert found.texts["/new"] == "New"


@pytest.mark.parametrize("name", ["json-ld", "json"])
def test_json_ld(read, name: str) -> None:
    """Pictures are components, all else is pages, and the vocabulary is neither."""
    found = read(name, json.dumps(LINKED))
    assert found.pages == [
        "https://example.org/1", "/1", "/license", "https://social.example/a", "/v.mp4",
        "https://player.example/1", "https://example.org/cat",
    ]  # fmt: skip
    assert found.components == [
        "https://cdn.example.org/1.jpg", "https://cdn.example.org/2.jpg", "t.jpg", "logo.png",
    ]  # fmt: skip
    assert found.texts["/1"] == "News"
    assert found.text == "News\nAll of it\nAnna\n"


@pytest.mark.parametrize("name", ["json-feed", "json"])
def test_json_feed(read, name: str) -> None:
    """Items, attachments, authors, and HTML within."""
    found = read(name, json.dumps(FEED))
    assert found.pages == [
        "https://example.org/", "https://example.org/feed.json", "https://example.org/feed.json?2",
        "/1", "1.mp3", "/anna", "https://other.example/",
    ]  # fmt: skip
    assert found.components == ["icon.png", "1.jpg", "a.png"]
    assert [link.url for link in found.links if link.feed] == [FEED["feed_url"], FEED["next_url"]]
    assert found.embedded == ["<p>x</p>"]
    assert found.text == "One\nWords\n"


@pytest.mark.parametrize("name", ["import-map", "json"])
def test_import_map(read, name: str) -> None:
    """Modules are components; prefixes, bare names and blocked ones lead nowhere."""
    assert read(name, json.dumps(IMPORTS)).components == [
        "/js/app.js", "https://cdn.example/t.js", "./near.mjs", "/js/old.js",
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["source-map", "json"])
def test_source_map(read, name: str) -> None:
    """Sources that the map does not hold are pages."""
    assert read(name, json.dumps(SOURCES)).pages == ["/src/a.ts", "/b.ts"]


def test_guards(read) -> None:
    """What keeps scripts of other sites from reading a value does not keep us."""
    for before in ("", "\ufeff", ")]}',\n", "while(1);", " for(;;); "):
        assert read("json", before + '{"url": "/a/"}').pages == ["/a/"]


@pytest.mark.parametrize(
    "hostile",
    [b"[" * 100_000, b'{"a":' * 100_000, b"[" * 500 + b"]" * 500, b'"\\ud800"', b"\xff\xfe", b"",
     b"[1e999]", b'{"url": ' + b"9" * 5000 + b"}", b"null", b'{"@context": {"@context": []}}',
     b'{"version": 3, "mappings": 1, "sources": {"a": 1}, "sourcesContent": 4, "sourceRoot": []}',
     b'{"icons": {"src": ["a"]}, "display": 1, "shortcuts": [[{"icons": 7}]], "start_url": {}}',
     b'{"imports": {"a": ["/b"]}, "scopes": [1]}', b'{"imports": 5, "scopes": {"a": "/b"}}',
     b'{"version": "https://jsonfeed.org/version/1", "items": {"author": 3, "content_html": 4}}'],
)  # fmt: skip
def test_hostile_values(read, hostile: bytes) -> None:
    """Values of other shapes than a format says, and what is no JSON, give nothing."""
    for name in ("json", "json-ld", "json-feed", "web-manifest", "import-map", "source-map"):
        assert not read(name, hostile).links


def test_what_is_too_long_is_told(read) -> None:
    """A document over the limit is not read, and that is told."""
    parser = JsonParser(Source())
    for _ in range(JsonDocument.limit // 10_000 + 1):
        assert not list(parser.feed(b" " * 10_000))
    assert not list(parser.close())
    assert parser.truncated


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner),
)


@given(VALUES)
def test_all_strings_are_found(value) -> None:
    """Each string of a value is told once, in order."""

    def walk(inner) -> list[str]:
        if isinstance(inner, dict):
            inner = list(inner.values())
        if isinstance(inner, list):
            return [text for item in inner for text in walk(item)]
        return [inner] if isinstance(inner, str) else []

    assert [found[1] for found in texts(value) if found] == walk(value)
    assert decoded(json.dumps(value).encode()) == value
