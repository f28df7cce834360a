"""Streams as a part of the agent: what is on the air, and the catalogue of what was."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

from twisted.application.service import Service
from twisted.logger import Logger

from agents.consultation.access.rules import Rules
from agents.consultation.config import ConsultationConfig
from agents.consultation.lookup.retrieval import Retrieval
from agents.consultation.streams.catalogue import Catalogue
from agents.consultation.streams.listeners import Listeners
from agents.consultation.streams.on_air import OnAir
from agents.consultation.streams.playing import Pace
from agents.consultation.streams.radio import Radio
from agents.consultation.streams.reading import Reading
from agents.consultation.streams.sessions import Sessions
from agents.consultation.streams.tables import Tables
from agents.consultation.streams.television import Television
from agents.page import Figures
from anet.workers import Workers

NAME = "streams.db"
_log = Logger()


class Streams(Service):
    """Gives streams, and knows them.

    Args:
        reactor: which reactor.
        folder: of the agent, where the catalogue lies.
        config: of the agent.
        retrieval: finds what was received.
        rules: what may not be shown.
        gave: called with the size of what is given.

    Attributes:
        on_air: gives streams at a date.
        catalogue: which streams there are, and what was said.
        reading: learns of them.
        listeners: how many there are.
    """

    def __init__(
        self,
        reactor: Any,
        folder: Path,
        config: ConsultationConfig,
        retrieval: Retrieval,
        rules: Rules,
        gave: Callable[[int], None],
    ) -> None:
        self._path = folder / NAME
        self._tables = Tables(self._path)
        self._workers = Workers(reactor, 1, name="catalogue of streams")
        self.catalogue = Catalogue(self._tables, self._workers, rules)
        self.reading = Reading(reactor, retrieval, self._tables, self._workers)
        self.listeners = Listeners(config.listeners)
        patience = min(config.listen_patience, config.silence / 2)
        pace = Pace(reactor, config.listen_burst, patience)
        self._sessions = Sessions(reactor)
        self.on_air = OnAir(
            Radio(retrieval, rules, self.listeners, pace, gave, self.catalogue.title_before),
            Television(retrieval, self._sessions),
        )

    def startService(self) -> None:
        """Open the catalogue, and begin to read; without it streams are given all the same."""
        super().startService()
        self._workers.startService()
        self._workers.run(self._tables.open).addCallbacks(
            lambda _: self.reading.start(), self._failed
        )

    def _failed(self, failure: Any) -> None:
        failure.trap(OSError, sqlite3.Error)
        _log.error(
            "no catalogue of streams in {path}: {error}", path=self._path, error=failure.value
        )

    async def stopService(self) -> None:
        """Read no more, and close the catalogue."""
        super().stopService()
        await self.reading.stop()
        await self._workers.run(self._tables.close)
        await self._workers.stopService()

    def figures(self) -> Figures:
        """Return what the agent's page shows of streams."""
        return Figures("Streams", self.status())

    def status(self) -> dict[str, int]:
        """Return the same for programs."""
        return {
            "listeners": self.listeners.count,
            "channels watched": len(self._sessions),
            "streams with logs to read": self.reading.waiting,
        }
