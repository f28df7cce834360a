"""Changes once a crawl is collected: deposits, and folders that are to be removed."""

from collections.abc import Sequence
from contextlib import suppress

from agents.deposit import DepositFigures
from agents.scheduler.database.met_streams import MetStreams
from agents.scheduler.database.rows import Crawl, Following, Sequel
from agents.scheduler.life import Event, NoSuchTransition


class Deposits(MetStreams):
    """Each method is one transaction, durable when it returns."""

    def deposit_began(self, crawl: str, date: str) -> None:
        """Note that a crawl is being deposited.

        Raises:
            NoSuchTransition: it does not wait for that.
        """
        with self._transaction():
            self._move(self._crawl(crawl), Event.DEPOSIT_BEGAN, date)

    def deposits_began(self, crawls: Sequence[Crawl], date: str) -> list[str]:
        """Note that crawls are being deposited; return the names of those that waited for that."""
        begun = []
        with self._transaction():
            for crawl in crawls:
                with suppress(NoSuchTransition):
                    self._move(crawl, Event.DEPOSIT_BEGAN, date)
                    begun.append(crawl.crawl)
        return begun

    def deposit_broke(self, crawl: str, reason: str, date: str) -> Crawl:
        """Note that a deposit is to be tried again.

        Raises:
            NoSuchTransition: it is not being deposited.
        """
        with self._transaction():
            self._move(self._crawl(crawl), Event.DEPOSIT_BROKE, date, error=reason)
            return self._crawl(crawl)

    def deposit_impossible(
        self, crawl: str, reason: str, date: str, sequel: Sequel | Following | None = None
    ) -> None:
        """Note that what a crawl brought cannot be deposited, ever; `sequel` follows for its site.

        Raises:
            NoSuchTransition: it is not being deposited.
        """
        with self._transaction():
            given_up = self._crawl(crawl)
            self._move(given_up, Event.DEPOSIT_IMPOSSIBLE, date, reason)
            self._tallies.collected(given_up.figures, -1)
            self._follow_up(given_up, sequel, date)

    def deposit_done(
        self,
        crawl: str,
        figures: DepositFigures,
        date: str,
        sequel: Sequel | Following | None = None,
    ) -> None:
        """Note that a crawl is durable in storage; its directory may go.

        Args:
            crawl: its name.
            figures: how the deposit ended.
            date: now.
            sequel: what follows for its site.

        Raises:
            NoSuchTransition: it is not being deposited.
        """
        with self._transaction():
            done = self._crawl(crawl)
            self._move(done, Event.DEPOSIT_DONE, date, deposit=figures, error="")
            self._tallies.deposited(figures)
            self._discard(done.directory or "", date, done.machine)
            self._follow_up(done, sequel, date)
            if figures.findings is not None:
                streams = figures.findings.streams
                self._meet(self._site(done.site), streams, crawl, done.ordered, date)

    def discard(self, directory: str, date: str, machine: str = "") -> None:
        """Remember that a directory of a machine is to be removed."""
        with self._transaction():
            self._discard(directory, date, machine)

    def discarded(self, directories: Sequence[str]) -> None:
        """Forget directories that have been removed."""
        with self._transaction():
            for directory in directories:
                self._engine.execute("DELETE FROM discards WHERE directory = ?", [directory])
