"""The seven steps from a URL and a date to the bytes the web gave (*INA §2.3.2*)."""

from attrs import frozen

from agents.capture import Capture, structure_key
from agents.consultation.access.rules import Rules
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
from anet.http import HttpClient

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
    ) -> None:
        self.locator = locator
        self._structures = structures
        self._client = client
        self._rules = rules
        self._secure_as_plain = secure_as_plain

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
            nearest, await self.open(nearest.capture, head_only=head_only, body=nearest.body)
        )

    async def find(self, url: str, date: str, *, reader: Reader | None = None) -> Nearest:
        """Return the capture of a canonical URL nearest to a date, without its content.

        Raises:
            Faulted: as `retrieve`.
        """
        self._rules.check(url, reader=reader)
        try:
            nearest = await self._capture(url, date)
        except LookupFailed as error:
            raise Faulted(unreachable(url, date, str(error))) from error
        except NodesFailed as error:
            raise Faulted(missing_captures(url, date, str(error))) from error
        if nearest is None:
            raise Faulted(unknown_url(url, date))
        self._rules.check(nearest.capture.url, nearest.capture.date, reader)
        return nearest

    async def open(
        self,
        capture: Capture,
        span: tuple[int, int] | None = None,
        *,
        head_only: bool = False,
        body: bytes | None = None,
    ) -> Content | None:
        """Return the content of a capture that was found, begun; None when only its head is wanted.

        Args:
            capture: as `find` gave it.
            span: the bytes that are wanted, from the first up to and without the second.
            head_only: whether none are; that they lie somewhere is still looked up.
            body: the content, where it came with the capture; then nobody is asked.

        Raises:
            Faulted: no node gives it (500).
        """
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

    async def _begun(
        self, capture: Capture, span: tuple[int, int] | None, head_only: bool
    ) -> Content | None:
        """Return a content that nodes give; where it lay a while ago, it may lie no more."""
        key = capture.content
        nodes = await self.locator.locate("contents", key)
        if head_only and nodes:
            return None
        content = Content(self._client, nodes, key, capture.size, span)
        try:
            await content.begin()
        except NodesFailed:
            if not self.locator.forget("contents", key):
                raise
            nodes = await self.locator.locate("contents", key)
            content = Content(self._client, nodes, key, capture.size, span)
            await content.begin()
        return content

    async def captures(self, url: str) -> list[CaptureLine]:
        """Return all captures of a canonical URL in the order of their dates.

        A URL that has none as it is may have some without the identifier of a session.

        Raises:
            LookupFailed: nobody knows where they lie.
            NodesFailed: no node gave them.
        """
        key = structure_key(url)
        nodes = await self.locator.locate("structures", key)
        found = await self._structures.captures(nodes, key)
        plain = without_session(url)
        return found if found or plain == url else await self.captures(plain)

    async def _capture(self, url: str, date: str) -> Nearest | None:
        """Look a URL up as it is asked for, then as a crawler that removes sessions names it."""
        nearest = await self._plain_or_secure(url, date)
        plain = without_session(url)
        if nearest is not None or plain == url:
            return nearest
        nearest = await self._plain_or_secure(plain, date)
        if nearest is not None and only_redirects_to(nearest.capture, url):
            return None  # the browser would ask for the same again and again
        return nearest

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
        nodes = await self.locator.locate("structures", key)
        try:
            return await self._structures.nearest(nodes, key, date or NEWEST)
        except NodesFailed:
            if not self.locator.forget("structures", key):
                raise
        nodes = await self.locator.locate("structures", key)
        return await self._structures.nearest(nodes, key, date or NEWEST)
