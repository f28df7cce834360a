"""Changes once a crawl is collected: deposits, and folders that are to be removed."""

from agents.deposit import DepositFigures
from agents.scheduler.database.decisions import Decisions
from agents.scheduler.database.rows import Crawl, Sequel
from agents.scheduler.life import Event


class Deposits(Decisions):
    """Each method is one transaction, durable when it returns."""

    def deposit_began(self, crawl: str, date: str) -> Crawl:
        """Note that a crawl is being deposited.

        Raises:
            NoSuchTransition: it does not wait for that.
        """
        with self._transaction():
            return self._move(self._crawl(crawl), Event.DEPOSIT_BEGAN, date)

    def deposit_broke(self, crawl: str, reason: str, date: str) -> Crawl:
        """Note that a deposit is to be tried again.

        Raises:
            NoSuchTransition: it is not being deposited.
        """
        with self._transaction():
            back = self._move(self._crawl(crawl), Event.DEPOSIT_BROKE, date)
            return self._set(back, error=reason)

    def deposit_impossible(
        self, crawl: str, reason: str, date: str, sequel: Sequel | None = None
    ) -> Crawl:
        """Note that what a crawl brought cannot be deposited, ever; `sequel` follows for its site.

        Raises:
            NoSuchTransition: it is not being deposited.
        """
        with self._transaction():
            given_up = self._move(self._crawl(crawl), Event.DEPOSIT_IMPOSSIBLE, date, reason)
            self._tallies.collected(given_up.figures, -1)
            self._follow_up(given_up, sequel, date)
            return given_up

    def deposit_done(
        self, crawl: str, figures: DepositFigures, date: str, sequel: Sequel | None = None
    ) -> Crawl:
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
            done = self._move(self._crawl(crawl), Event.DEPOSIT_DONE, date, deposit=figures)
            self._tallies.deposited(figures)
            self._discard(done.directory or "", date)
            self._follow_up(done, sequel, date)
            return self._set(done, error="") if done.error else done

    def discard(self, directory: str, date: str) -> None:
        """Remember that a directory is to be removed."""
        with self._transaction():
            self._discard(directory, date)

    def discarded(self, directory: str) -> None:
        """Forget a directory that has been removed."""
        with self._transaction():
            self._engine.execute("DELETE FROM discards WHERE directory = ?", [directory])
