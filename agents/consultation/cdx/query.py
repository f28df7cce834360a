"""One question to the CDX server, read within limits. Pure."""

import re
from collections.abc import Sequence
from urllib.parse import parse_qsl

from attrs import frozen

from agents import dates
from agents.consultation.cdx.filters import FILTERS_LIMIT, CdxRefused, Filter, read_filter
from agents.consultation.cdx.lines import (
    ELEVEN,
    OTHER_NAMES,
    PYWB,
    WAYBACK,
    Form,
    Line,
    as_cdxj,
    as_json,
    as_row,
    as_text,
)
from agents.consultation.urls.surt import MATCHES
from agents.urls import canonical

LINES_LIMIT = 100_000  # of one answer
PAGES_TOGETHER = 10  # that one answer may have, as `pageSize` says
_PARAMETERS = 100
_EARLIEST, _LATEST = "00000101000000000000", "99991231235959999999"


@frozen
class Dialect:
    """What a kind of clients expects when it does not say.

    Attributes:
        name: whose.
        outputs: forms by name; the first is given unasked.
        fields: those that are given unasked.
        plain_filter: what a filter without a sign means.
        says_none: whether no captures are an error (404).
        names_rows: whether the first row of a JSON list names the fields.
    """

    name: str
    outputs: dict[str, Form]
    fields: tuple[str, ...]
    plain_filter: str = "matches"
    says_none: bool = False
    names_rows: bool = False


OF_PYWB = Dialect(
    "pywb", {"cdxj": as_cdxj, "json": as_json, "text": as_text}, PYWB, "has", says_none=True
)
OF_OUTBACK = Dialect("OutbackCDX", {"text": as_text, "cdxj": as_cdxj, "json": as_row}, ELEVEN)
OF_WAYBACK = Dialect("Wayback", {"text": as_text, "json": as_row}, WAYBACK, names_rows=True)


@frozen
class Query:
    """What is asked.

    Attributes:
        dialect: of whom.
        url: canonical.
        match: one of `surt.MATCHES`.
        first: the earliest date, 20 digits.
        last: the latest.
        order: of the captures of one urlkey: `ascending`, `reverse` or `closest`.
        closest: the date that is meant, for `closest`.
        limit: lines at most; negative for the last ones of an exact URL. Clients that write 0
            mean none, as with pywb.
        filters: all must take a line.
        fields: that are given.
        output: the form's name.
        collapse: fields, and how many of their first characters, that tell a line from the one
            before; one that is the same in one of them is left out.
        page: which page of URLs; None for all.
        page_size: how many pages' worth of URLs an answer has.
        counting: whether only the number of pages is wanted.
        resume: where to go on, or empty.
        tells_resume: whether to tell where the next answer goes on.
        omits_self: whether redirections to the URL itself are left out.
    """

    dialect: Dialect
    url: str
    match: str = "exact"
    first: str = _EARLIEST
    last: str = _LATEST
    order: str = "ascending"
    closest: str = ""
    limit: int = LINES_LIMIT
    filters: tuple[Filter, ...] = ()
    fields: tuple[str, ...] = PYWB
    output: str = "cdxj"
    collapse: tuple[tuple[str, int], ...] = ()
    page: int | None = None
    page_size: int = 1
    counting: bool = False
    resume: str = ""
    tells_resume: bool = False
    omits_self: bool = False

    def takes(self, line: Line) -> bool:
        """Tell whether a line is wanted, the others aside."""
        if not self.first <= line.date <= self.last:
            return False
        if self.omits_self and line.redirect == line.url:
            return False
        return all(each.takes(line) for each in self.filters)


class Parameters:
    """The parameters of a request, each perhaps several times."""

    def __init__(self, query: str) -> None:
        """Read the text after the question mark.

        Raises:
            CdxRefused: there are too many.
        """
        try:
            self._pairs = parse_qsl(query, keep_blank_values=True, max_num_fields=_PARAMETERS)
        except ValueError:
            raise CdxRefused(f"more than {_PARAMETERS} parameters") from None

    def all(self, *names: str) -> list[str]:
        """Return what all of these names say, in order."""
        return [value for name, value in self._pairs if name in names]

    def get(self, *names: str) -> str:
        """Return what one of these names says last; empty without."""
        return (self.all(*names) or [""])[-1]

    def is_on(self, *names: str) -> bool:
        """Tell whether one of these names says yes."""
        return self.get(*names).lower() in ("true", "1", "yes", "on")

    def number(self, name: str, default: int, least: int, most: int) -> int:
        """Return a whole number, at most `most`.

        Raises:
            CdxRefused: it is none, or less than `least`.
        """
        text = self.get(name)
        if not text:
            return default
        if not re.fullmatch(r"-?[0-9]{1,12}", text) or int(text) < least:
            raise CdxRefused(f"{name} is a number from {least} on, not {text[:40]!r}")
        return min(int(text), most)


