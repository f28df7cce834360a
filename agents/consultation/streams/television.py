"""Channels that players load part by part (HLS, DASH), as they were at each moment."""

from collections.abc import Awaitable, Callable

from attrs import frozen

from agents import dates
from agents.consultation.asked import Asked
from agents.consultation.lookup.retrieval import Retrieval
from agents.consultation.lookup.structures import Nearest
from agents.consultation.readers.destinations import DOCUMENT, PAGE
from agents.consultation.streams.legs import seconds
from agents.consultation.streams.manifests import is_manifest, read_manifest
from agents.consultation.streams.sessions import Session, Sessions

MANIFEST_LIMIT = 1024 * 1024  # bytes of one that is read
FAR = 60.0  # seconds from the nearest manifest beyond which a session begins at that
Find = Callable[[str], Awaitable[Nearest]]


@frozen
class Television:
    """Knows at which moment of a channel each reader is.

    Attributes:
        retrieval: opens manifests.
        sessions: of all readers.
    """

    retrieval: Retrieval
    sessions: Sessions

    def session(self, asked: Asked, chosen: str) -> Session | None:
        """Return the session that what a reader asks for is of."""
        if asked.destination in (DOCUMENT, PAGE) or not len(self.sessions):
            return None
        return self.sessions.find(asked.reader.key, asked.url, chosen)

    def moment(self, session: Session) -> str:
        """Return at which moment a session is."""
        return self.sessions.moment(session)

    def time(self, session: Session, url: str) -> str:
        """Return what a player is told that asks for the time; empty where it does not."""
        if not session.is_clock(url):
            return ""
        return dates.to_datetime(self.moment(session)).isoformat().replace("+00:00", "Z")

    async def follow(
        self, asked: Asked, nearest: Nearest, date: str, chosen: str, session: Session | None
    ) -> None:
        """Note a manifest that was found, and begin a session with it unless there is one.

        Args:
            asked: what was asked for.
            nearest: what was found.
            date: for which it was found.
            chosen: the date that the reader chose, or empty.
            session: that it is of.

        Raises:
            Faulted: no node gives the manifest.
        """
        capture = nearest.capture
        if not is_manifest(capture) or capture.size > MANIFEST_LIMIT:
            return
        content = await self.retrieval.open(capture, body=nearest.body)
        body = b"" if content is None else b"".join([piece async for piece in content])
        manifest = read_manifest(capture.url, body)
        if session is None and not manifest.ended:
            moment = _anchor(date, capture.date)
            session = self.sessions.begin(asked.reader.key, asked.url, chosen, moment)
        if session is not None:
            session.note(asked.url, manifest)


def _anchor(date: str, found: str) -> str:
    """Return where a session begins: at the date asked for, or where anything was received."""
    return date if date and abs(seconds(date) - seconds(found)) <= FAR else found
