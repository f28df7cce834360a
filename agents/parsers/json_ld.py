"""JSON-LD: what a page says of itself to machines (schema.org), in a script element or a file.

Pictures are what others show for the page, as those of its Open Graph: components. All else that
is named by a URL is a page.
"""

import re
from collections.abc import Iterator
from typing import Any

from agents.parsers.json_document import NODE_LIMIT, JsonDocument, objects, text_of
from agents.parsers.link import Found, component, page
from agents.parsers.parser import Extracts, Format

_PAGES = frozenset(
    ["@id", "url", "contentUrl", "embedUrl", "sameAs", "mainEntityOfPage", "discussionUrl", "item",
     "downloadUrl", "installUrl", "archivedAt", "license", "acquireLicensePage", "relatedLink",
     "significantLink", "isBasedOn", "citation", "hasMap", "target", "urlTemplate", "isPartOf",
     "publishingPrinciples", "tourBookingPage", "menu", "hasMenu", "@import"]
)  # fmt: skip
_PICTURES = frozenset(["image", "logo", "thumbnailUrl", "thumbnail", "photo", "primaryImageOfPage"])
_PLACED = re.compile(r"(?:https?:)?/|\.{1,2}/|[^\s:]+\.[a-z0-9]{2,5}\Z|\?", re.IGNORECASE)
_VOCABULARY = re.compile(r"https?://(?:www\.)?(?:schema\.org|w3\.org|purl\.org)/", re.IGNORECASE)
_TEXTS = frozenset(["headline", "name", "description", "articleBody", "caption", "text"])


class JsonLdParser(JsonDocument):
    """Parses linked data."""

    format = Format(
        "json-ld",
        ("application/ld+json", "application/activity+json"),
        (".jsonld",),
        extracts=Extracts.LINKS | Extracts.LINK_TEXT | Extracts.TEXT,
        chunked=False,
    )

    @classmethod
    def recognises(cls, value: Any) -> bool:
        """Tell linked data by its context."""
        return any("@context" in item for item in objects(value))

    def links(self, value: Any) -> Iterator[Found]:
        """Yield what a value links to."""
        ahead: list[tuple[str, Any, bool, str]] = [("", value, False, "")]
        for _ in range(NODE_LIMIT):
            if not ahead:
                return
            key, value, picture, words = ahead.pop()
            if isinstance(value, list):
                ahead += [(key, item, picture, words) for item in reversed(value)]
            elif isinstance(value, dict):
                words = self.words(text_of(value, "headline", "name", "caption"))
                picture = key in _PICTURES or value.get("@type") == "ImageObject"
                inner = [(name, item, picture, words) for name, item in value.items()]
                ahead += reversed([one for one in inner if one[0] not in ("@context", "@type")])
                yield None
            elif isinstance(value, str):
                yield from self._text(key, value.strip(), picture, words)

    def _text(self, key: str, text: str, picture: bool, words: str) -> Iterator[Found]:
        if (key in _PAGES or key in _PICTURES) and _PLACED.match(text):
            if "{" in text or _VOCABULARY.match(text):
                return
            showing = key in _PICTURES or (picture and key in ("url", "contentUrl"))
            yield from component(text) if showing else page(text, text=words)
        elif self.source.text and key in _TEXTS:
            yield text + "\n"
