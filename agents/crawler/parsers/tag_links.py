"""What a start tag links to by itself."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from urllib.parse import urljoin

from agents.crawler.parsers import css, html_rules
from agents.crawler.parsers.html_rules import (
    ANY,
    ATTRIBUTES,
    CANDIDATES,
    FRAME,
    PAGE,
    REQUISITE,
    SPECIAL,
    STYLE,
)
from agents.crawler.parsers.link import Link, component, page
from agents.crawler.parsers.srcset import candidates
from agents.crawler.parsers.tags import attributes_of

_REMEMBERED = 8192  # tags; the pages of a site share most of theirs
_LENGTH = 500  # characters of a tag that is remembered

# Most links of the web, quickly: nothing else in the tag means anything.
_ANCHOR = re.compile(
    r"""<a(?:\s++(?:class|id|title|rel|target)="[^"]*+")*+\s++href="([^"\#&]++)(?:\#[^"]*+)?+\""""
    r"""(?:\s++(?:class|id|title|rel|target)="[^"]*+")*+>"""
)

_Attributes = Mapping[str, str]
_Special = Callable[[str, _Attributes], Iterable[Link]]


def links_of(name: str, tag: str) -> Iterable[Link]:
    """Return the links of a start tag.

    Args:
        name: of the element, in lower case.
        tag: the whole tag.
    """
    anchor = _ANCHOR.fullmatch(tag) if name == "a" else None
    if anchor is not None:
        return page(anchor[1])
    return _remembered(name, tag) if len(tag) < _LENGTH else _found(name, tag)


@lru_cache(maxsize=_REMEMBERED)
def _remembered(name: str, tag: str) -> tuple[Link, ...]:
    return tuple(_found(name, tag))


def _found(name: str, tag: str) -> Iterator[Link]:
    attributes = attributes_of(tag)
    for attribute in attributes:
        if attribute in ATTRIBUTES:
            yield from _linking(name, attribute, attributes)


def _linking(tag: str, name: str, attributes: _Attributes) -> Iterable[Link]:
    meanings, value = ATTRIBUTES[name], attributes[name]
    meaning = meanings.get(tag) or meanings.get(ANY)
    if meaning == PAGE:
        kind = attributes.get("type", "")
        feed = kind != "" and html_rules.is_feed(attributes.get("rel", ""), kind)
        return page(value, feed)
    if meaning == REQUISITE:
        return component(value)
    if meaning == STYLE:
        return _components(css.scan(value)) if "(" in value else ()
    if meaning == CANDIDATES:
        return _components(candidates(value))
    if meaning == FRAME:
        blank = value.strip().lower() == "about:blank"
        return () if blank else component(value, requisite=False)
    return _SPECIAL[tag, name](value, attributes) if meaning == SPECIAL else ()


def _link_href(value: str, attributes: _Attributes) -> Iterator[Link]:
    rel = attributes.get("rel", "")
    meaning = html_rules.relation(rel)
    if meaning == REQUISITE:
        yield from component(value)
    elif meaning == PAGE:
        yield from page(value, html_rules.is_feed(rel, attributes.get("type", "")))


def _meta_content(value: str, attributes: _Attributes) -> Iterator[Link]:
    if attributes.get("http-equiv", "").strip().lower() == "refresh":
        yield from component(html_rules.refresh_target(value), requisite=False)
        return
    for name in ("property", "name", "itemprop"):
        if html_rules.is_shown(attributes.get(name, "")):
            yield from component(value)


def _param_value(value: str, attributes: _Attributes) -> Iterator[Link]:
    if html_rules.is_movie(attributes.get("name", "")):
        yield from component(value)


def _from_codebase(url: str, attributes: _Attributes) -> Iterator[Link]:
    if url.strip():
        yield from component(_join(attributes.get("codebase", ""), url.strip()))


def _object_data(value: str, attributes: _Attributes) -> Iterator[Link]:
    yield from _from_codebase(value, attributes)


def _object_classid(value: str, attributes: _Attributes) -> Iterator[Link]:
    scheme, _, name = value.partition(":")
    if scheme.lower() == "java":
        yield from _from_codebase(_class_file(name), attributes)
    elif scheme.lower() != "clsid":
        yield from _from_codebase(value, attributes)


def _applet_code(value: str, attributes: _Attributes) -> Iterator[Link]:
    yield from _from_codebase(_class_file(value), attributes)


def _applet_archive(value: str, attributes: _Attributes) -> Iterator[Link]:
    for url in value.replace(",", " ").split():
        yield from _from_codebase(url, attributes)


_SPECIAL: dict[tuple[str, str], _Special] = {
    ("link", "href"): _link_href,
    ("meta", "content"): _meta_content,
    ("param", "value"): _param_value,
    ("object", "data"): _object_data,
    ("object", "classid"): _object_classid,
    ("object", "code"): _applet_code,
    ("object", "archive"): _applet_archive,
    ("applet", "code"): _applet_code,
    ("applet", "archive"): _applet_archive,
}


def _components(urls: Iterable[str]) -> Iterator[Link]:
    for url in urls:
        yield from component(url)


def _class_file(name: str) -> str:
    name = name.strip()
    if not name or name.endswith((".class", ".ser", ".py")):
        return name
    return name.replace(".", "/") + ".class"


def _join(codebase: str, url: str) -> str:
    """Resolve a URL against a code base that may itself be relative to the document."""
    try:
        return urljoin(codebase.strip(), url)
    except ValueError:
        return url
