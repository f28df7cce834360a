"""Import maps (HTML standard): from the names of modules in scripts to where they lie.

What a script may import by a prefix, an entry that ends with a slash, is not known from here.
"""

from collections.abc import Iterator
from typing import Any

from agents.parsers.json_document import JsonDocument, objects
from agents.parsers.link import Found, component
from agents.parsers.parser import Format


class ImportMapParser(JsonDocument):
    """Parses a map, of a script element or a file."""

    format = Format("import-map", ("application/importmap+json",), (".importmap",), chunked=False)

    @classmethod
    def recognises(cls, value: Any) -> bool:
        """Tell a map by its members."""
        known = isinstance(value, dict) and value.keys() <= {"imports", "scopes", "integrity"}
        return known and ("imports" in value or "scopes" in value)

    def links(self, value: Any) -> Iterator[Found]:
        """Yield the modules."""
        for whole in objects(value):
            scopes = whole.get("scopes")
            scoped = scopes.values() if isinstance(scopes, dict) else ()
            for names in objects([whole.get("imports"), *scoped]):
                for address in names.values():
                    yield from _module(address) or (None,)


def _module(address: Any) -> tuple[Found, ...]:
    if not isinstance(address, str) or address.endswith("/"):
        return ()
    placed = address.startswith(("/", "./", "../")) or "://" in address
    return component(address) if placed else ()
