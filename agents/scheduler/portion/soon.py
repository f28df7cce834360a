"""The plan of a quick look at pages that somebody told of."""

from collections.abc import Sequence

from agents.scheduler.portion.crawl_plan import CrawlPlan, written

URLS = 1000  # of one quick look


def quick_look(pages: Sequence[str], reason: str) -> str:
    """Return the plan by which pages are collected, and nothing else; it judges nothing."""
    plan = CrawlPlan(maximum_depth=0, quick=True, judged=False, urls=tuple(pages), reason=reason)
    return written(plan)
