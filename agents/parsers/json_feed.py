"""JSON Feed (jsonfeed.org): news as RSS and Atom have them, in JSON."""

from collections.abc import Iterator
from typing import Any

from agents.parsers.json_document import JsonDocument, objects, text_of
from agents.parsers.link import Embedded, Found, component, page
from agents.parsers.parser import Extracts, Format

_PICTURES = ("icon", "favicon", "image", "banner_image", "avatar")


class JsonFeedParser(JsonDocument):
    """Parses a feed."""

    format = Format(
        "json-feed",
        ("application/feed+json",),
        extracts=Extracts.LINKS | Extracts.LINK_TEXT | Extracts.TEXT,
        chunked=False,
    )

    @classmethod
    def recognises(cls, value: Any) -> bool:
        """Tell a feed by its version."""
        return isinstance(value, dict) and "jsonfeed.org/version" in str(value.get("version", ""))

    def links(self, value: Any) -> Iterator[Found]:
        """Yield what a feed links to."""
        for feed in objects(value):
            yield from page(text_of(feed, "home_page_url"), text=self.words(feed.get("title")))
            for key in ("feed_url", "next_url"):
                yield from page(text_of(feed, key), feed=True)
            yield from self._shown(feed)
            for item in objects(feed.get("items")):
                yield from self._item(item)

    def _item(self, item: dict[str, Any]) -> Iterator[Found]:
        words = self.words(item.get("title"))
        for key in ("url", "external_url"):
            yield from page(text_of(item, key), text=words)
        for attachment in objects(item.get("attachments")):
            yield from page(text_of(attachment, "url"), text=self.words(attachment.get("title")))
        yield from self._shown(item)
        if text_of(item, "content_html"):
            yield Embedded("text/html", item["content_html"])
        if self.source.text:
            yield from (item[key] + "\n" for key in ("title", "content_text") if text_of(item, key))
        yield None

    def _shown(self, holder: dict[str, Any]) -> Iterator[Found]:
        """Yield the pictures of a feed or an item, and what is told of its authors."""
        for key in _PICTURES:
            yield from component(text_of(holder, key))
        for author in (*objects(holder.get("author")), *objects(holder.get("authors"))):
            yield from page(text_of(author, "url"), text=self.words(author.get("name")))
            yield from component(text_of(author, "avatar"))
