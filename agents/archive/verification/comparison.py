"""Comparing what was collected with what the archive gives when it is crawled: pure."""

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum

from attrs import field, frozen

from agents.archive.verification.collected import Collection, Line

_SEEN = frozenset(("date", "url", "fault"))
_FAULTS = {
    "unknown-url": "the archive has no capture of it (fault unknown-url)",
    "missing-captures": "no storage node gives its captures (fault missing-captures)",
    "missing-content": "no storage node gives its content (fault missing-content)",
    "archive-unreachable": "nobody could say whether the archive holds it",
    "embargo": "the archive's rules keep it back for a time (embargo)",
    "takedown": "the archive's rules keep it back (takedown)",
}


class Outcome(StrEnum):
    """How a URL came out of the archive."""

    SAME = "same"
    MISSING = "missing"
    DIFFERENT = "different"
    EXTRA = "extra"


@frozen
class Difference:
    """A URL that did not come out as it was collected.

    Attributes:
        url: which.
        outcome: how.
        reason: why, as far as it is known.
    """

    url: str
    outcome: Outcome
    reason: str


@frozen
class Comparison:
    """What is the same, and what is not.

    Attributes:
        same: URLs that came out as they were collected: status, content, and place in the site.
        differences: the others, by outcome and URL.
        edges: links between folders that differ in number: from, to, then, now.
    """

    same: int
    differences: Sequence[Difference] = ()
    edges: Sequence[tuple[str, str, int, int]] = ()

    @property
    def well(self) -> bool:
        """Whether all came out as it was collected."""
        return not self.differences and not self.edges

    def number(self, outcome: Outcome) -> int:
        """Return how many URLs came out so."""
        if outcome is Outcome.SAME:
            return self.same
        return sum(each.outcome is outcome for each in self.differences)


@frozen
class Told:
    """What the archive said of one of its answers, in fields of its own.

    Attributes:
        date: of the capture.
        url: under which it is archived, where that is not the one asked for.
        fault: what is wrong, or empty.
    """

    date: str = ""
    url: str = ""
    fault: str = ""

    @classmethod
    def of(cls, line: Line) -> "Told":
        """Read the fields of an answer."""
        fields: dict[str, str] = {}
        for text in line.head.splitlines()[1:]:
            name, colon, value = text.partition(":")
            name = name.strip().lower().removeprefix("dlweb-")
            if colon and name in _SEEN and text.lower().startswith("dlweb-"):
                fields[name] = value.strip()
        return cls(**fields)


@frozen
class Pair:
    """A collection, and what came out of the archive when it was crawled again.

    Attributes:
        then: what was collected.
        now: what came out.
        answers: of the archive, by URL; its harbor is none.
    """

    then: Collection
    now: Collection
    answers: Mapping[str, Line] = field(init=False)

    @answers.default
    def _of_archive(self) -> dict[str, Line]:
        return {
            url: lines[-1]
            for url, lines in self.now.lines.items()
            if not url.startswith("http://dlweb/")
        }


def compare(then: Collection, now: Collection) -> Comparison:
    """Return how what came out of the archive differs from what was collected."""
    pair = Pair(then, now)
    differences = sorted(_differences(pair), key=lambda each: (each.outcome, each.url))
    urls = {each.url for each in differences}
    same = sum(url not in urls for url in then.lines)
    return Comparison(same, differences, list(_edges(then, now)))


def _differences(pair: Pair) -> Iterator[Difference]:
    for url, lines in pair.then.lines.items():
        answer = pair.answers.get(url)
        told = Told() if answer is None else Told.of(answer)
        if answer is None or told.fault:
            yield Difference(url, Outcome.MISSING, _why_missing(pair, url, told.fault))
        elif reason := _why_different(pair, lines, answer, told):
            yield Difference(url, Outcome.DIFFERENT, reason)
    for url, answer in pair.answers.items():
        told = Told.of(answer)
        if url not in pair.then.lines and not told.fault:
            yield Difference(url, Outcome.EXTRA, _why_extra(pair.then, told))


def _why_missing(pair: Pair, url: str, fault: str) -> str:
    if fault:
        return _FAULTS.get(fault, f"the archive answers with a fault ({fault})")
    if url in pair.now.failures:
        return f"the archive gave no answer: {pair.now.failures[url]}"
    if url in pair.now.excluded:
        return "the archived robots.txt forbids it"
    if url in pair.now.session_ids:
        return f"it has a session's identifier; {pair.now.session_ids[url]} was asked for instead"
    return "nothing that came out of the archive leads to it"


def _why_different(pair: Pair, lines: Sequence[Line], answer: Line, told: Told) -> str:
    """Return why an answer is none of a URL's captures; empty if it is."""
    if told.url:
        return f"the capture of another URL stands for it: {told.url}"
    alike = [line for line in lines if line.content == answer.content]
    if not alike and told.date and not pair.then.first <= told.date <= pair.then.last:
        return f"time: the nearest capture is of another crawl, {told.date}"
    if not alike:
        return f"another content: {answer.content} for {lines[-1].content}"
    if answer.status not in {line.status for line in alike}:
        return f"another status: {answer.status} for {alike[-1].status}"
    return _why_elsewhere(alike[-1], answer)


def _why_elsewhere(then: Line, now: Line) -> str:
    """Return how the place of a URL in the site differs; empty if it does not, or is not known."""
    if then.depth is None or (then.depth, then.kind) == (now.depth, now.kind):
        return ""
    return f"reached as {now.kind} of level {now.depth}, then as {then.kind} of level {then.depth}"


def _why_extra(then: Collection, told: Told) -> str:
    if told.url:
        return f"the capture of another URL stands for it: {told.url}"
    if told.date and not then.first <= told.date <= then.last:
        return f"another crawl collected it, {told.date}"
    return "it was not collected in this crawl, and lies in the archive all the same"


def _edges(then: Collection, now: Collection) -> Iterator[tuple[str, str, int, int]]:
    """Yield the links between folders whose numbers differ."""
    if then.graph is None or now.graph is None:
        return
    for edge in sorted({*then.graph, *now.graph}):
        before, after = then.graph.get(edge, 0), now.graph.get(edge, 0)
        if before != after:
            yield (*edge, before, after)
