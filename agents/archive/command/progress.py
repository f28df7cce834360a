"""How crawls are getting on, as text for a terminal: pure."""

from collections.abc import Sequence
from typing import Any

import attrs

from agents.page import human_bytes, human_number, human_seconds
from agents.schedule import CRAWL_ENDS, CrawlStatus


@attrs.frozen
class Summary:
    """What one command collected, over all its crawls.

    Attributes:
        sites: sites that were collected.
        captures: answers recorded.
        pages: of these, the ones reached by page links.
        contents_new: contents that were new to the archive.
        contents_known: answers whose content the archive had.
        bytes: bytes of bodies received.
        bytes_stored: bytes of the new contents.
        failures: URLs that gave no answer, and captures that could not be deposited.
        seconds: how long it all took.
        errors: why crawls failed.
    """

    sites: int = 0
    captures: int = 0
    pages: int = 0
    contents_new: int = 0
    contents_known: int = 0
    bytes: int = 0
    bytes_stored: int = 0
    failures: int = 0
    seconds: float = 0.0
    errors: list[str] = attrs.field(factory=list)

    @property
    def well(self) -> bool:
        """Whether every site was collected and deposited."""
        return not self.errors

    def to_data(self) -> dict[str, Any]:
        """Return it as values that JSON can hold."""
        return attrs.asdict(self)


def summarize(crawls: Sequence[CrawlStatus], seconds: float) -> Summary:
    """Add up crawls."""
    deposits = [crawl.deposit for crawl in crawls if crawl.deposit is not None]
    figures = [crawl.figures for crawl in crawls]
    stored = sum(deposit.contents_stored for deposit in deposits)
    return Summary(
        sites=len({crawl.site for crawl in crawls}),
        captures=sum(each.captures for each in figures),
        pages=sum(each.pages for each in figures),
        contents_new=stored,
        contents_known=sum(each.contents_new + each.contents_known for each in figures) - stored,
        bytes=sum(each.bytes_received for each in figures),
        bytes_stored=sum(deposit.bytes_stored for deposit in deposits),
        failures=sum(each.failures for each in figures)
        + sum(deposit.captures_missing for deposit in deposits),
        seconds=round(seconds, 3),
        errors=[problem for crawl in crawls if (problem := problem_of(crawl))],
    )


def ended(crawls: Sequence[CrawlStatus]) -> bool:
    """Tell whether nothing more will happen to any of them."""
    return all(crawl.state in CRAWL_ENDS for crawl in crawls)


def problem_of(crawl: CrawlStatus) -> str:
    """Return what went wrong with a crawl that ended, or nothing."""
    if crawl.state == "failed":
        return f"{crawl.start_url}: {crawl.error or 'the crawl failed'}"
    if crawl.state == "deposited" and crawl.figures.captures == 0:
        return f"{crawl.start_url}: {crawl.error or 'nothing answered there'}"
    return ""


def progress_line(crawls: Sequence[CrawlStatus]) -> str:
    """Return one line on crawls that are running, the rate before what may be cut off."""
    active = [crawl for crawl in crawls if crawl.state not in CRAWL_ENDS]
    figures = [crawl.figures for crawl in crawls]
    parts = [
        _doing(active),
        f"{human_number(sum(each.pages for each in figures))} pages",
        human_bytes(sum(each.bytes_received for each in figures)),
        f"{human_number(round(sum(crawl.captures_per_second for crawl in active), 1))}/s",
        f"{human_number(sum(each.queued for each in figures))} queued",
        f"{human_number(sum(each.contents_new for each in figures))} new, "
        f"{human_number(sum(each.contents_known for each in figures))} known",
    ]
    deposits = [crawl.deposit for crawl in active if crawl.deposit is not None]
    if recorded := sum(deposit.captures_recorded for deposit in deposits):
        parts.append(f"{human_number(recorded)} deposited")
    waits = [crawl.figures.waiting_for for crawl in active if crawl.state == "collecting"]
    waits += [deposit.waiting_for for deposit in deposits]
    if words := next(filter(None, waits), ""):
        parts.append(words)
    return " · ".join(parts)


def result_lines(crawls: Sequence[CrawlStatus]) -> list[str]:
    """Return what changed at each site, one line each."""
    lines = []
    for crawl in crawls:
        one = summarize([crawl], crawl.figures.seconds)
        if problem := problem_of(crawl):
            lines.append(f"{crawl.site}: {problem}")
            continue
        told = [
            f"{many(one.captures, 'capture')}, {human_bytes(one.bytes)}",
            f"stored {many(one.contents_new, 'new content')}"
            + (f" ({human_bytes(one.bytes_stored)})" if one.bytes_stored else "")
            + f"; {human_number(one.contents_known)} known",
        ]
        if one.failures:
            told.append(f"{many(one.failures, 'address', 'addresses')} did not answer")
        told.append(human_seconds(one.seconds))
        lines.append(f"{crawl.site}: " + "; ".join(told))
    return lines


def _doing(active: Sequence[CrawlStatus]) -> str:
    """Return the word for what the slowest of the crawls is at."""
    for state, word in (
        ("collecting", "collecting"),
        ("ordered", "waiting for a crawler"),
        ("depositing", "depositing"),
        ("collected", "waiting for the deposit"),
    ):
        if any(crawl.state == state for crawl in active):
            return word
    return "done"


def many(number: int, one: str, several: str = "") -> str:
    """Return a number of things, `3 sites`."""
    return f"{human_number(number)} {one if number == 1 else several or one + 's'}"
