"""Links in the strings of scripts."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.parsers import COMPONENT, PAGE, Link
from agents.parsers.javascript import may_link
from agents.parsers.javascript.modules import as_script
from agents.parsers.javascript.static import scan

PAGE_URL = "http://site/folder/page.html"


def links(script: str) -> list[Link]:
    """Return the links of a script."""
    return [found for found in scan(PAGE_URL, script) if isinstance(found, Link)]


def urls(script: str) -> list[str]:
    """Return the URLs of these links."""
    return [link.url for link in links(script)]


COMPONENTS = {
    "x = 'images/a.png'": "images/a.png",
    'x = "/static/app.js"': "/static/app.js",
    "x = '../fonts/a.woff2'": "../fonts/a.woff2",
    "x = `https://cdn.site.org/a/b.css?v=1`": "https://cdn.site.org/a/b.css?v=1",
    r"x = 'https:\/\/site.org\/a.jpg'": "https://site.org/a.jpg",
    r"x = '\x2fimg\u002fa.gif'": "/img/a.gif",
    "import a from './a.js'": "./a.js",
    "import'./effect'": "./effect",
    "export * from '../more'": "../more",
    "const a = await import('/late')": "/late",
    "new Worker(new URL('./work', import.meta.url))": "./work",
    "new Worker('worker')": None,
    "new Worker('jobs/worker.js')": "jobs/worker.js",
    "importScripts('shared.js')": "shared.js",
    "navigator.serviceWorker.register('/sw.js')": "/sw.js",
    "fetch('/api/items?page=1')": "/api/items?page=1",
    "r.open('GET', 'data/list.php')": "data/list.php",
    "$.getJSON('feed.json', done)": "feed.json",
    "img.src = 'pictures/one'": None,
    "img.src = 'one.gif'": "one.gif",
    "s = '<img src=\"shown.gif\">'": "shown.gif",
    "s = \"<div style='background:url(back.png)'>\"": "back.png",
}

PAGES = {
    "location = 'next.html'": "next.html",
    "window.location.href = '/en/'": "/en/",
    "window.open('https://site.org/help')": "https://site.org/help",
    "x = 'http://site.org/a/b'": "http://site.org/a/b",
    "x = '//site.org/a'": "//site.org/a",
    "routes = [{path: '/about'}]": "/about",
    "x = '/blog/2004/'": "/blog/2004/",
    "x = 'list.php?page=2'": "list.php?page=2",
    "s = '<a href=\"led.html\">'": "led.html",
    "a.setAttribute('href', '/docs/intro')": "/docs/intro",
}

NOTHING = [
    "x = 'text/html'",
    "x = 'application/json'",
    "x = 'a/b'",
    "x = 'and/or'",
    "x = '/'",
    "x = './'",
    "x = '//'",
    "x = '1.5'",
    "x = 'Vue.js'",
    "x = 'json.JSONDecodeError.doc'",
    "x = '/img/' + name + '.png'",
    "x = base + 'img/a.png'",
    "x = `/img/${name}.png`",
    "x = ('https:' == p ? 'https://a.site.org' : 'http://b.site.org') + '/x.js'",
    "modules = {'./src/a.js': function () {}}",
    "var a = require('./a.json')",
    "define(['./a.js'], f)",
    "if (path === '/blog/2004/') f()",
    "throw new Error('/see/this/')",
    "x = 'http://www.w3.org/2000/svg'",
    "document.createElementNS('http://www.w3.org/2000/svg', 'svg')",
    "// x = 'images/a.png'",
    "/* x = 'images/a.png' */",
    "x = /'images\\/a.png'/",
    "x = '/user/:id/edit'",
    "x = 'javascript:void(0)'",
    "s = '<a href=\"javascript:void(0)\">'",
    "x = '.png'",
    "x = 'data:image/png;base64,AAAA'",
    "x = 'Hello, world. See a.png'",
    "import vue from 'vue'",
]


@pytest.mark.parametrize("script", COMPONENTS)
def test_components(script: str) -> None:
    """What a browser would fetch is a component, and a requisite."""
    url = COMPONENTS[script]
    assert links(script) == ([Link(url, COMPONENT, True)] if url else [])


@pytest.mark.parametrize("script", PAGES)
def test_pages(script: str) -> None:
    """What a person would go to is a page."""
    assert [(link.url, link.kind) for link in links(script)] == [(PAGES[script], PAGE)]


@pytest.mark.parametrize("script", NOTHING)
def test_nothing(script: str) -> None:
    """Strings that are no URLs, or only a part of one, are no links."""
    assert links(script) == []


def test_streams() -> None:
    """Streaming protocols lead to streams."""
    (link,) = links("player.setup({file: 'rtmp://media.site.org/live'})")
    assert link.stream


def test_strings_are_found_after_regular_expressions_and_templates() -> None:
    """Quotation marks within regular expressions and templates begin no string."""
    script = "a = /['\"]/g; b = `it's ${f({c: '}'})} \" ${`'`}`; d = 4 / 2; e = 'x/y.png'; // '"
    assert urls(script) == ["x/y.png"]


@pytest.mark.parametrize("script", [*COMPONENTS, *PAGES])
def test_may_link_never_says_no_to_a_link(script: str) -> None:
    """Whatever holds a link passes the quick test."""
    assert may_link(script) or not links(script)


def test_may_link_says_no() -> None:
    """A script that only computes needs no engine."""
    for script in ("var a = 1;", "gtag('config', 'G-1');", "dataLayer.push({event: 'x'})", ""):
        assert not may_link(script)


@settings(deadline=None, max_examples=300)
@given(st.text(alphabet="ab/.:?\"'`\\${}[]()<>=+*\n -img.jsrc"))
def test_any_text_is_read(script: str) -> None:
    """Any text gives links that are not empty, and what has links passes the quick test."""
    found = links(script)
    assert all(link.url for link in found)
    assert may_link(script) or not found


HOSTILE = [
    "'", '"\\"', "`\\`", "`${", "/*", "=/[", "=/\\/", "=/(", "}`${{", "\\", "<a ", "'<a ", "<!--",
    "import ", "import{", "import'", "export{a,", "'a'+", "'/a", "'http://a.b/", "x.u=", "\n", " ",
    "'/a/a/a.js'", "'a.js.js", "typeof(", '"a":', "=/", "a.arguments", "'//a.a.a", "('a/", "{}",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("piece", HOSTILE)
@pytest.mark.parametrize("end", ["", "\\", "}`"])
def test_time_is_linear(piece: str, end: str) -> None:
    """A script four times as long takes about four times as long to read, whatever it repeats."""

    def seconds(size: int) -> float:
        script = piece * (size // len(piece)) + end
        started = time.process_time()
        for _ in scan(PAGE_URL, script):
            pass
        may_link(script)
        as_script(script)
        return time.process_time() - started

    once = seconds(5_000)
    assert any(seconds(20_000) < 10 * once + 0.1 for _ in range(3))
