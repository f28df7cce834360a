"""Links of real pages, compared with what other extractors find: libxml2, lexbor and html5lib.

Both directions count. Where they differ, one rule of the tables below must say why; a difference
that none explains fails the test.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from lxml import html as libxml2

from agents.parsers import Link, Source
from agents.parsers.charset import decode_of
from agents.parsers.html import HtmlParser
from agents.parsers.html_c import FastHtmlParser
from agents.parsers.html_rules import NOTHING, relation
from agents.parsers.srcset import candidates

html5lib = pytest.importorskip("html5lib")
lexbor = pytest.importorskip("selectolax.lexbor")

DOCUMENTATION = Path("/usr/share/doc")
LONGEST = 1_000_000  # bytes of a page; longer ones say the same at length
SAMPLE = 40  # one page in as many is compared each time
MANY = 4  # the same where time matters less: over a thousand pages, of every generator
SLOW = 10  # one page in as many of those is read by html5lib, a hundred times slower
URLS = ("href", "src", "data", "poster", "background", "cite", "longdesc", "action", "lowsrc")


class Reference(NamedTuple):
    """An attribute that refers to something, as another extractor finds it."""

    tag: str
    name: str
    url: str
    attributes: dict[str, str]


Peer = Callable[[str], Iterator[Reference]]


def references(tag: str, attributes: dict[str, str]) -> Iterator[Reference]:
    """Yield what an element refers to."""
    for name in URLS:
        if name in attributes:
            yield Reference(tag, name, attributes[name], attributes)
    for url in candidates(attributes.get("srcset", "")):
        yield Reference(tag, "srcset", url, attributes)


def of_libxml2(text: str) -> Iterator[Reference]:
    """Yield what libxml2 finds."""
    parser = libxml2.HTMLParser(encoding="utf-8", huge_tree=True)
    root = libxml2.document_fromstring(text.encode(), parser=parser)
    for element in root.iter():
        if isinstance(element.tag, str):
            yield from references(element.tag, dict(element.attrib))


def of_lexbor(text: str) -> Iterator[Reference]:
    """Yield what lexbor finds."""
    wanted = ",".join(f"[{name}]" for name in (*URLS, "srcset"))
    for node in lexbor.LexborHTMLParser(text).css(wanted):
        attributes = {name: value or "" for name, value in node.attributes.items()}
        yield from references(node.tag or "", attributes)


def of_html5lib(text: str) -> Iterator[Reference]:
    """Yield what html5lib finds."""
    tree: Any = html5lib.parse(text, treebuilder="lxml", namespaceHTMLElements=False)
    for element in tree.getroot().iter():
        if isinstance(element.tag, str):
            attributes = {str(name): value for name, value in element.attrib.items()}
            yield from references(element.tag.rpartition("}")[2], attributes)


# What others take for a link, and we do not.
NO_LINKS: dict[str, Callable[[Reference], bool]] = {
    "a place in the page itself": lambda one: not one.url.partition("#")[0].strip(),
    "what holds itself what it refers to": lambda one: one.url.strip()[:5].lower() == "data:",
    "a script, which is handed on": lambda one: one.url.strip()[:11].lower() == "javascript:",
    "the base of the links": lambda one: one.tag == "base",
    "an empty frame": lambda one: one.url.strip().lower() == "about:blank",
    "a form that changes something": lambda one: (
        one.name == "action" and one.attributes.get("method", "get").strip().lower() == "post"
    ),
    "a server, not a document of it": lambda one: (
        one.tag == "link" and relation(one.attributes.get("rel", "")) == NOTHING
    ),
}

# Where we look for links, and others do not: elements, and what of them.
ELSEWHERE = {
    "meta": "content",
    "style": "",
    "[style]": "style",
    "param": "value",
    "[data-href]": "data-href",
}


def elsewhere(text: str) -> str:
    """Return what a page has, by lexbor, where only we look for links."""
    page = lexbor.LexborHTMLParser(text)
    found = [
        (node.attributes.get(name) or "") if name else node.text()
        for selector, name in ELSEWHERE.items()
        for node in page.css(selector)
    ]
    comments = re.findall(r"<!--\[if.*?endif\]-->", text, re.DOTALL)
    return "\n".join([*found, *comments])


def pages() -> list[Path]:
    """Return the pages of documentation on this machine, of many generators, each once."""
    found = (path for path in DOCUMENTATION.rglob("*.html") if path.is_file())
    once = {path.resolve(): None for path in found if path.stat().st_size < LONGEST}
    return sorted(once)


def ours(data: bytes, parser: Any = HtmlParser) -> tuple[set[Link], str]:
    """Return the links that we find in a page, and its encoding."""
    parsing = parser(Source())
    found = []
    for start in range(0, len(data), 32768):
        found += parsing.feed(data[start : start + 32768])
    found += parsing.close()
    return {link for link in found if isinstance(link, Link)}, parsing.encoding


def differences(path: Path, peers: Iterable[Peer]) -> list[str]:
    """Return what others find in a page and we do not, and the other way round, unexplained."""
    data = path.read_bytes()
    links, encoding = ours(data)
    text, _ = decode_of(encoding)(data, "replace")
    urls, others = {link.url.strip() for link in links}, elsewhere(text)
    theirs: set[str] = set()
    found = []
    for peer in peers:
        for one in peer(text):
            url = one.url.partition("#")[0].strip()
            theirs.add(url)
            if url not in urls and not any(rule(one) for rule in NO_LINKS.values()):
                found.append(f"{path}: {peer.__name__} has {one.tag} {one.name} {one.url}")
    found += [f"{path}: only we have {url}" for url in urls - theirs if url not in others]
    return found


def compared(paths: list[Path]) -> list[str]:
    """Return the unexplained differences of these pages."""
    found = []
    for number, path in enumerate(paths):
        slow = [of_html5lib] if number % SLOW == 0 else []
        found += differences(path, [of_libxml2, of_lexbor, *slow])
    return found


PAGES = pages()
needs_pages = pytest.mark.skipif(len(PAGES) < 500, reason="needs python3.11-doc")


@needs_pages
@pytest.mark.filterwarnings("ignore::html5lib.constants.DataLossWarning")
def test_a_sample_of_real_pages() -> None:
    """The links of a page are those that three other parsers find."""
    assert compared(PAGES[::SAMPLE]) == []


@needs_pages
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::html5lib.constants.DataLossWarning")
def test_many_real_pages() -> None:
    """The same on very many of them."""
    assert compared(PAGES[1::MANY]) == []


@needs_pages
def test_the_fast_parser_finds_nearly_all() -> None:
    """It misses few links of real pages, and makes up few."""
    counts = {"all": 0, "missed": 0, "made up": 0}
    for path in PAGES[:: SAMPLE // 4]:
        data = path.read_bytes()
        exact = {link.url for link in ours(data)[0]}
        fast = {link.url for link in ours(data, FastHtmlParser)[0]}
        counts["all"] += len(exact)
        counts["missed"] += len(exact - fast)
        counts["made up"] += len(fast - exact)
    assert counts["missed"] < 0.01 * counts["all"]
    assert counts["made up"] < 0.01 * counts["all"]
