"""Pages in the order in which they were crawled, in monthly batches (*Web InfoMall §3.2*).

A page has an identifier, such as `200405-0000001234`: its batch, and its serial number there,
of 32 bits. See docs/reference/batches.md.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from attrs import frozen

from anet.formats.page import Page

Encoder = Callable[[Page], bytes]


class BatchesError(Exception):
    """A folder of batches cannot be written or read; the message says why and what to do."""


@frozen(order=True)
class Identifier:
    """What a page is called in all batches.

    Attributes:
        batch: year and month, such as "200405".
        serial: of the page in its batch, from 0; 32 bits.
    """

    batch: str
    serial: int

    def __str__(self) -> str:
        return f"{self.batch}-{self.serial:010d}"


class BatchWriter:
    """Writes pages into a folder of batches, one writer at a time.

    What is committed is durable. What is added after the last commit is forgotten if the process is
    killed: the next writer begins after the last page that was committed. `total` says how many
    those are, and `note` what the caller noted with them.

    Args:
        folder: made if new.
        encoder: gives the record of a page; by default that of the Tianwang format.
        suffix: of data files.
        limit: bytes after which the next data file is begun.

    Raises:
        BatchesError: another writer has the folder, or its batches are of another format.
    """

    def __init__(
        self,
        folder: Path,
        encoder: Encoder | None = None,
        suffix: str = ".tianwang",
        limit: int = 10**9,
    ) -> None:
        self.total = 0
        self.note = ""

    def add(self, page: Page) -> Identifier:
        """Write a page at the end of the batch of its month; return its identifier."""
        raise NotImplementedError

    def commit(self, note: str = "") -> None:
        """Make all pages so far durable, with a note of the caller, such as where it stands."""
        raise NotImplementedError

    def close(self) -> None:
        """Close the folder, and forget what was not committed."""
        raise NotImplementedError


class Batches:
    """Reads the pages of a folder of batches that are committed.

    Raises:
        BatchesError: the folder is none.
    """

    def __init__(self, folder: Path) -> None:
        raise NotImplementedError

    def read(self, batch: str, serial: int) -> Page:
        """Return a page.

        Raises:
            BatchesError: there is none of this identifier, or it is damaged.
        """
        raise NotImplementedError

    def read_run(self, batch: str, first: int, count: int) -> Iterator[Page]:
        """Yield pages that follow one another in a batch; fewer at its end."""
        raise NotImplementedError
