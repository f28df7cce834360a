"""What a crawl of a site left: in `sites/SITE`, or in the directory of a crawl."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec
from attrs import field, frozen
from lxml import etree

from agents import dates
from agents.archive.errors import ArchiveError
from agents.origin import value

LINE_LIMIT = 16 * 2**20  # bytes of one line of a structure


class Line(msgspec.Struct, frozen=True):
    """A capture, as a crawl's structure tells of it (docs/reference/crawl-directory.md)."""

    url: str
    date: str
    content: str
    status: int
    size: int = 0
    head: str = ""
    origin: str = ""
    depth: int | None = None
    kind: str = ""


@frozen
class Bounds:
    """Where a crawl began, and how far it went: the order's own words."""

    start_url: str
    accept: str
    reject: str
    maximum_depth: int


@frozen
class Collection:
    """What was collected of a site in one crawl.

    Attributes:
        lines: of each URL, its captures in the order of the crawl.
        bounds: of the crawl.
        crawl: its name; empty when it is not known.
        since: URLs that a quick look has captured since, whose lines in `sites/SITE` are of that.
        graph: links between folders of the site, each with their number; None when not known.
        failures: URLs without an answer, and why.
        excluded: URLs that robots.txt forbids.
        session_ids: for URLs with the identifier of a session, what was followed in their place.
    """

    lines: Mapping[str, tuple[Line, ...]]
    bounds: Bounds
    crawl: str = ""
    since: frozenset[str] = frozenset()
    graph: Mapping[tuple[str, str], int] | None = None
    failures: Mapping[str, str] = field(factory=dict)
    excluded: Mapping[str, str] = field(factory=dict)
    session_ids: Mapping[str, str] = field(factory=dict)

    @property
    def first(self) -> str:
        """Date of the first capture."""
        return min(line.date for lines in self.lines.values() for line in lines)

    @property
    def last(self) -> str:
        """Date of the last capture."""
        return max(line.date for lines in self.lines.values() for line in lines)

    @property
    def middle(self) -> str:
        """The date that is nearer to every capture of this crawl than to any before or after it."""
        first, last = dates.to_datetime(self.first), dates.to_datetime(self.last)
        return dates.from_datetime(first + (last - first) / 2)


def read_collection(folder: Path) -> Collection:
    """Read what a crawl left. It blocks.

    Raises:
        ArchiveError: it is not there, or damaged.
    """
    try:
        lines = read_structure(folder / "structure")
        report = etree.parse(folder / "report.xml", _parser()).getroot()
    except (OSError, msgspec.MsgspecError, etree.XMLSyntaxError) as error:
        raise ArchiveError(f"what was collected can't be read in {folder}: {error}") from None
    if not lines:
        raise ArchiveError(f"nothing was collected, says {folder}")
    crawl = report.get("crawl", "")
    own = {url: found for url, found in lines.items() if _are_of(found, crawl)} or lines
    return Collection(
        own,
        _bounds(report),
        crawl,
        frozenset(lines.keys() - own.keys()),
        {
            (edge.get("from", ""), edge.get("to", "")): int(edge.get("links", 0))
            for edge in report.iterfind("graph/edge")
        },
        _remarks(report, "failures/failure", "reason"),
        _remarks(report, "excluded/url", "reason"),
        _remarks(report, "sessions/session", "followed"),
    )


def crawl_of(line: Line) -> str:
    """Return the name of the crawl that made a capture, by its origin."""
    return value(line.origin, "crawl")


def _are_of(lines: Iterable[Line], crawl: str) -> bool:
    """Tell whether captures are of a crawl, as far as they say."""
    return all(crawl_of(line) in ("", crawl) for line in lines)


def read_structure(path: Path) -> dict[str, tuple[Line, ...]]:
    """Return the captures of each URL in the order of the crawl. It blocks.

    Raises:
        OSError: it can't be read.
        msgspec.MsgspecError: it is damaged.
    """
    decode = msgspec.json.Decoder(Line).decode
    with path.open("rb") as file:
        return by_url(decode(line) for line in iter(lambda: file.readline(LINE_LIMIT), b""))


def by_url(lines: Iterable[Line]) -> dict[str, tuple[Line, ...]]:
    """Return captures by their URL, those of one URL in their order."""
    found: dict[str, tuple[Line, ...]] = {}
    for line in lines:
        found[line.url] = (*found.get(line.url, ()), line)
    return found


def _bounds(report: etree._Element) -> Bounds:
    found = report.find("delimitation")
    if found is None:
        raise ArchiveError("the report of the crawl does not tell where it began")
    told = {name: found.get(name, "") for name in ("start_url", "accept", "reject")}
    return Bounds(**told, maximum_depth=int(found.get("maximum_depth", 150)))


def _remarks(report: etree._Element, path: str, remark: str) -> dict[str, str]:
    return {each.get("url", ""): each.get(remark, "") for each in report.iterfind(path)}


def _parser() -> etree.XMLParser:
    return etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)
