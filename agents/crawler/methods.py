"""What a site crawler answers over HIP (*INA §1.4*)."""

from attrs import frozen

from agents.crawler.crawl import Crawl
from agents.crawler.crawler import SiteCrawler
from agents.order import CrawlFigures, Order
from hip import CallRefused, exposed


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

    @exposed(roles=("scheduler", "operator"))
    def pause(self) -> bool:
        """Fetch nothing from the next URL on, until `resume`; tell whether that is news."""
        return self._crawl().waiting.pause()

    @exposed(roles=("scheduler", "operator"))
    def resume(self) -> bool:
        """Go on with a paused crawl; tell whether it was paused."""
        return self._crawl().waiting.resume()

    @exposed(roles=("scheduler", "operator"))
    def add_url(self, url: str) -> bool:
        """Collect a URL next, whatever the delimitation says; tell whether that is news."""
        try:
            return self._crawl().add(url)
        except ValueError as error:
            raise CallRefused("bad-url", str(error)) from None

    @exposed(roles=("scheduler", "operator"))
    def stop(self) -> bool:
        """Abandon the current crawl and its directory for good; tell whether there was one."""
        return self._crawler.stop()

    def _crawl(self) -> Crawl:
        if self._crawler.crawl is None:
            raise CallRefused("free", "no crawl is under way")
        return self._crawler.crawl
