"""`python -m agents.parsers.reference`: writes docs/reference/parsers.md from the parsers.

The page is the table of INA §1.4.3, brought up to date; a test holds it against the registry.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from agents.parsers.parser import Extracts
from agents.parsers.registry import ParserClass, registry

PAGE = Path("docs/reference/parsers.md")

_HEAD = """\
# Parsers

Which formats the site crawler reads, and what it finds in them: the table of INA §1.4.3, as the \
parsers of this version say of themselves. `make reference` writes it.

A document goes to the parser of its media type; where a server says nothing that tells \
(`application/octet-stream`, `text/plain`, no type at all), to that of its first bytes or its \
extension. A parser that reads chunk by chunk takes a document as it comes, even one byte at a \
time; others keep it, up to a limit, and read it at its end. The heavy ones run in worker \
processes with limits on time and memory. [Write a parser](../how-to/write-a-parser.md) adds one.

| Format | Links | Link text | Text | Chunk by chunk | Worker process |
|---|---|---|---|---|---|
"""


def parsers_page() -> str:
    """Return the page."""
    parsers = sorted(registry().by_name.items())
    rows = (_row(name, parser) for name, parser in parsers)
    details = (line for name, parser in parsers for line in _details(name, parser))
    return _HEAD + "\n".join(rows) + "\n" + "\n".join(details) + "\n"


def _row(name: str, parser: ParserClass) -> str:
    told = parser.format
    found = (part in told.extracts for part in (Extracts.LINKS, Extracts.LINK_TEXT, Extracts.TEXT))
    cells = ("yes" if cell else "–" for cell in (*found, told.chunked, told.heavy))
    return f"| [{name}](#{name}) | " + " | ".join(cells) + " |"


def _details(name: str, parser: ParserClass) -> Iterator[str]:
    """Yield what tells a format, and what is special about it: how its module begins."""
    told = parser.format
    yield from ("", f"## {name}", "")
    about = (sys.modules[parser.__module__].__doc__ or "").strip().split("\n\n")
    for paragraph in about:
        yield from (" ".join(paragraph.split()), "")
    kinds = ", ".join(f"`{kind}`" for kind in told.media_types)
    ends = ", ".join(f"`{end}`" for end in told.extensions)
    yield f"Media types: {kinds or 'none of its own'}. Extensions: {ends or 'none of its own'}."


def main() -> None:
    """Write the page into the project that is the current folder."""
    PAGE.write_text(parsers_page(), "utf-8")


if __name__ == "__main__":
    main()
