"""Web app manifests (W3C): the pictures and pages of a site that is installed as a program."""

from collections.abc import Iterator
from typing import Any

from agents.parsers.json_document import JsonDocument, objects, text_of
from agents.parsers.link import Found, component, page
from agents.parsers.parser import Extracts, Format

_TELLING = frozenset(["start_url", "short_name", "display", "theme_color", "background_color"])


class WebManifestParser(JsonDocument):
    """Parses a manifest."""

    format = Format(
        "web-manifest",
        ("application/manifest+json",),
        (".webmanifest",),
        extracts=Extracts.LINKS | Extracts.LINK_TEXT,
        chunked=False,
    )

    @classmethod
    def recognises(cls, value: Any) -> bool:
        """Tell a manifest by members that nothing else has together."""
        return isinstance(value, dict) and "icons" in value and bool(_TELLING & value.keys())

    def links(self, value: Any) -> Iterator[Found]:
        """Yield what a manifest links to."""
        for manifest in objects(value):
            for key in ("start_url", "scope"):
                yield from page(text_of(manifest, key), text=self.words(manifest.get("name")))
            for key in ("icons", "screenshots"):
                yield from _pictures(manifest.get(key))
            for shortcut in objects(manifest.get("shortcuts")):
                yield from page(text_of(shortcut, "url"), text=self.words(shortcut.get("name")))
                yield from _pictures(shortcut.get("icons"))
            for key in ("related_applications", "note_taking", "widgets"):
                for other in objects(manifest.get(key)):
                    yield from page(text_of(other, "url", "new_note_url"))
            for worker in objects(manifest.get("serviceworker")):
                yield from component(text_of(worker, "src"))


def _pictures(icons: Any) -> Iterator[Found]:
    for icon in objects(icons):
        yield from component(text_of(icon, "src")) or (None,)
