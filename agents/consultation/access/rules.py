"""Embargoes and takedowns: what the archive holds and does not show."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from time import time
from typing import Protocol, TypeVar

from twisted.logger import Logger

from agents import dates
from agents.consultation.access.places import Places
from agents.consultation.access.rule import Rule
from agents.consultation.access.rules_file import read_rules
from agents.consultation.errors import Faulted, RulesRefused
from agents.consultation.faults.fault import Fault, unknown_url
from agents.consultation.readers.reader import Reader
from agents.urls import is_of_the_web


class _Dated(Protocol):
    """A capture, as far as rules look at it."""

    @property
    def url(self) -> str: ...

    @property
    def date(self) -> str: ...


Dated = TypeVar("Dated", bound=_Dated)
_log = Logger()
_Stamp = tuple[int, int, int]


def _now() -> str:
    return dates.from_timestamp(time())


class Rules:
    """What may not be shown: a file of rules that is read again when it changes.

    A file that cannot be read, or is gone, changes nothing: the former rules stay, and `trouble`
    says why, for the page, the status and the log. Nothing is shown because of a slip of the pen.

    Attributes:
        count: rules that hold.
        trouble: why the file as it is now does not; empty when it does.
    """

    def __init__(self, path: Path | None = None, now: Callable[[], str] = _now) -> None:
        """Take the rules of a file; without one there are none. Blocks.

        Raises:
            RulesRefused: the file is there, and is no list of rules.
        """
        self.count = 0
        self.trouble = ""
        self._path = path
        self._now = now
        self._places = Places()
        self._stamp: _Stamp | None = None
        if path is not None:
            self._stamp = stamp(path)
            self._take(*arranged(path))

    def check(self, url: str, date: str = "", reader: Reader | None = None) -> None:
        """Check that a reader may see a URL, and its capture of a date when that is known.

        Raises:
            Faulted: they may not (451); the fault tells the reason. What is not of the web, as
                the records of imported files, is for no reader, and as if it were not there (404).
        """
        if not is_of_the_web(url):
            raise Faulted(unknown_url(url, date))
        rule = self.rule(url, date, reader)
        if rule is not None:
            raise Faulted(kept_back(rule, url))

    def reason(self, url: str, date: str = "", reader: Reader | None = None) -> str | None:
        """Return why a reader may not see a URL or its capture of a date; None when they may."""
        if not is_of_the_web(url):
            return "It is not of the web."
        rule = self.rule(url, date, reader)
        return None if rule is None else rule.reason

    def rule(self, url: str, date: str = "", reader: Reader | None = None) -> Rule | None:
        """Return the most specific rule that keeps a canonical URL back, or None."""
        return self._first(url, lambda rule, now: rule.keeps(date, now, reader))

    def rule_within(
        self, url: str, first: str, last: str, reader: Reader | None = None
    ) -> Rule | None:
        """Return the most specific rule that keeps back some moment between two dates, or None."""
        return self._first(url, lambda rule, now: rule.keeps_some(first, last, now, reader))

    def _first(self, url: str, keeps: Callable[[Rule, str], bool]) -> Rule | None:
        if not self.count:
            return None
        now = ""
        for rule in self._places.find(url):
            now = now or self._now()
            if keeps(rule, now):
                return rule
        return None

    def shown(self, captures: Sequence[Dated], reader: Reader | None = None) -> list[Dated]:
        """Return those of many captures that a reader may see, in their order.

        They are mostly of one URL, whose rules are looked for once: a hundred thousand checks
        would hold up the reactor for half a second.
        """
        if not self.count:
            return list(captures)
        now = self._now()
        found = {url: list(self._places.find(url)) for url in {each.url for each in captures}}
        return [
            each
            for each in captures
            if not any(rule.keeps(each.date, now, reader) for rule in found[each.url])
        ]

    def changed(self) -> _Stamp | None:
        """Return what tells the file as it is now from the one that was read. Blocks.

        Returns:
            None when it is the same one, or there is none to look at.
        """
        if self._path is None:
            return None
        found = stamp(self._path)
        return found if found != self._stamp else None

    def renew(self) -> bool:
        """Read the file again if it has changed; tell whether its rules hold now. Blocks.

        One thread at a time may call it; others may ask for rules meanwhile.
        """
        found = self.changed()
        if found is None or self._path is None:
            return False
        self._stamp = found
        try:
            if found == _GONE:
                raise RulesRefused(f"{self._path} is gone; leave it empty to have no rules")
            self._take(*arranged(self._path))
        except RulesRefused as error:
            self.trouble = str(error)
            _log.error("the former access rules stay: {error}", error=error)
            return False
        _log.info("{count} access rules hold", count=self.count)
        return True

    def _take(self, places: Places, count: int) -> None:
        self._places, self.count, self.trouble = places, count, ""


_GONE: _Stamp = (0, 0, 0)


def stamp(path: Path) -> _Stamp:
    """Return what tells one state of a file from another; zeros when it is not there. Blocks."""
    try:
        found = os.stat(path)  # noqa: PTH116 - one system call
    except OSError:
        return _GONE
    return found.st_mtime_ns, found.st_size, found.st_ino


def arranged(path: Path) -> tuple[Places, int]:
    """Return the rules of a file as they are looked up, and their number. Blocks.

    Raises:
        RulesRefused: it is no list of rules.
    """
    rules = read_rules(path)
    try:
        return Places(rules), len(rules)
    except RulesRefused as error:
        raise RulesRefused(f"{path}: {error}") from None


def kept_back(rule: Rule, url: str) -> Fault:
    """Return the fault of what is held and not shown (RFC 7725); of when it is, it says nothing."""
    until = ""
    if rule.until:
        until = f" Until {dates.to_words(rule.until)[:10]}."
    elif rule.span is not None:
        plural = "" if rule.span.count == 1 else "s"
        until = f" For {rule.span.count} {rule.span.unit}{plural} after it was collected."
    return Fault(
        451, rule.kind, "Kept back",
        f"The archive does not show this: {rule.reason}{until}", url, "", rule.reason,
    )  # fmt: skip
