"""A catalogue of streams of the archive in memory, and a visitor of the harbor that shows it."""

from pathlib import Path
from typing import Any

import pytest
import pytest_twisted

from agents.consultation.access.rules import Rules
from agents.consultation.streams.catalogue import Catalogue
from agents.consultation.streams.reading import Reading
from agents.consultation.streams.tables import Tables
from agents.stream import log_name
from anet.workers import Workers
from tests.agents.consultation.harbor.conftest import harbor_of, visit
from tests.agents.consultation.streams.recorded import RADIO

__all__ = ["harbor_of", "visit"]


class Library:
    """A catalogue, and what reads for it."""

    def __init__(self, reactor: Any, archive: Any, folder: Path, rules: Rules) -> None:
        self.workers = Workers(reactor, 1)
        self.tables = Tables(folder / "streams.db")
        self.catalogue = Catalogue(self.tables, self.workers, rules)
        self.reading = Reading(reactor, archive.retrieval, self.tables, self.workers)

    async def start(self) -> None:
        """Open the file."""
        self.workers.startService()
        await self.workers.run(self.tables.open)

    async def stop(self) -> None:
        """Close it."""
        await self.workers.run(self.tables.close)
        await self.workers.stopService()

    async def read(self, *streams: str) -> None:
        """Read what is new of streams."""
        self.reading.heard([log_name(stream) for stream in streams or (RADIO,)])
        await self.reading.read()


@pytest.fixture
def rules() -> Rules:
    """Nothing is kept back."""
    return Rules()


@pytest_twisted.async_yield_fixture
async def library(reactor: Any, archive: Any, tmp_path: Path, rules: Rules) -> Any:
    """A catalogue of the archive in memory."""
    library = Library(reactor, archive, tmp_path, rules)
    await library.start()
    yield library
    await library.stop()
