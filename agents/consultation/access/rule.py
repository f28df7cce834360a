"""One rule of what the archive holds and does not show: where, which captures, until when. Pure."""

import re
from calendar import monthrange
from functools import lru_cache
from hashlib import sha256
from typing import Any, Literal, TypeAlias, get_args
from urllib.parse import unquote

import msgspec
from attrs import asdict, frozen

from agents import dates
from agents.consultation.errors import RulesRefused
from agents.consultation.readers.reader import Reader
from agents.urls import authority, canonical, split_port, target

Kind: TypeAlias = Literal["embargo", "takedown"]
KEYS = ("urls", "kind", "reason", "from", "to", "until", "readers", "exact", "who", "when", "why")
REASON_LIMIT = 1000  # characters that readers are shown

_SPAN = re.compile(r"(\d{1,4}) (day|month|year)s? after capture")
_DIGITS = re.compile(r"[\d\-:.TZ ]+")


@frozen
class Place:
    """Where a rule holds: all URLs of a host, with its subdomains or not, that begin like this.

    Attributes:
        host: without `www.`, maybe with a port; empty for every host.
        path: the beginning of path and query, in the form of `comparable`.
        subdomains: whether it holds for the host's subdomains too.
    """

    host: str
    path: str
    subdomains: bool = False


@frozen
class Span:
    """A time after each capture: so many days, months or years."""

    count: int
    unit: str

    @lru_cache(100)  # noqa: B019 - many captures are compared with one date
    def before(self, now: str) -> str:
        """Return the date that lies this long before another."""
        moment = dates.to_datetime(now)
        if self.unit == "day":
            days = max(1, moment.toordinal() - self.count)
            return dates.from_datetime(moment.fromordinal(days))[:8] + now[8:]
        months = moment.year * 12 + moment.month - 1
        year, month = divmod(months - self.count * (12 if self.unit == "year" else 1), 12)
        if year < 1:
            return "0" * dates.DIGITS
        day = min(moment.day, monthrange(year, month + 1)[1])
        return f"{year:04d}{month + 1:02d}{day:02d}{now[8:]}"


@frozen
class Rule:
    """What is kept back, and why.

    Attributes:
        urls: the patterns as they were written.
        kind: an embargo ends by itself, a takedown does not.
        reason: what readers are told.
        begins: digits of the first date of the captures kept back, a prefix of 20; or empty.
        ends: digits of the last, a prefix that holds for all dates that begin so; or empty.
        until: the date on which an embargo ends, 20 digits, or empty.
        span: how long after its capture a document is kept back, or None.
        readers: names of those who may see it all the same.
        exact: whether it holds for these URLs alone, and not for those that begin like them.
        who: who made the rule.
        when: the date on which they made it, as they wrote it.
        why: what they had to say that readers are not told.
    """

    urls: tuple[str, ...]
    kind: Kind
    reason: str
    begins: str = ""
    ends: str = ""
    until: str = ""
    span: Span | None = None
    readers: frozenset[str] = frozenset()
    exact: bool = False
    who: str = ""
    when: str = ""
    why: str = ""

    @property
    def name(self) -> str:
        """Eight digits that stand for what the rule says, whoever made it."""
        said = asdict(self) | {"who": "", "when": "", "why": "", "readers": sorted(self.readers)}
        return sha256(msgspec.json.encode(said)).hexdigest()[:8]

    def keeps(self, date: str, now: str, reader: Reader | None = None) -> bool:
        """Tell whether a reader may not see the capture of a date.

        Args:
            date: 20 digits; empty when no capture is known yet, and the rule holds only if it
                does for every date.
            now: 20 digits.
            reader: who asks, or None for anybody.
        """
        if not date and (self.begins or self.ends or self.span):
            return False
        return self.keeps_some(date, date, now, reader)

    def keeps_some(self, first: str, last: str, now: str, reader: Reader | None = None) -> bool:
        """Tell whether a reader may not see what is of some moment between two dates.

        Args:
            first: 20 digits; that moment included.
            last: likewise.
            now: likewise.
            reader: who asks, or None for anybody.
        """
        if reader is not None and reader.name and reader.name in self.readers:
            return False
        if self.until and now >= self.until:
            return False
        return (
            last[: len(self.begins)] >= self.begins
            and (not self.ends or first[: len(self.ends)] <= self.ends)
            and (self.span is None or last > self.span.before(now))
        )


