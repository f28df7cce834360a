"""What a start tag links to by itself."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from urllib.parse import unquote, urljoin

from agents.parsers import css, html_rules
from agents.parsers.html_guesses import is_media, is_place, is_url, media_of_variables
from agents.parsers.html_rules import (
    ANY,
    ATTRIBUTES,
    CANDIDATES,
    FRAME,
    LAZY,
    LED,
    NOTHING,
    PAGE,
    REQUISITE,
    SPECIAL,
    STYLE,
)
from agents.parsers.html_scripts import JAVASCRIPT
from agents.parsers.link import Embedded, Link, component, page
from agents.parsers.srcset import candidates
from agents.parsers.tags import attributes_of

_REMEMBERED = 8192  # tags; the pages of a site share most of theirs
_LENGTH = 500  # characters of a tag that is remembered

_SCRIPT_LIMIT = 64 * 1024  # characters of a script in an attribute
_BLANKS = re.compile(r"[\t\n\r]")  # are dropped from URLs
_SCRIPT_URL = re.compile(
    r"[\x00-\x20]*+" + r"[\t\n\r]*+".join("javascript") + r"[\t\n\r]*+:", re.IGNORECASE
)

_Attributes = Mapping[str, str]
_Special = Callable[[str, _Attributes], Iterable[Link]]


def links_of(name: str, tag: str) -> Iterable[Link | Embedded]:
    """Return the links of a start tag, and the scripts in its attributes.

    Args:
        name: of the element, in lower case.
        tag: the whole tag.
    """
    return _remembered(name, tag) if len(tag) < _LENGTH else _found(name, tag)


@lru_cache(maxsize=_REMEMBERED)
def _remembered(name: str, tag: str) -> tuple[Link | Embedded, ...]:
    return tuple(_found(name, tag))


def _found(name: str, tag: str) -> Iterator[Link | Embedded]:
    attributes = attributes_of(tag)
    for attribute, value in attributes.items():
        if attribute in ATTRIBUTES:
            script = _SCRIPT_URL.match(value)
            if script is None:
                yield from _linking(name, attribute, attributes)
            else:
                yield from scripts(_unquoted(value[script.end() :]))
        elif attribute.startswith("on"):
            yield from scripts(value)
        elif attribute.startswith("data-") and is_media(value):
            yield from component(value)


def scripts(code: str) -> Iterator[Embedded]:
    """Yield a script, unless it is empty or too long."""
    if len(code) < _SCRIPT_LIMIT and not code.isspace() and code:
        yield Embedded(JAVASCRIPT, code)


def _unquoted(url: str) -> str:
    """Return the script of a `javascript:` URL."""
    return unquote(_BLANKS.sub("", url)) if "%" in url else url


def _linking(tag: str, name: str, attributes: _Attributes) -> Iterable[Link]:
    """Return the links of one attribute."""
    value, meanings = attributes[name], ATTRIBUTES[name]
    meaning = meanings.get(tag) or meanings.get(ANY, NOTHING)
    return _READERS[meaning](value, tag, name, attributes)


def _page(value: str, _tag: str, _name: str, attributes: _Attributes) -> Iterable[Link]:
    kind = attributes.get("type", "")
    return page(value, kind != "" and html_rules.is_feed(attributes.get("rel", ""), kind))


def _requisite(value: str, *_: object) -> Iterable[Link]:
    return component(value)


def _frame(value: str, *_: object) -> Iterable[Link]:
    blank = value.strip().lower() == "about:blank"
    return () if blank else component(value, requisite=False)


def _candidates(value: str, *_: object) -> Iterable[Link]:
    return _components(candidates(value))


def _style(value: str, *_: object) -> Iterable[Link]:
    return _components(css.scan(value)) if "(" in value else ()


def _lazy(value: str, *_: object) -> Iterable[Link]:
    if "url(" in value:
        return _components(css.scan(value))
    return component(value) if is_url(value) else ()


def _led(value: str, *_: object) -> Iterable[Link]:
    return page(value) if is_url(value) else ()


def _special(value: str, tag: str, name: str, attributes: _Attributes) -> Iterable[Link]:
    return _SPECIAL[tag, name](value, attributes)


def _nothing(*_: object) -> Iterable[Link]:
    return ()


_READERS: dict[int, Callable[[str, str, str, _Attributes], Iterable[Link]]] = {
    PAGE: _page,
    REQUISITE: _requisite,
    FRAME: _frame,
    CANDIDATES: _candidates,
    STYLE: _style,
    LAZY: _lazy,
    LED: _led,
    SPECIAL: _special,
    NOTHING: _nothing,
}


def _link_href(value: str, attributes: _Attributes) -> Iterator[Link]:
    rel = attributes.get("rel", "")
    meaning = html_rules.relation(rel)
    if meaning == REQUISITE or html_rules.is_shown(attributes.get("itemprop", "")):
        yield from component(value)
    elif meaning == FRAME:
        yield from component(value, requisite=False)
    elif meaning == PAGE:
        yield from page(value, html_rules.is_feed(rel, attributes.get("type", "")))


def _meta_content(value: str, attributes: _Attributes) -> Iterator[Link]:
    if attributes.get("http-equiv", "").strip().lower() == "refresh":
        yield from component(html_rules.refresh_target(value), requisite=False)
        return
    for name in ("property", "name", "itemprop"):
        if html_rules.is_shown(attributes.get(name, "")):
            yield from component(value)
        elif html_rules.is_led_to(attributes.get(name, "")):
            yield from _led(value)


def _param_value(value: str, attributes: _Attributes) -> Iterator[Link]:
    name = attributes.get("name", "").strip().lower()
    if name == "flashvars":
        yield from _flash_variables(value, attributes)
    elif html_rules.is_movie(name):
        yield from component(value)


def _flash_variables(value: str, _attributes: _Attributes) -> Iterator[Link]:
    yield from _components(media_of_variables(value))


def _option_value(value: str, _attributes: _Attributes) -> Iterable[Link]:
    """Follow the choices of menus to jump by."""
    return page(value.strip()) if is_place(value.strip()) else ()


def _form_action(value: str, attributes: _Attributes) -> Iterator[Link]:
    """Follow a form that asks, as one that is sent empty; never one that tells."""
    if attributes.get("method", "get").strip().lower() not in ("post", "dialog"):
        yield from page(value)


def _button_action(value: str, attributes: _Attributes) -> Iterator[Link]:
    """Follow it only if it says itself that it asks; else its form decides, which is elsewhere."""
    if attributes.get("formmethod", "").strip().lower() == "get":
        yield from page(value)


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
    ("option", "value"): _option_value,
    ("form", "action"): _form_action,
    ("button", "formaction"): _button_action,
    ("input", "formaction"): _button_action,
    ("embed", "flashvars"): _flash_variables,
    ("object", "flashvars"): _flash_variables,
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
