"""Where the monitoring pages of agents are, by kind and the number at the end of a name."""

from collections.abc import Callable

from agents.configuration.ports import Port, number_of, site_crawler
from agents.configuration.tree import Configuration

_OFFSETS: dict[str, Callable[[int], int]] = {
    "site-crawler": site_crawler,
    "storage-master": lambda _: Port.STORAGE_MASTER_PAGES,
    "consultation": lambda _: Port.CONSULTATION_PAGES,
    "connectivity": lambda _: Port.CONNECTIVITY_PAGES,
    "nursery": lambda _: Port.NURSERY_PAGES,
    "feed-aggregator": lambda _: Port.FEED_AGGREGATOR_PAGES,
    "streaming": lambda _: Port.STREAMING_PAGES,
}


def page_of(configuration: Configuration, kind: str, name: str) -> str:
    """Return the address of an agent's monitoring page, or "" when it cannot be told."""
    offset = _OFFSETS.get(kind)
    if offset is None:
        return ""
    try:
        return f"http://{configuration.address(offset(number_of(name)))}/"
    except ValueError:
        return ""  # a number that has no port
