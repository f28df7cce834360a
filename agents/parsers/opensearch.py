"""OpenSearch descriptions: the pictures of a search engine, and pages that search.

What a person would type in is unknown, so that URLs with a place for it are left aside.
"""

from collections.abc import Iterable, Mapping

from agents.parsers.link import Found, component, page
from agents.parsers.parser import Extracts, Format
from agents.parsers.xml_document import XmlDocument

_TEXTS = frozenset(["ShortName", "LongName", "Description"])


class OpenSearchParser(XmlDocument):
    """Parses a description."""

    format = Format(
        "opensearch",
        ("application/opensearchdescription+xml",),
        (".osdx",),
        extracts=Extracts.LINKS | Extracts.TEXT,
    )
    roots = frozenset(["OpenSearchDescription"])

    def start(self, name: str, attributes: Mapping[str, str]) -> Iterable[Found]:
        """Return a URL of the engine that asks for nothing."""
        template = attributes.get("template", "") if name == "Url" else ""
        return () if "{" in template else page(self.resolved(template))

    def end(self, name: str, text: str) -> Iterable[Found]:
        """Return the picture, or a text."""
        if name == "Image":
            return component(self.resolved(text))
        if name.rpartition(":")[2] == "SearchForm":
            return page(self.resolved(text))
        return (text.strip() + "\n",) if self.source.text and name in _TEXTS else ()
