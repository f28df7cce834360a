"""Names of XML elements and attributes in short, whatever prefix a document chose.

An element of the root's own namespace, or of none, is told by its local name (`feed`, `loc`); one
of a namespace of the table with the prefix that is usual for it (`media:content`); any other as it
is written.
"""

from collections.abc import Mapping
from typing import Final

USUAL: Final = {
    "http://www.w3.org/2005/atom": "atom",
    "http://purl.org/atom/ns#": "atom",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#": "rdf",
    "http://purl.org/rss/1.0/modules/content/": "content",
    "http://purl.org/dc/elements/1.1/": "dc",
    "http://search.yahoo.com/mrss/": "media",
    "http://search.yahoo.com/mrss": "media",
    "http://www.itunes.com/dtds/podcast-1.0.dtd": "itunes",
    "https://podcastindex.org/namespace/1.0": "podcast",
    "http://www.google.com/schemas/sitemap-image/1.1": "image",
    "http://www.google.com/schemas/sitemap-video/1.1": "video",
    "http://www.google.com/schemas/sitemap-news/0.9": "news",
    "http://www.w3.org/1999/xhtml": "xhtml",
    "http://www.w3.org/2000/svg": "svg",
    "http://www.w3.org/1999/xlink": "xlink",
    "http://www.w3.org/2001/xinclude": "xi",
    "http://www.w3.org/1999/xsl/transform": "xsl",
    "http://backend.userland.com/creativecommonsrssmodule": "cc",
}
PREFIX_LIMIT = 200  # prefixes in force; more are taken as written
NAME_LIMIT = 1000  # names that are remembered


class Names:
    """Follows the declarations of namespaces through a document."""

    def __init__(self) -> None:
        self._prefixes: dict[str, str] = {}  # by the prefix as written
        self._known: dict[str, str] = {}  # short names, under these prefixes
        self._root = ""  # namespace of the root
        self._shadowed: list[dict[str, str] | None] = []  # for each open element

    def opened(self, name: str, attributes: Mapping[str, str]) -> tuple[str, dict[str, str]]:
        """Return the short names of an element and its attributes."""
        declared = self._declared(attributes) if attributes else None
        self._shadowed.append(self._prefixes if declared else None)
        if declared:
            self._change(self._prefixes | declared)
        if len(self._shadowed) == 1:
            self._root = self._prefixes.get(name.rpartition(":")[0], "")
            self._change(self._prefixes)
        short = {self._attribute(key): value for key, value in attributes.items()}
        known = self._known.get(name)
        if known is None:
            known = self._element(name)
            if len(self._known) < NAME_LIMIT:
                self._known[name] = known
        return known, short

    def closed(self) -> None:
        """Forget what the innermost element declared."""
        shadowed = self._shadowed.pop()
        if shadowed is not None:
            self._change(shadowed)

    def _change(self, prefixes: dict[str, str]) -> None:
        self._prefixes, self._known = prefixes, {}

    def _declared(self, attributes: Mapping[str, str]) -> dict[str, str]:
        found: dict[str, str] = {}
        for key, value in attributes.items():
            if key[:5] == "xmlns" and len(found) + len(self._prefixes) < PREFIX_LIMIT:
                found[key[6:]] = value.strip().lower()
        return found

    def _element(self, name: str) -> str:
        prefix, _, local = name.rpartition(":")
        namespace = self._prefixes.get(prefix)
        if namespace is None or namespace == self._root:
            return name if namespace is None else local
        usual = USUAL.get(namespace, prefix)
        return f"{usual}:{local}" if usual else local

    def _attribute(self, key: str) -> str:
        prefix, _, local = key.rpartition(":")
        usual = USUAL.get(self._prefixes.get(prefix, "")) if prefix else None
        return f"{usual}:{local}" if usual else key
