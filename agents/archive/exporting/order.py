"""What an export is to give: which captures, in which form. Pure."""

import re
from collections.abc import Sequence
from typing import Literal

from attrs import frozen

from agents import dates
from agents.origin import value
from agents.urls import canonical, split_port
from anet.formats.serial import GIGABYTE

Format = Literal["warc", "wacz", "arc", "tianwang"]
Compression = Literal["gzip", "zstd", "none"]

_DIGITS = re.compile(r"\d{4,20}")
_END = "~"  # sorts after every digit
_HOST = re.compile(r"[a-z][a-z0-9+.-]*://([^/?#]*)", re.IGNORECASE)


@frozen
class Order:
    """One export.

    Attributes:
        source: the address of the store that is exported; empty for the disks of this machine,
            whichever there are when the export is taken up again.
        sites: see `Sites`; everything when empty.
        first: the earliest date, 20 digits, or empty.
        last: what no date sorts after, as `end_of` gives it, or empty.
        format: of the files.
        compression: of their records.
        size: bytes of a file.
        revisits: whether a content that is in the export already is only referred to.
        batches: whether files are the monthly batches of a crawl (docs/reference/batches.md).
    """

    source: str
    sites: tuple[str, ...] = ()
    first: str = ""
    last: str = ""
    format: Format = "warc"
    compression: Compression = "gzip"
    size: int = GIGABYTE
    revisits: bool = True
    batches: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether everything is wanted."""
        return not (self.sites or self.first or self.last)

    def takes_date(self, date: str) -> bool:
        """Tell whether a date, 20 digits, is wanted."""
        return self.first <= date and (not self.last or date <= self.last)


class Sites:
    """Which captures are of some sites.

    Args:
        words: each a URL, and what begins with it is of the site; or a host, and its subdomains
            are; or the name of a site, as the scheduler and `dlweb sites` call it. No words take
            everything.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self._prefixes = tuple(canonical(word) or word for word in words if "://" in word)
        self._names = frozenset(word for word in words if "://" not in word)
        self._hosts = frozenset(name.lower().rstrip(".") for name in self._names)
        self._takes_all = not words

    def take(self, url: str, origin: str = "") -> bool:
        """Tell whether what has a URL, and perhaps an origin, is of one of the sites."""
        if self._takes_all or url.startswith(self._prefixes):
            return True
        return self._is_host(url) or (bool(origin) and value(origin, "site") in self._names)

    def _is_host(self, url: str) -> bool:
        if not self._hosts or (match := _HOST.match(url)) is None:
            return False
        host = split_port(match[1].rpartition("@")[2].lower())[0]
        labels = host.rstrip(".").split(".")
        return any(".".join(labels[start:]) in self._hosts for start in range(len(labels)))


def end_of(text: str) -> str:
    """Return what no date of a day, a month, a year or another span sorts after.

    Args:
        text: as a person writes it, such as `2026`, `2026-11` or `2026-11-21T07:30:00Z`.

    Raises:
        InvalidDate: it is no date.
    """
    date = dates.parse(text)
    digits = re.sub(r"[-:.\sTZ]", "", text.strip())
    return (digits if _DIGITS.fullmatch(digits) else date) + _END