def rule_of(said: Any) -> Rule:
    """Return the rule of a mapping whose values are texts.

    Raises:
        RulesRefused: it is none; the message says what is wrong.
    """
    if not isinstance(said, dict):
        raise RulesRefused("expected a rule, keys with values")
    unknown = sorted(str(key) for key in said if key not in KEYS)
    if unknown:
        raise RulesRefused(f"{unknown[0]!r} is no key of a rule; there are {', '.join(KEYS)}")
    kind = _text(said, "kind")
    if kind not in get_args(Kind):
        raise RulesRefused("kind: expected embargo or takedown")
    until, span = _end(_text(said, "until"))
    if (kind == "embargo") != bool(until or span):
        raise RulesRefused("until: an embargo ends at some time, and a takedown never does")
    reason = _text(said, "reason")
    if not 0 < len(reason) <= REASON_LIMIT:
        raise RulesRefused(f"reason: expected 1 to {REASON_LIMIT} characters that readers are told")
    exact = _text(said, "exact") or "no"
    if exact not in ("yes", "no", "true", "false"):
        raise RulesRefused("exact: expected yes or no")
    rule = Rule(
        tuple(_texts(said, "urls")), "embargo" if kind == "embargo" else "takedown", reason,
        _date(said, "from"), _date(said, "to"), until, span,
        frozenset(_texts(said, "readers")), exact in ("yes", "true"),
        _text(said, "who"), _text(said, "when"), _text(said, "why"),
    )  # fmt: skip
    if not rule.urls:
        raise RulesRefused("urls: expected at least one")
    return rule


def place_of(pattern: str) -> Place:
    """Return where a pattern of a rule points.

    Args:
        pattern: `example.org/path`, with `http://` or without; `*.example.org` for a host and
            its subdomains; `*` for everything.

    Raises:
        RulesRefused: it is no pattern.
    """
    if pattern == "*":
        return Place("", "/", subdomains=True)
    scheme, _, rest = pattern.rpartition("://")
    subdomains = rest.startswith("*.")
    url = canonical(f"{scheme or 'http'}://{rest.removeprefix('*.')}")
    if url is None or rest.startswith("/") or "*" in authority(url):
        raise RulesRefused(f"urls: {pattern[:200]!r} is no host with a path")
    return Place(named(authority(url)), comparable(target(url)), subdomains)


def named(host: str) -> str:
    """Return a host of a canonical URL, maybe with its port, as rules compare it."""
    name, port = split_port(host)
    name = name.removeprefix("www.").rstrip(".")
    return name if port is None else f"{name}:{port}"


def comparable(path: str) -> str:
    """Return path and query as rules compare them: however they are percent-encoded."""
    return unquote(path, "latin-1") if "%" in path else path


def _text(said: dict[Any, Any], key: str) -> str:
    value = said.get(key) or ""
    if not isinstance(value, str):
        raise RulesRefused(f"{key}: expected one text")
    return value.strip()


def _texts(said: dict[Any, Any], key: str) -> list[str]:
    value = said.get(key) or []
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list) or not all(isinstance(one, str) and one for one in values):
        raise RulesRefused(f"{key}: expected a text or a list of texts")
    return values


def _date(said: dict[Any, Any], key: str) -> str:
    """Return the digits of a date, as many as were written."""
    text = _text(said, key)
    if not text:
        return ""
    date = _parsed(key, text)
    return re.sub(r"\D", "", text) if _DIGITS.fullmatch(text) else date


def _end(text: str) -> tuple[str, Span | None]:
    span = _SPAN.fullmatch(text)
    if span is not None:
        return "", Span(int(span[1]), span[2])
    return (_parsed("until", text) if text else ""), None


def _parsed(key: str, text: str) -> str:
    try:
        return dates.parse(text)
    except dates.InvalidDate as error:
        more = ", or 10 years after capture" if key == "until" else ""
        raise RulesRefused(f"{key}: {error}{more}") from None
