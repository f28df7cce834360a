"""What a site crawler answers over HIP (*INA §1.4*)."""

from attrs import frozen

from agents.crawler.crawler import SiteCrawler
from agents.order import CrawlFigures, Order
from hip import exposed


@frozen
class CrawlerReport:
    """What a site crawler is doing.

    Attributes:
        state: free, busy, or telling the scheduler.
        crawl: the crawl it works on, or none.
        url: the URL being collected, or empty.
        figures: how far the crawl is.
    """

    state: str
    crawl: str | None
    url: str
    figures: CrawlFigures


class CrawlerMethods:
    """Methods for the scheduler and for people."""

    def __init__(self, crawler: SiteCrawler) -> None:
        self._crawler = crawler

    @exposed(roles=("scheduler",))
    def collect(self, order: Order) -> bool:
        """Begin to collect a site; the answer comes at once, `finished` is called at the end.

        Refused as `busy` while another crawl is under way.
        """
        self._crawler.collect(order)
        return True

    @exposed
    def progress(self) -> CrawlerReport:
        """Tell what the crawler is doing."""
        crawl = self._crawler.crawl
        return CrawlerReport(
            state=self._crawler.state.value,
            crawl=None if crawl is None else crawl.order.crawl,
            url="" if crawl is None else crawl.current,
            figures=self._crawler.figures(),
        )

    @exposed(roles=("scheduler",))
    def stop(self) -> bool:
        """Abandon the current crawl and its directory; tell whether there was one."""
        return self._crawler.abandon()
