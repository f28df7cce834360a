"""The scheduler's figures for Prometheus."""

import msgspec
from prometheus_client import CollectorRegistry, Gauge

from agents.schedule import SchedulerStatus


class Gauges:
    """The scheduler's figures for Prometheus."""

    def __init__(self, registry: CollectorRegistry) -> None:
        def gauge(name: str, words: str, *labels: str) -> Gauge:
            return Gauge(f"dlweb_scheduler_{name}", words, labels, registry=registry)

        self._sites = gauge("sites", "sites by state", "state")
        self._crawls = gauge("crawls", "crawls by state", "state")
        self._crawlers = gauge("crawlers", "crawlers by state", "state")
        self._totals = gauge("total", "sums over all crawls", "of")
        self._standings = gauge("standings", "sites by standing", "standing")
        self._streams = gauge("streams", "live streams by phase", "phase")
        self._listened = gauge("listened_streams", "live streams to listen to by agent", "agent")

    def take(
        self,
        status: SchedulerStatus,
        standings: dict[str, int],
        streams: dict[str, int],
        listened: dict[str, int],
    ) -> None:
        """Set all of them.

        Args:
            status: what the scheduler does.
            standings: sites by standing.
            streams: live streams by phase.
            listened: live streams that each agent has to listen to.
        """
        crawlers = [crawler.state for crawler in status.crawlers]
        counts = {state: crawlers.count(state) for state in crawlers}
        for gauge, values in (
            (self._sites, status.sites),
            (self._crawls, status.crawl_counts),
            (self._crawlers, counts),
            (self._totals, msgspec.to_builtins(status.totals)),
            (self._standings, standings),
            (self._streams, streams),
            (self._listened, listened),
        ):
            gauge.clear()
            for label, value in values.items():
                gauge.labels(label).set(value)
