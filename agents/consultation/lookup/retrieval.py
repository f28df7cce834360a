"""The seven steps from a URL and a date to the bytes the web gave (*INA §2.3.2*)."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import timedelta
from operator import itemgetter
from typing import TypeVar

from attrs import evolve, frozen

from agents import dates
from agents.capture import Capture, structure_key
from agents.consultation.access.rules import Rules, kept_back
from agents.consultation.errors import Faulted, LookupFailed, NodesFailed
from agents.consultation.faults.fault import (
    missing_captures,
    missing_content,
    unknown_url,
    unreachable,
)
from agents.consultation.lookup.contents import Content
from agents.consultation.lookup.remembered import Remembered
from agents.consultation.lookup.structures import CaptureLine, Nearest, Structures
from agents.consultation.proxy.heads import only_redirects_to, secure_twin
from agents.consultation.readers.reader import Reader
from agents.session_ids import without_session
from agents.stream_offset import MILLISECONDS_LIMIT, offset_of
from anet.errors import Overloaded, Stopped
from anet.http import HttpClient

_Found = TypeVar("_Found")

ALIKE_TRIED = 3  # URLs held equal that are looked up for one that is not there
_LONGEST = timedelta(milliseconds=MILLISECONDS_LIMIT)  # of a piece of a stream
_ENTRIES = 5000  # of a stream that are looked through for those of one piece
NEWEST = "9999" + "1231235959999999"
"""A date that no capture passes; the nearest capture to it is the newest."""


@frozen
class Retrieved:
    """What the archive gives for a URL at a date.

    Attributes:
        nearest: the capture, and where it stands among the others.
        content: its content, begun; None when only the head was asked for.
    """

    nearest: Nearest
    content: Content | None


class Retrieval:
    """Finds captures and their contents."""

    def __init__(
        self,
        locator: Remembered,
        structures: Structures,
        client: HttpClient,
        rules: Rules,
        *,
        secure_as_plain: bool = True,
        alike: Callable[[str], Awaitable[list[str]]] | None = None,
    ) -> None:
        self.locator = locator
        self._structures = structures
        self._client = client
        self._rules = rules
        self._secure_as_plain = secure_as_plain
        self._alike = alike or nothing_alike

    async def retrieve(
        self, url: str, date: str, *, reader: Reader | None = None, head_only: bool = False
    ) -> Retrieved:
        """Return the capture of a canonical URL nearest to a date, and its content.

        Args:
            url: canonical.
            date: 20 digits, or empty for the newest.
            reader: for whom.
            head_only: whether the content itself is not wanted; that it lies somewhere is
                still looked up.

        Raises:
            Faulted: the archive cannot give it: with 404 what it does not know, with 500 what it
                knows and no node gives, with 503 when nobody can say whether it knows it, with
                451 what may not be shown.
        """
        nearest = await self.find(url, date, reader=reader)
        return Retrieved(
            nearest,
            await self.open(nearest.capture, head_only=head_only, body=nearest.body, reader=reader),
        )

    async def find(self, url: str, date: str, *, reader: Reader | None = None) -> Nearest:
        """Return the capture of a canonical URL nearest to a date, without its content.

        Raises:
            Faulted: as `retrieve`.
        """
        self._rules.check(url, reader=reader)
        try:
            nearest = await self._capture(url, date, reader)
        except LookupFailed as error:
            raise Faulted(unreachable(url, date, str(error))) from error
        except NodesFailed as error:
            raise Faulted(missing_captures(url, date, str(error))) from error
        if nearest is None:
            raise Faulted(unknown_url(url, date))
        self._rules.check(nearest.capture.url, nearest.capture.date, reader)
        return self._told(nearest, reader) if self._rules.count else nearest

    def _told(self, nearest: Nearest, reader: Reader | None) -> Nearest:
        """Return where a capture stands, without the dates of others that are kept back."""
        capture = nearest.capture

        def shown(date: str) -> bool:
            return self._rules.reason(capture.url, date, reader) is None

        return evolve(
            nearest,
            first=nearest.first if shown(nearest.first) else capture.date,
            last=nearest.last if shown(nearest.last) else capture.date,
            previous=nearest.previous if nearest.previous and shown(nearest.previous) else None,
            next=nearest.next if nearest.next and shown(nearest.next) else None,
        )

    async def open(
        self,
        capture: Capture,
        span: tuple[int, int] | None = None,
        *,
        head_only: bool = False,
        body: bytes | None = None,
        reader: Reader | None = None,
    ) -> Content | None:
        """Return the content of a capture that was found, begun; None when only its head is wanted.

        That of an entry of a stream is a piece of some minutes, all of which must be allowed.

        Args:
            capture: as `find` gave it.
            span: the bytes that are wanted, from the first up to and without the second.
            head_only: whether none are; that they lie somewhere is still looked up.
            body: the content, where it came with the capture; then nobody is asked.
            reader: for whom.

        Raises:
            Faulted: no node gives it (500), or a part of it may not be shown (451).
        """
        if self._rules.count and offset_of(capture.metadata) is not None:
            await self._check_piece(capture, reader)
        if body is not None:
            return (
                None
                if head_only
                else Content(self._client, [], capture.content, capture.size, span, body)
            )
        try:
            return await self._begun(capture, span, head_only)
        except (LookupFailed, NodesFailed) as error:
            fault = missing_content(capture.url, capture.date, capture.content)
            raise Faulted(fault) from error

    async def _check_piece(self, capture: Capture, reader: Reader | None) -> None:
        """Check that a reader may see all dates of the content of an entry of a stream."""
        moment = dates.to_datetime(capture.date)
        first, last = (dates.from_datetime(moment + each) for each in (-_LONGEST, _LONGEST))
        rule = self._rules.rule_within(capture.url, first, last, reader)
        if rule is None:
            return
        try:
            lines = await self.some(capture.url, first, last, _ENTRIES)
        except (LookupFailed, NodesFailed) as error:
            raise Faulted(unreachable(capture.url, capture.date, str(error))) from error
        if len(lines) < _ENTRIES:  # else not all of the piece may be among them
            found = [line.date for line in lines if line.content == capture.content]
            first, last = min(found, default=first), max(found, default=last)
            rule = self._rules.rule_within(capture.url, first, last, reader)
        if rule is not None:
            raise Faulted(kept_back(rule, capture.url))

    async def _begun(
        self, capture: Capture, span: tuple[int, int] | None, head_only: bool
    ) -> Content | None:
        """Return a content that nodes give; where it lay a while ago, it may lie no more."""
        key, silent = capture.content, self._structures.silent
        nodes = await self.locator.locate("contents", key)
        if head_only and nodes:
            return None
        content = Content(self._client, nodes, key, capture.size, span, silent=silent)
        try:
            await content.begin()
        except NodesFailed:
            nodes = await self.locator.elsewhere("contents", key, nodes)
            if not nodes:
                raise
            content = Content(self._client, nodes, key, capture.size, span, silent=silent)
            await content.begin()
        return content

    async def captures(self, url: str, *, heads: bool = False) -> list[CaptureLine]:
        """Return all captures of a canonical URL in the order of their dates.

        A URL that has none as it is may have some without the identifier of a session.

        Args:
            url: canonical.
            heads: whether their heads are wanted too.

        Raises:
            LookupFailed: nobody knows where they lie.
            NodesFailed: no node gave them.
        """
        key = structure_key(url)
        found = await self._from_nodes(
            key, lambda nodes: self._structures.captures(nodes, key, heads=heads)
        )
        plain = without_session(url)
        return found if found or plain == url else await self.captures(plain, heads=heads)

    async def nearest(self, name: str, date: str) -> Nearest | None:
        """Return the capture of a name nearest to a date, or None; else as `some`."""
        return await self._nearest(name, date)

    async def some(self, name: str, first: str, last: str, limit: int) -> list[CaptureLine]:
        """Return the captures of a name from a date to another, both included, at most `limit`.

        Whatever the access rules say: who shows them asks these.

        Args:
            name: of a structure file: a URL, or what the archive calls records of its own.
            first: 20 digits.
            last: likewise.
            limit: captures at most.

        Raises:
            LookupFailed: nobody knows where they lie.
            NodesFailed: no node gave them.
        """
        key = structure_key(name)
        return await self._from_nodes(
            key, lambda nodes: self._structures.some(nodes, key, first, last, limit)
        )

    async def of_key(self, key: str, date: str, reader: Reader | None = None) -> Nearest:
        """Return the capture of this very date in a structure file, without its content.

        Raises:
            Faulted: as `find`.
        """
        try:
            nearest = await self._from_nodes(
                key, lambda nodes: self._structures.nearest(nodes, key, date)
            )
        except (LookupFailed, NodesFailed) as error:
            raise Faulted(unreachable(key, date, str(error))) from error
        if nearest is None or nearest.capture.date != date:
            raise Faulted(unknown_url(key, date))
        self._rules.check(nearest.capture.url, date, reader)
        return nearest

    async def _capture(self, url: str, date: str, reader: Reader | None) -> Nearest | None:
        """Look a URL up as it is asked for, then without its session, then those held equal."""
        nearest = await self._plain_or_secure(url, date)
        if nearest is not None:
            return nearest
        plain = without_session(url)
        nearest = await self._plain_or_secure(plain, date) if plain != url else None
        if nearest is not None and not only_redirects_to(nearest.capture, url):
            return nearest  # otherwise the browser would ask for the same again and again
        return await self._nearest_alike(url, date, reader)

    async def _nearest_alike(self, url: str, date: str, reader: Reader | None) -> Nearest | None:
        """Return the capture nearest to a date among the closest URLs that are held equal.

        Those that cannot be had now are passed over: they are not what was asked for.
        """
        found: list[tuple[timedelta, Nearest]] = []
        with suppress(Stopped, Overloaded):
            for each in (await self._alike(url))[:ALIKE_TRIED]:
                with suppress(NodesFailed, LookupFailed, Faulted, dates.InvalidDate):
                    self._rules.check(each, reader=reader)
                    nearest = await self._nearest(each, date)
                    if nearest is None or only_redirects_to(nearest.capture, url):
                        continue
                    self._rules.check(each, nearest.capture.date, reader)
                    found.append((_apart(nearest.capture.date, date), nearest))
        return min(found, key=itemgetter(0))[1] if found else None

    async def _plain_or_secure(self, url: str, date: str) -> Nearest | None:
        nearest = await self._nearest(url, date)
        secure = secure_twin(url) if self._secure_as_plain else None
        if secure is None:
            return nearest
        if nearest is None or only_redirects_to(nearest.capture, secure):
            return await self._nearest(secure, date) or nearest
        return nearest

    async def _nearest(self, url: str, date: str) -> Nearest | None:
        key = structure_key(url)
        return await self._from_nodes(
            key, lambda nodes: self._structures.nearest(nodes, key, date or NEWEST)
        )

    async def _from_nodes(self, key: str, ask: Callable[[list[str]], Awaitable[_Found]]) -> _Found:
        """Ask the nodes that hold a structure file, or those that hold it now."""
        nodes = await self.locator.locate("structures", key)
        try:
            return await ask(nodes)
        except NodesFailed:
            nodes = await self.locator.elsewhere("structures", key, nodes)
            if not nodes:
                raise
            return await ask(nodes)


def _apart(one: str, other: str) -> timedelta:
    return abs(dates.to_datetime(one) - dates.to_datetime(other or NEWEST))


async def nothing_alike(_: str) -> list[str]:
    """Hold no URL equal to another."""
    return []
