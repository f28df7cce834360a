"""Source maps (ECMA-426): the sources that a script or sheet was made of.

Only a developer's tools ask for them, so that they are pages; those that the map holds itself are
nowhere else to be had.
"""

from collections.abc import Iterator
from typing import Any

from agents.parsers.json_document import JsonDocument, objects, text_of
from agents.parsers.link import Found, page
from agents.parsers.parser import Format
from agents.parsers.xml_document import joined


class SourceMapParser(JsonDocument):
    """Parses a map, which mostly comes as any JSON does."""

    format = Format(
        "source-map",
        ("application/source-map+json",),
        beginnings=(b'{"version":3,', b'{"version": 3,'),
        chunked=False,
    )

    @classmethod
    def recognises(cls, value: Any) -> bool:
        """Tell a map by its members."""
        return isinstance(value, dict) and value.get("version") == 3 and "mappings" in value

    def links(self, value: Any) -> Iterator[Found]:
        """Yield the sources that the map does not hold itself."""
        for mapping in objects(value):
            root, held = text_of(mapping, "sourceRoot"), mapping.get("sourcesContent")
            contents = held if isinstance(held, list) else []
            sources = mapping.get("sources")
            for place, source in enumerate(sources if isinstance(sources, list) else ()):
                content = contents[place] if place < len(contents) else None
                if isinstance(source, str) and not isinstance(content, str):
                    yield from _source(root, source) or (None,)


def _source(root: str, source: str) -> tuple[Found, ...]:
    url = joined(root.rstrip("/") + "/" if root else "", source)
    return page(url) if ":" not in url or url.startswith(("http:", "https:")) else ()
