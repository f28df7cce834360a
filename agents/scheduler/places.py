"""Where the monitoring pages of agents are, by kind and the number at the end of a name."""

import re
from collections.abc import Callable

from agents.configuration import Configuration, Port, site_crawler

_NUMBER = re.compile(r"(\d{1,6})$")
_OFFSETS: dict[str, Callable[[int], int]] = {
    "site-crawler": site_crawler,
    "storage-master": lambda _: Port.STORAGE_MASTER_PAGES,
    "consultation": lambda _: Port.CONSULTATION_PAGES,
    "connectivity": lambda _: Port.CONNECTIVITY_PAGES,
    "nursery": lambda _: Port.NURSERY_PAGES,
}


def page_of(configuration: Configuration, kind: str, name: str) -> str:
    """Return the address of an agent's monitoring page, or "" when it cannot be told."""
    offset = _OFFSETS.get(kind)
    number = _NUMBER.search(name)
    if offset is None:
        return ""
    try:
        return f"http://{configuration.address(offset(int(number[1]) if number else 1))}/"
    except ValueError:
        return ""  # a number that has no port
