"""A line of the `structure` of a crawl's directory, as crawlers and others write it."""

import msgspec


class StructureLine(msgspec.Struct, omit_defaults=True):
    """One capture (docs/reference/crawl-directory.md)."""

    url: str
    date: str
    content: str
    size: int
    status: int
    head: str
    origin: str
    depth: int
    kind: str
    new: bool
    change: str
    place: int | None = None
    metadata: str = ""
