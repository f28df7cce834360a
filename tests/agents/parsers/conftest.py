"""What the tests of parsers share."""

from collections.abc import Callable

import pytest

from agents.parsers import Embedded, Found, Link, Source, registry

URL = "https://example.org/a/b"


class Read:
    """What a parser found in a document, told without its pauses.

    Attributes:
        links: each once, in their order.
        text: all of it.
        embedded: texts of the pieces for other parsers.
    """

    def __init__(self, findings: list[Found]) -> None:
        self.links = list(dict.fromkeys(one for one in findings if isinstance(one, Link)))
        self.text = "".join(one for one in findings if isinstance(one, str))
        self.embedded = [one.text for one in findings if isinstance(one, Embedded)]
        self.base = ""
        self.truncated = False

    @property
    def pages(self) -> list[str]:
        """The URLs of the links to pages, each once."""
        pages = (link.url for link in self.links if link.kind == "page" and not link.stream)
        return list(dict.fromkeys(pages))

    @property
    def components(self) -> list[str]:
        """The URLs of the links to components."""
        return [link.url for link in self.links if link.kind == "component"]

    @property
    def streams(self) -> list[tuple[str, str]]:
        """The URLs and titles of the streams."""
        return [(link.url, link.text) for link in self.links if link.stream]

    @property
    def texts(self) -> dict[str, str]:
        """The texts of the links."""
        return {link.url: link.text for link in self.links}


def once(name: str, document: bytes, step: int, source: Source) -> Read:
    """Read a document, so many bytes at a time."""
    parser = registry().by_name[name](source)
    findings: list[Found] = []
    for start in range(0, len(document), step):
        findings += parser.feed(document[start : start + step])
    findings += parser.close()
    found = Read(findings)
    found.base, found.truncated = parser.base, parser.truncated
    return found


def read_document(
    name: str, document: bytes | str, *, url: str = URL, text: bool = True, charset: str = ""
) -> Read:
    """Read a document whole, and in other ways that have to find the same."""
    body = document.encode() if isinstance(document, str) else document
    source = Source(url, charset or None, None, text)
    whole = once(name, body, max(1, len(body)), source)
    for step in (1, 7, 1000) if len(body) < 20_000 else (1400,):
        assert vars(once(name, body, step, source)) == vars(whole), step
    mute = once(name, body, 4096, Source(url, charset or None))
    assert not any(link.text for link in mute.links)
    assert not mute.text
    assert {link.url for link in mute.links} == {link.url for link in whole.links}
    return whole


@pytest.fixture(scope="session")
def read() -> Callable[..., Read]:
    """Return what reads a document by the name of its format, in all ways of cutting it."""
    return read_document
