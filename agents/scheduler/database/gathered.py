"""Captures that no crawl made: of feeds, of streams, and what readers saw of the live web."""

from agents.collected.exchange import Collected
from agents.scheduler.database.decisions import SCHEDULER
from agents.scheduler.database.orders import Orders
from agents.scheduler.database.rows import NewSite, column
from agents.scheduler.life import CRAWL_ENDS, CrawlState, Standing


class Gathered(Orders):
    """Each method is one transaction, durable when it returns."""

    def gathered(self, collected: Collected, collection: str, agent: str, date: str) -> bool:
        """Have captures deposited, as a crawl that is whole; tell whether they are wanted.

        They are of a site that is never collected. Told again, it has no effect.

        Args:
            collected: where they lie.
            collection: the name of that site.
            agent: who gathered them.
            date: now.
        """
        with self._transaction():
            kept = self.crawl(collected.crawl)
            if kept is not None:
                return kept.state not in CRAWL_ENDS
            self._register(_site_of(collection), Standing.DORMANT, date, SCHEDULER)
            figures = column(collected.figures)
            names = [collected.crawl, collection, collection, CrawlState.COLLECTED.value]
            self._engine.execute(
                "INSERT INTO crawls (crawl, site, host, state, lane, private_networks, beside,"
                " attempt, name, crawler, directory, figures, ordered, changed)"
                " VALUES (?, ?, ?, ?, '', 0, 1, 1, ?, ?, ?, ?, ?, ?)",
                [*names, collected.crawl, agent, collected.directory, figures, date, date],
            )
            self._engine.execute(
                "INSERT INTO attempts (name, crawl, number, crawler, began, ended)"
                " VALUES (?, ?, 1, ?, ?, ?)",
                [collected.crawl, collected.crawl, agent, date, date],
            )
            self._tallies.add(f"crawl {CrawlState.COLLECTED}")
            self._tallies.collected(collected.figures)
            return True


def _site_of(collection: str) -> NewSite:
    return NewSite(
        collection,
        start_url=f"http://{collection}.invalid/",
        accept="",
        reject="",
        maximum_depth=0,
        host=collection,
        why="captures that no crawl made are kept under this name",
    )
