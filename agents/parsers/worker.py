"""Running parsers in a worker process: what they find, as one value that crosses the pipe."""

from collections.abc import Iterable
from typing import Any

from agents.parsers.link import Embedded, Found, Link
from agents.parsers.parser import Source
from agents.parsers.registry import registry

FOUND_LIMIT = 200_000  # links of one document that are told
TEXT_LIMIT = 4 * 1024 * 1024  # characters of its text


def parse(
    name: str, url: str, charset: str | None, text: bool, referrer: str, body: bytes
) -> dict[str, Any]:
    """Read a whole document with the parser of a format; see `gathered` for what is returned."""
    parser = registry().named(name)(Source(url, charset, None, text, referrer))
    findings = [*parser.feed(body), *parser.close()]
    told = gathered(findings)
    told["base"], told["encoding"] = parser.base, parser.encoding
    told["truncated"] = told["truncated"] or parser.truncated
    return told


def gathered(findings: Iterable[Found]) -> dict[str, Any]:
    """Return findings as MessagePack can hold them.

    Returns:
        `links` (a list of fields each, as of `Link`), `text`, `truncated`, and `base` and
        `encoding`, which the links depend on.
    """
    links: list[list[Any]] = []
    text: list[str] = []
    size, truncated = 0, False
    for found in findings:
        if isinstance(found, Link):
            if len(links) < FOUND_LIMIT:
                links.append(list(found))
            else:
                truncated = True
        elif isinstance(found, str) and not isinstance(found, Embedded):
            size += len(found)
            text += [found] if size <= TEXT_LIMIT else []
    return {
        "links": links,
        "text": "".join(text),
        "truncated": truncated,
        "base": "",
        "encoding": "utf-8",
    }
