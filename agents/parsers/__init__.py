"""What documents link to: one parser a content format, all with one small interface (*INA §1.4.3*).

A parser takes the bytes of a document chunk by chunk, as they come, even one byte at a time, and
yields links as it finds them. It does no input or output; who made it resolves the links and
decides which are followed. `registry()` knows the parser of each format.
"""

from agents.parsers.link import COMPONENT, PAGE, Embedded, Found, Link
from agents.parsers.parser import Basis, Extracts, Format, Parser, Source, format_of
from agents.parsers.registry import BEGINNING, is_vague, media_type, registry

__all__ = [
    "BEGINNING",
    "COMPONENT",
    "PAGE",
    "Basis",
    "Embedded",
    "Extracts",
    "Format",
    "Found",
    "Link",
    "Parser",
    "Source",
    "format_of",
    "is_vague",
    "media_type",
    "registry",
]
