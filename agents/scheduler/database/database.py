"""The whole database: orders, standings, attempts, deposits, and everything it can be asked."""

from agents.scheduler.database.deposits import Deposits
from agents.scheduler.database.gathered import Gathered
from agents.scheduler.database.groups import Groups
from agents.scheduler.database.learning import Learning
from agents.scheduler.database.machines import Machines
from agents.scheduler.database.missed import Missed
from agents.scheduler.database.rhythms import Rhythms
from agents.scheduler.database.rows import Crawl
from agents.scheduler.database.streams import Streams
from agents.scheduler.life import CrawlState, Event


class Database(Machines, Deposits, Learning, Rhythms, Missed, Gathered, Streams, Groups):
    """The scheduler's database; each method is one transaction, durable when it returns."""

    def recover(self, date: str) -> list[Crawl]:
        """Take up what a former run left; return the crawls that crawlers were collecting.

        Deposits that were under way are to be repeated: they have no effect twice.
        """
        with self._transaction():
            for crawl in self.in_state(CrawlState.DEPOSITING):
                self._move(crawl, Event.DEPOSIT_BROKE, date)
        return self.in_state(CrawlState.COLLECTING)
