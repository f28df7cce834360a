"""What a crawl's report tells (schema: `docs/reference/report.xsd`), all of it bounded.

It is read twice: once for what the site is judged by, and, if it passes, again for its links.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final, TypeAlias

from attrs import define, evolve, field

from agents.connectivity.elements import BadReport, elements
from agents.deposit import Findings
from agents.filters import KEYWORDS
from agents.judgement import LEVELS, LevelUpdate, Update
from agents.stream_promise import promising
from agents.summary import Format, Language, Summary, Term

_SAMPLE: Final = 100  # feeds, streams, languages, keywords and statistics that are kept
_STREAMS: Final = 5000  # of which the sample is those that are most likely live
_FORMATS: Final = 1000
_TEXT: Final = 2000  # characters of a text that is kept
_DIGITS: Final = 15  # of a number

_Attributes: TypeAlias = Mapping[str, str]


@define
class Report:
    """What has been read of a report.

    Attributes:
        external_links: different links that lead out of the site.
        external_hosts: different hosts these links lead to.
        feeds: URLs of feeds, a sample.
        streams: URLs of live streams, and of what may be such.
        statistics: figures by name.
        texts: figures of all texts by name; what could not be compared has no `update`.
        languages: of the texts.
        keywords: the most frequent, with their numbers.
        terms: those that were looked for and found.
        levels: what is new of the texts of each.
        captures: by level.
        formats: of the captures.
        problem: why the rest could not be read, or empty.
    """

    external_links: int = 0
    external_hosts: int = 0
    feeds: list[str] = field(factory=list)
    streams: list[str] = field(factory=list)
    statistics: dict[str, str] = field(factory=dict)
    texts: dict[str, str] = field(factory=dict)
    languages: list[Language] = field(factory=list)
    keywords: list[tuple[str, int]] = field(factory=list)
    terms: list[Term] = field(factory=list)
    levels: dict[int, LevelUpdate] = field(factory=dict)
    captures: dict[int, int] = field(factory=dict)
    formats: list[Format] = field(factory=list)
    problem: str = ""

    @property
    def summary(self) -> Summary:
        """What the site is judged by."""
        return Summary(
            captures=_count(self.statistics.get("captures")),
            pages=_count(self.statistics.get("pages")),
            documents=_count(self.texts.get("documents")),
            characters=_count(self.texts.get("characters")),
            words=_count(self.texts.get("words")),
            languages=tuple(self.languages),
            terms=tuple(self.terms),
            keywords=tuple(self.keywords),
            formats=tuple(self.formats),
        )

    @property
    def update(self) -> Update:
        """What is new since the former crawl."""
        return Update(
            rate=_rate(self.texts.get("update")),
            documents=_count(self.texts.get("documents")),
            chunks=_count(self.texts.get("chunks")),
            levels=tuple(self._levels()),
            urls_new=_count(self.statistics.get("urls_new")),
            urls_changed=_count(self.statistics.get("urls_changed")),
            urls_unchanged=_count(self.statistics.get("urls_unchanged")),
            urls_gone=_count(self.statistics.get("urls_gone")),
            requests=_count(self.statistics.get("requests")),
            bytes=_count(self.statistics.get("bytes_received")),
        )

    @property
    def findings(self) -> Findings:
        """What the scheduler is told, but for the judgement."""
        return Findings(
            external_links=self.external_links,
            external_hosts=self.external_hosts,
            feeds=self.feeds,
            streams=list(promising(self.streams))[:_SAMPLE],
            languages=[language.name for language in self.languages],
            statistics=self.statistics,
            problem=self.problem,
            update=self.update,
        )

    def _levels(self) -> Iterator[LevelUpdate]:
        for depth in sorted(self.levels.keys() | self.captures.keys())[:LEVELS]:
            level = self.levels.get(depth, LevelUpdate(depth))
            yield evolve(level, captures=self.captures.get(depth, 0))


def read_report(path: Path, limit: int) -> Report:
    """Return what a report tells; it blocks.

    A report that cannot be read gives what was read up to there and says what is wrong: the
    deposit of a crawl does not depend on it.

    Args:
        path: of the report.
        limit: bytes past which it is not read at all.
    """
    report = Report()
    try:
        for around, name, attributes in elements(path, limit):
            take = _TAKE.get((around, name))
            if take is not None:
                take(report, attributes)
    except (BadReport, OSError) as error:
        report.problem = f"the report cannot be read: {error}"[:_TEXT]
    return report


def read_urls(path: Path, limit: int) -> Iterator[tuple[str, str, int]]:
    """Yield what leads out of a site: "link", "feed" or "stream", its URL, and its documents.

    It ends early, and silently, where the report cannot be read: `read_report` has told of it.
    """
    try:
        for around, name, attributes in elements(path, limit):
            url = attributes.get("url")
            if url and (around, name) in _URLS:
                yield name, url, max(1, _count(attributes.get("count")))
    except (BadReport, OSError):
        return


_URLS: Final = {("external", "link"), ("feeds", "feed"), ("streams", "stream")}


def _count(text: str | None) -> int:
    """Return a count that an attribute holds; 0 for what is none."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) <= _DIGITS else 0


