"""What the page of a site crawler shows of the crawl under way."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from urllib.parse import quote

from agents import dates, urls
from agents.crawler.crawl import Crawl
from agents.order import CrawlFigures
from agents.page import (
    Cell,
    Curve,
    Figures,
    Graph,
    LinkTo,
    Note,
    Progress,
    Section,
    Table,
    human_bytes,
    human_number,
    human_seconds,
)

STORY = "/story"  # the page that tells a URL's story
COLUMNS = ["answers", "pages", "contents new / known", "received", "failures", "for"]
_SHOWN = 20  # rows of a table


def story_path(url: str) -> str:
    """Return where the story of a URL is told."""
    return f"{STORY}?url={quote(url, safe='')}"


def row(figures: CrawlFigures) -> list[Cell]:
    """Return the figures of a crawl under `COLUMNS`."""
    return [
        human_number(figures.captures),
        human_number(figures.pages),
        f"{human_number(figures.contents_new)} / {human_number(figures.contents_known)}",
        human_bytes(figures.bytes_received),
        human_number(figures.failures),
        human_seconds(figures.seconds),
    ]


def doing(crawl: Crawl, figures: CrawlFigures) -> str:
    """Return what a crawl does now, in a sentence; when it does not fetch, why and until when."""
    start = urls.readable(crawl.order.start_url)
    if not figures.waiting_for:
        return f"Collecting {start}."
    until = figures.waiting_until
    when = f" (until {dates.to_iso(dates.from_timestamp(until))[11:19]} UTC)" if until else ""
    return f"Collecting {start}; waiting: {figures.waiting_for}{when}."


def sections(crawl: Crawl, figures: CrawlFigures) -> list[Section]:
    """Return what there is to see of a crawl."""
    return [
        _summary(crawl, figures),
        *_waiting(figures),
        Curve("URLs waiting", crawl.monitor.queued, "URLs"),
        _queues(crawl),
        *_answers(crawl),
        *_extremes(crawl),
        *_troubles(crawl),
        Graph("Folders that link to each other", _edges(crawl), "folders"),
        _order(crawl),
    ]


def _summary(crawl: Crawl, figures: CrawlFigures) -> Figures:
    return Figures(
        "The crawl",
        dict(zip(COLUMNS, row(figures), strict=True))
        | {
            "waiting URLs": human_number(figures.queued),
            "level": f"{figures.depth} of {crawl.order.maximum_depth}",
        },
    )


def _waiting(figures: CrawlFigures) -> list[Note]:
    """Return why nothing is fetched, if nothing is."""
    if not figures.waiting_for:
        return []
    until = figures.waiting_until
    when = f", until {dates.to_iso(dates.from_timestamp(until))}" if until else ""
    return [Note("Waiting", f"{figures.waiting_for}{when}", "warning")]


def _queues(crawl: Crawl) -> Table:
    rows: list[Sequence[Cell]] = []
    if (queues := crawl.queues) is not None:
        rows = [
            ["components, taken at once", queues.components],
            ["pages of this level", queues.static],
            ["dynamic pages of this level", queues.dynamic],
            ["to be tried again at its end", queues.retries],
            ["pages of the next level", queues.next_static],
            ["dynamic pages of the next level", queues.next_dynamic],
        ]
    return Table("Queues", ["queue", "URLs"], rows, half=True)


def _order(crawl: Crawl) -> Table:
    order = crawl.order
    return Table(
        "The order",
        ["what", "value"],
        [
            ["crawl", order.crawl],
            ["site", order.site],
            ["accept", order.accept],
            ["reject", order.reject or "nothing"],
            ["now", _story(crawl.current) if crawl.current else "–"],
        ],
    )


def _answers(crawl: Crawl) -> list[Table]:
    findings = crawl.findings
    formats = sorted(findings.formats.items(), key=lambda entry: -entry[1][1])
    total = sum(size for _, (_, size) in formats) or 1
    return [
        Table(
            "Answers by format",
            ["format", "answers", "bytes", "share"],
            [
                [kind or "not told", count, human_bytes(size), Progress(size / total)]
                for kind, (count, size) in formats[:_SHOWN]
            ],
        ),
        _counts("Answers by status", "status", findings.statuses),
        _counts("Answers by level", "level", findings.levels),
    ]


def _counts(title: str, name: str, counts: Mapping[int, int]) -> Table:
    rows: list[Sequence[Cell]] = [[f"{name} {key}", count] for key, count in sorted(counts.items())]
    return Table(title, ["", "answers"], rows, half=True)


def _extremes(crawl: Crawl) -> list[Table]:
    monitor = crawl.monitor
    return [
        Table("Slowest", ["URL", "took"], _measured(monitor.slowest, human_seconds), half=True),
        Table("Largest", ["URL", "size"], _measured(monitor.largest, human_bytes), half=True),
    ]


def _troubles(crawl: Crawl) -> list[Table]:
    findings = crawl.findings
    return [
        Table(
            "Traps and limits met",
            ["kind", "URLs"],
            [[kind, count] for kind, count in findings.trap_kinds.most_common()],
            "None.",
        ),
        Table(
            "Examples of them",
            ["URL", "what"],
            [[_story(url), reason] for url, reason in _last(findings.traps.entries.items())],
            "None.",
        ),
        Table(
            "Last URLs without an answer",
            ["date", "URL", "reason"],
            [
                [dates.to_iso(date), _story(url), reason]
                for date, url, reason in crawl.monitor.errors
            ],
            "None.",
        ),
    ]


def _edges(crawl: Crawl) -> Mapping[tuple[str, str], int]:
    """Return the links between folders, named without their host when there is only one."""
    edges = crawl.findings.edges
    if len({name.partition("/")[0] for pair in edges for name in pair}) > 1:
        return edges
    return {
        (source[source.index("/") :], target[target.index("/") :]): count
        for (source, target), count in edges.items()
    }


def _measured(
    entries: Iterable[tuple[str, float]], shown: Callable[[float], str]
) -> list[Sequence[Cell]]:
    return [[_story(url), shown(measure)] for url, measure in entries]


def _last(entries: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    return list(entries)[-_SHOWN:]


def _story(url: str) -> LinkTo:
    """Return a URL that leads to its story."""
    return LinkTo(urls.readable(url), story_path(url))
