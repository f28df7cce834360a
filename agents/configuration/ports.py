"""Where each agent listens: one base port for the whole tree, one offset each.

An archive takes the hundred ports from its base port on, so that two archives on one machine
only need different base ports. A key of a section may name another address.
"""

import re
from enum import IntEnum

HOST = "127.0.0.1"
SPAN = 100  # ports that one archive takes
STORAGE_NODES = 9  # numbers that the offsets leave room for
SITE_CRAWLERS = 74


class Port(IntEnum):
    """Offsets from the base port."""

    SCHEDULER = 0
    SCHEDULER_PAGES = 1
    STORAGE_MASTER = 2
    STORAGE_MASTER_PAGES = 3
    INDEX_NODE = 4
    INDEX_NODE_PAGES = 5
    PROXY = 6
    CONSULTATION_PAGES = 7
    CONNECTIVITY_PAGES = 8
    NURSERY_PAGES = 9
    STORAGE_NODE = 10
    SITE_CRAWLER_PAGES = 20
    STREAMING_PAGES = 95
    REPLAY = 96
    FEED_AGGREGATOR_PAGES = 97
    ARCHIVE_PAGES = 98
    DEMONSTRATION = 99


def port(base: int, offset: int) -> int:
    """Return the port at `offset` from the base port; `offset` is a `Port`, or one plus a number.

    Raises:
        ValueError: it is outside of the archive's hundred ports.
    """
    if not 0 <= offset < SPAN:
        raise ValueError(
            f"offset {offset} is outside of an archive's {SPAN} ports; "
            "give this agent an address of its own in the configuration"
        )
    return base + offset


def address(base: int, offset: int, override: str | None = None) -> str:
    """Return the "host:port" that a configuration names, or the one at `offset`."""
    return override or f"{HOST}:{port(base, offset)}"


def number_of(name: str) -> int:
    """Return the number at the end of an agent's name; 1 without one."""
    digits = re.search(r"(\d{1,6})$", name)
    return int(digits[1]) if digits else 1


def storage_node(number: int) -> int:
    """Return the offset of storage node `number`, from 1."""
    return _numbered(Port.STORAGE_NODE, number, STORAGE_NODES, "storage node")


def site_crawler(number: int) -> int:
    """Return the offset of the pages of site crawler `number`, from 1."""
    return _numbered(Port.SITE_CRAWLER_PAGES, number, SITE_CRAWLERS, "site crawler")


def _numbered(offset: Port, number: int, most: int, what: str) -> int:
    if not 1 <= number <= most:
        raise ValueError(
            f"{what} {number} has no port: numbers go from 1 to {most}; "
            "give it an address of its own in the configuration"
        )
    return offset + number
