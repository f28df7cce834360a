"""Changes once a crawl is collected: deposits, and folders that are to be removed."""

from agents.deposit import DepositFigures
from agents.scheduler.database.changes import Changes
from agents.scheduler.database.rows import Crawl, to_json
from agents.scheduler.life import Event


class Deposits(Changes):
    """Each method is one transaction, durable when it returns."""

    def deposit_began(self, crawl: str, date: str) -> Crawl:
        """Note that a crawl is being deposited.

        Raises:
            NoSuchTransition: it does not wait for that.
        """
        with self._transaction():
            self._happen(crawl, Event.DEPOSIT_BEGAN, date)
            return self._crawl(crawl)

    def deposit_broke(self, crawl: str, reason: str, date: str) -> Crawl:
        """Note that a deposit is to be tried again.

        Raises:
            NoSuchTransition: it is not being deposited.
        """
        with self._transaction():
            self._happen(crawl, Event.DEPOSIT_BROKE, date)
            self._set(crawl, error=reason)
            return self._crawl(crawl)

    def deposit_impossible(self, crawl: str, reason: str, date: str) -> Crawl:
        """Note that what a crawl brought cannot be deposited, ever.

        Raises:
            NoSuchTransition: it is not being deposited.
        """
        with self._transaction():
            self._happen(crawl, Event.DEPOSIT_IMPOSSIBLE, date, reason)
            return self._crawl(crawl)

    def deposit_done(self, crawl: str, figures: DepositFigures, date: str) -> Crawl:
        """Note that a crawl is durable in storage; its directory may go.

        Raises:
            NoSuchTransition: it is not being deposited.
        """
        with self._transaction():
            self._happen(crawl, Event.DEPOSIT_DONE, date)
            self._set(crawl, deposit=to_json(figures), error="")
            self._discard(self._crawl(crawl).directory or "", date)
            return self._crawl(crawl)

    def discard(self, directory: str, date: str) -> None:
        """Remember that a directory is to be removed."""
        with self._transaction():
            self._discard(directory, date)

    def discarded(self, directory: str) -> None:
        """Forget a directory that has been removed."""
        with self._transaction():
            self._connection.execute("DELETE FROM discards WHERE directory = ?", [directory])