def _rate(text: str | None) -> float | None:
    """Return a share that an attribute holds; None for what is none."""
    try:
        rate = float((text or "")[:_DIGITS])
    except ValueError:
        return None
    return min(1.0, max(0.0, rate)) if math.isfinite(rate) else None


def _text(attributes: _Attributes, name: str) -> str:
    return attributes.get(name, "")[:_TEXT]


def _link(report: Report, _: _Attributes) -> None:
    report.external_links += 1


def _links_cut(report: Report, attributes: _Attributes) -> None:
    report.external_links += _count(attributes.get("cut"))


def _host(report: Report, _: _Attributes) -> None:
    report.external_hosts += 1


def _hosts_cut(report: Report, attributes: _Attributes) -> None:
    report.external_hosts += _count(attributes.get("cut"))


def _feed(report: Report, attributes: _Attributes) -> None:
    if len(report.feeds) < _SAMPLE and attributes.get("url"):
        report.feeds.append(_text(attributes, "url"))


def _stream(report: Report, attributes: _Attributes) -> None:
    url = attributes.get("url", "")
    if len(report.streams) < _STREAMS and 0 < len(url) <= _TEXT:  # a part would lead elsewhere
        report.streams.append(url)


def _figure(report: Report, attributes: _Attributes) -> None:
    if len(report.statistics) < _SAMPLE and attributes.get("name") and "value" in attributes:
        report.statistics[_text(attributes, "name")] = _text(attributes, "value")


def _texts(report: Report, attributes: _Attributes) -> None:
    report.texts = {
        name: attributes[name][:_TEXT]
        for name in ("documents", "characters", "words", "chunks", "update")
        if name in attributes
    }


def _language(report: Report, attributes: _Attributes) -> None:
    if len(report.languages) < _SAMPLE and attributes.get("name"):
        documents, characters = attributes.get("pages"), attributes.get("characters")
        name = _text(attributes, "name")
        report.languages.append(Language(name, _count(documents), _count(characters)))


def _keyword(report: Report, attributes: _Attributes) -> None:
    if len(report.keywords) < _SAMPLE:
        report.keywords.append((_text(attributes, "text"), _count(attributes.get("count"))))


def _term(report: Report, attributes: _Attributes) -> None:
    if len(report.terms) < KEYWORDS:
        count, documents = _count(attributes.get("count")), _count(attributes.get("pages"))
        report.terms.append(Term(_text(attributes, "text"), count, documents))


def _level(report: Report, attributes: _Attributes) -> None:
    if len(report.levels) < LEVELS:
        documents, chunks = _count(attributes.get("documents")), _count(attributes.get("chunks"))
        depth, rate = _count(attributes.get("depth")), _rate(attributes.get("update"))
        report.levels[depth] = LevelUpdate(depth, documents=documents, chunks=chunks, rate=rate)


def _captures(report: Report, attributes: _Attributes) -> None:
    if len(report.captures) < LEVELS:
        report.captures[_count(attributes.get("depth"))] = _count(attributes.get("count"))


def _format(report: Report, attributes: _Attributes) -> None:
    if len(report.formats) < _FORMATS:
        captures, size = _count(attributes.get("count")), _count(attributes.get("bytes"))
        report.formats.append(Format(_text(attributes, "type"), captures, size))


_TAKE: Final[Mapping[tuple[str, str], Callable[[Report, _Attributes], None]]] = {
    ("external", "link"): _link,
    ("report", "external"): _links_cut,
    ("hosts", "host"): _host,
    ("report", "hosts"): _hosts_cut,
    ("feeds", "feed"): _feed,
    ("streams", "stream"): _stream,
    ("statistics", "figure"): _figure,
    ("levels", "level"): _captures,
    ("formats", "format"): _format,
    ("report", "texts"): _texts,
    ("texts", "language"): _language,
    ("texts", "keyword"): _keyword,
    ("texts", "term"): _term,
    ("texts", "level"): _level,
}