def read_query(text: str, dialect: Dialect) -> Query:
    """Read a question.

    Raises:
        CdxRefused: it cannot be answered.
    """
    asked = Parameters(text)
    url, match = read_place(asked.get("url"), asked.get("matchType"))
    closest = asked.get("closest")
    limit = asked.number("limit", LINES_LIMIT, -LINES_LIMIT, LINES_LIMIT) or LINES_LIMIT
    output = asked.get("output") or next(iter(dialect.outputs))
    if output not in dialect.outputs:
        raise CdxRefused(f"output is one of {', '.join(dialect.outputs)}, not {output[:40]!r}")
    if limit < 0 and match != "exact":
        raise CdxRefused("the last lines, a limit below zero, are given of an exact URL only")
    return Query(
        dialect,
        url,
        match,
        first=padded(asked.get("from", "from_ts"), _EARLIEST),
        last=padded(asked.get("to"), _LATEST),
        order=_order(asked, closest),
        closest=_moment(closest) if closest else "",
        limit=limit,
        filters=_filters(asked, dialect),
        fields=_fields(asked, dialect),
        output=output,
        collapse=tuple(_collapsed(asked)),
        page=asked.number("page", 0, 0, 10**9) if asked.get("page") else None,
        page_size=asked.number("pageSize", 1, 1, PAGES_TOGETHER),
        counting=asked.is_on("showNumPages"),
        resume=asked.get("resumeKey"),
        tells_resume=asked.is_on("showResumeKey"),
        omits_self=asked.is_on("omitSelfRedirects"),
    )


def read_place(text: str, match: str = "") -> tuple[str, str]:
    """Return the canonical URL and the match that are asked for.

    `*.example.org` is a domain, `example.org/*` a prefix, whatever has no scheme is http.

    Raises:
        CdxRefused: there is no URL, or it is none; no such match.
    """
    if not text:
        raise CdxRefused("write which captures: url=http://example.org/")
    if not match and text.startswith("*."):
        text, match = text[2:].removesuffix("*"), "domain"
    elif not match and text.endswith("*"):
        text, match = text[:-1], "prefix"
    match = match or "exact"
    if match not in MATCHES:
        raise CdxRefused(f"matchType is one of {', '.join(MATCHES)}, not {match[:40]!r}")
    has_scheme = re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", text) is not None
    url = canonical(text if has_scheme else f"http://{text}")
    if url is None:
        raise CdxRefused(f"{text[:200]!r} is not an http(s) URL")
    return url, match


def padded(text: str, filling: str) -> str:
    """Return a date of 20 digits from its first ones; what is left out is of the filling.

    Raises:
        CdxRefused: they are not digits.
    """
    if not re.fullmatch(r"[0-9]{0,20}", text):
        raise CdxRefused(f"a date is up to 20 digits, YYYYMMDDhhmmss, not {text[:40]!r}")
    return text + filling[len(text) :]


def _moment(text: str) -> str:
    date = padded(text, _EARLIEST)
    try:
        dates.to_datetime(date)
    except dates.InvalidDate as error:
        raise CdxRefused(str(error)) from None
    return date


def _order(asked: Parameters, closest: str) -> str:
    if asked.get("sort") == "reverse" or asked.is_on("reverse"):
        return "reverse"
    return "closest" if closest else "ascending"


def _filters(asked: Parameters, dialect: Dialect) -> tuple[Filter, ...]:
    texts = asked.all("filter")
    if len(texts) > FILTERS_LIMIT:
        raise CdxRefused(f"more than {FILTERS_LIMIT} filters")
    return tuple(read_filter(text, plain=dialect.plain_filter) for text in texts)


def _fields(asked: Parameters, dialect: Dialect) -> tuple[str, ...]:
    names = [name for name in asked.get("fl", "fields").split(",") if name]
    return tuple(OTHER_NAMES.get(name, name) for name in names[:20]) or dialect.fields


def _collapsed(asked: Parameters) -> Sequence[tuple[str, int]]:
    """Return fields that are compared with the line before, and how much of each."""
    found = []
    for text in asked.all("collapse")[:5]:
        name, _, size = text.partition(":")
        found.append((OTHER_NAMES.get(name, name), int(size) if size.isdecimal() else 10**6))
    if asked.get("collapseTime"):
        found.append(("timestamp", asked.number("collapseTime", 10, 1, 14)))
    return found
