"""The target of the HTML tokenizer: takes tags and text, keeps links."""

import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import urljoin

from lxml import etree

from agents.crawler.parsers import css, html_rules
from agents.crawler.parsers.html_rules import (
    ANY,
    ATTRIBUTES,
    CANDIDATES,
    FRAME,
    PAGE,
    REQUISITE,
    STYLE,
)
from agents.crawler.parsers.link import Links
from agents.crawler.parsers.srcset import candidates

RAW_LIMIT = 4 * 1024 * 1024  # characters of one style element, comment or inner document
_CONDITIONAL = re.compile(r"\s*\[if\s[^\]]*\]>(.*)<!\[endif\]\s*", re.IGNORECASE | re.DOTALL)
_XML_STYLESHEET = re.compile(r"""\??xml-stylesheet\s[^>]*?href\s*=\s*["']([^"']+)""")
_RAW_ELEMENTS = frozenset(["style", "noframes"])
_Attributes = Mapping[str, str]


def tokenizer(target: Any) -> etree.HTMLParser:
    """Return a tokenizer that takes UTF-8 and calls a target."""
    return etree.HTMLParser(target=target, encoding="utf-8", huge_tree=True)


def finish(parser: etree.HTMLParser, target: "Target") -> None:
    """End a document."""
    with suppress(etree.LxmlError):  # an empty document; recovery leaves nothing else to raise
        parser.close()
    target.end_raw()


class Target:
    """Takes elements from the tokenizer, and keeps their links.

    Its methods are called for every tag and text of a page: they do as little as they can.
    """

    def __init__(self, links: Links, inner: bool = False) -> None:
        self.links = links
        self.base = ""
        self.truncated = False
        self._inner = inner  # within another document: an inner document has none of its own
        self._raw: list[str] | None = None
        self._raw_tag = ""
        self._raw_size = 0

    def start(self, tag: str, attributes: _Attributes) -> None:
        """Take a start tag; names are in lower case."""
        if self._raw is not None:
            self.end_raw()
        for name in attributes:
            if name in ATTRIBUTES:
                self._linking(tag, name, attributes)
        if tag in _RAW_ELEMENTS:
            self._raw, self._raw_tag, self._raw_size = [], tag, 0

    def data(self, text: str) -> None:
        """Take text; only that of a few elements matters."""
        if self._raw is not None and self._raw_size <= RAW_LIMIT:
            self._raw.append(text)
            self._raw_size += len(text)

    def comment(self, text: str) -> None:
        """Take a comment; old pages hide elements for one browser in conditional comments."""
        found = _CONDITIONAL.fullmatch(text)
        if found is not None:
            self._inner_document(found[1])
        sheet = _XML_STYLESHEET.match(text)
        if sheet is not None:
            self.links.component(sheet[1])

    def pi(self, target: str, data: str | None = None) -> None:
        """Take a processing instruction, as XHTML has."""
        self.comment(f"{target} {data or ''}")

    def close(self) -> None:
        """Take the end of the document."""

    def end_raw(self) -> None:
        """Take the end of an element whose text is not HTML of this document."""
        if self._raw is None:
            return
        text, self._raw = "".join(self._raw), None
        if self._raw_tag == "style":
            self._style(text)
        else:
            self._inner_document(text)

    def _linking(self, tag: str, name: str, attributes: _Attributes) -> None:
        meanings, value = ATTRIBUTES[name], attributes[name]
        meaning = meanings.get(tag) or meanings.get(ANY)
        if meaning == PAGE:
            if value[:1] != "#":  # a part of the page itself, as most links of a manual are
                kind = attributes.get("type", "")
                feed = kind != "" and html_rules.is_feed(attributes.get("rel", ""), kind)
                self.links.page(value, feed)
        elif meaning == REQUISITE:
            self.links.component(value)
        elif meaning == STYLE:
            if "(" in value:
                self._style(value)
        elif meaning == CANDIDATES:
            for url in candidates(value):
                self.links.component(url)
        elif meaning == FRAME:
            if value.strip().lower() != "about:blank":
                self.links.component(value, requisite=False)
        elif meaning:
            getattr(self, f"_{tag}_{name}")(value, attributes)

    def _style(self, text: str) -> None:
        for url in css.scan(self._bounded(text)):
            self.links.component(url)

    def _bounded(self, text: str) -> str:
        if len(text) > RAW_LIMIT:
            self.truncated = True
        return text[:RAW_LIMIT]

    def _inner_document(self, text: str) -> None:
        if self._inner:
            return
        inner = Target(self.links, inner=True)
        inner.base = self.base
        parser = tokenizer(inner)
        parser.feed(self._bounded(text).encode("utf-8", "replace"))
        finish(parser, inner)

    def _base_href(self, value: str, attributes: _Attributes) -> None:
        self.base = self.base or value.strip()

    def _link_href(self, value: str, attributes: _Attributes) -> None:
        rel = attributes.get("rel", "")
        meaning = html_rules.relation(rel)
        if meaning == REQUISITE:
            self.links.component(value)
        elif meaning == PAGE:
            self.links.page(value, html_rules.is_feed(rel, attributes.get("type", "")))

    def _meta_content(self, value: str, attributes: _Attributes) -> None:
        if attributes.get("http-equiv", "").strip().lower() == "refresh":
            self.links.component(html_rules.refresh_target(value), requisite=False)
            return
        for name in ("property", "name", "itemprop"):
            if html_rules.is_shown(attributes.get(name, "")):
                self.links.component(value)

    def _iframe_srcdoc(self, value: str, attributes: _Attributes) -> None:
        self._inner_document(value)

    def _param_value(self, value: str, attributes: _Attributes) -> None:
        if html_rules.is_movie(attributes.get("name", "")):
            self.links.component(value)

    def _from_codebase(self, url: str, attributes: _Attributes) -> None:
        if url.strip():
            self.links.component(_join(attributes.get("codebase", ""), url.strip()))

    def _object_data(self, value: str, attributes: _Attributes) -> None:
        self._from_codebase(value, attributes)

    def _object_classid(self, value: str, attributes: _Attributes) -> None:
        scheme, _, name = value.partition(":")
        if scheme.lower() == "java":
            self._from_codebase(_class_file(name), attributes)
        elif scheme.lower() != "clsid":
            self._from_codebase(value, attributes)

    def _applet_code(self, value: str, attributes: _Attributes) -> None:
        self._from_codebase(_class_file(value), attributes)

    _object_code = _applet_code

    def _applet_archive(self, value: str, attributes: _Attributes) -> None:
        for url in value.replace(",", " ").split():
            self._from_codebase(url, attributes)

    _object_archive = _applet_archive


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
