"""What an export is to give: which captures, in which form. Pure."""

import re
from collections.abc import Sequence
from typing import Literal

from attrs import frozen

from agents import dates
from agents.origin import value
from agents.urls import authority, canonical, split_port
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
            are, with a port only those at it; or the name of a site, as the scheduler and `dlweb
            sites` call it. No words take everything.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self._prefixes = tuple(canonical(word) or word for word in words if "://" in word)
        self._names = frozenset(word for word in words if "://" not in word)
        self._hosts = frozenset(host for name in self._names for host in _hosts(name))
        self._takes_all = not words

    def take(self, url: str, origin: str = "") -> bool:
        """Tell whether what has a URL, and perhaps an origin, is of one of the sites."""
        if self._takes_all or url.startswith(self._prefixes):
            return True
        return self._is_host(url) or (bool(origin) and value(origin, "site") in self._names)

    def _is_host(self, url: str) -> bool:
        if not self._hosts or (match := _HOST.match(url)) is None:
            return False
        host, port = split_port(match[1].rpartition("@")[2].lower())
        labels = host.rstrip(".").split(".")
        names = [".".join(labels[start:]) for start in range(len(labels))]
        if port is not None:
            names += [f"{name}:{port}" for name in names]
        return not self._hosts.isdisjoint(names)


def _hosts(name: str) -> set[str]:
    """Return a host that a person wrote as URLs have it, with its port unless that is usual."""
    urls = (canonical(f"{scheme}://{name.rstrip('.')}/") for scheme in ("http", "https"))
    return {authority(url) for url in urls if url and url.count("/") == 3}  # noqa: PLR2004


def end_of(text: str) -> str:
    """Return what no date of a day, a month, a year or another span sorts after.

    Args:
        text: as a person writes it, such as `2026`, `2026-11` or `2026-11-21T07:30:00Z`.

    Raises:
        InvalidDate: it is no date.
    """
    date = dates.parse(text)
    digits = re.sub(r"[-:.\sTZ]", "", text.strip())
    if not _DIGITS.fullmatch(digits):  # of a zone, or of HTTP: no coarser than a second
        digits = date.removesuffix("000000")
    return digits + _END
