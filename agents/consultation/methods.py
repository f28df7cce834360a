"""What the consultation agent answers over HIP."""

from typing import Any

from attrs import asdict, frozen

from agents.consultation.faults.missing import Missing
from agents.consultation.lookup.retrieval import Retrieval
from agents.consultation.measures import Measures
from agents.consultation.readers.readers import Readers
from agents.consultation.readers.screen import told
from agents.consultation.readers.screens import Screens
from agents.consultation.streams.catalogue import Catalogue
from hip import exposed

HOLES_LIMIT = 1000
STREAMS_LIMIT = 1000


@frozen
class ConsultationStatus:
    """What the agent says of itself.

    Attributes:
        lookup: `multicast` or `index`; `auto` while neither has answered.
        requests: answers since the start.
        outcomes: the same by outcome.
        bytes: bytes of contents given.
        readers: readers whose date is known.
        missing: URLs in the log of what is missing.
    """

    lookup: str
    requests: int
    outcomes: dict[str, int]
    bytes: int
    readers: int
    missing: int


class ConsultationMethods:
    """The remote methods."""

    def __init__(
        self,
        retrieval: Retrieval,
        measures: Measures,
        readers: Readers,
        missing: Missing,
        screens: Screens,
        catalogue: Catalogue,
    ) -> None:
        self._retrieval = retrieval
        self._measures = measures
        self._readers = readers
        self._missing = missing
        self._screens = screens
        self._catalogue = catalogue

    @exposed
    def status(self) -> ConsultationStatus:
        """Tell how lookups are made, and what was answered."""
        return ConsultationStatus(
            lookup=self._retrieval.locator.lookup,
            requests=self._measures.total,
            outcomes=dict(self._measures.outcomes),
            bytes=int(self._measures.bytes.total),
            readers=len(self._readers),
            missing=len(self._missing),
        )

    @exposed(roles=("operator", "master"))
    def missing(self, limit: int = 100) -> list[dict[str, Any]]:
        """List what readers asked for in vain, newest first."""
        holes = self._missing.newest(max(0, min(limit, HOLES_LIMIT)))
        return [asdict(hole) for hole in holes]

    @exposed(roles=("operator", "master"))
    def screens(self, reader: str) -> list[dict[str, Any]]:
        """List what is on a reader's screen, the newest page first.

        Args:
            reader: the name of a credential, or an address.
        """
        return [told(screen) for screen in self._screens.of(reader)]

    @exposed(roles=("operator", "master"))
    async def streams(self, after: str = "", limit: int = 100) -> list[dict[str, Any]]:
        """List the archived streams in the order of their URLs.

        Args:
            after: the URL after which to go on.
            limit: streams at most.
        """
        found, _ = await self._catalogue.streams(after, max(1, min(limit, STREAMS_LIMIT)))
        return [asdict(stream) for stream in found]

    @exposed(roles=("operator", "master"))
    async def titles(self, words: str, stream: str = "") -> list[dict[str, Any]]:
        """Find titles, names and descriptions of streams, what was learned of last first.

        Args:
            words: all of which are in it; the last may be the beginning of one.
            stream: its URL, or empty for all.
        """
        found, _ = await self._catalogue.search(words, stream)
        return [asdict(each) for each in found]
